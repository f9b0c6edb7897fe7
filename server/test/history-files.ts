import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { vi } from 'vitest';
import { type BacktestFlags, backtestFile } from '../src/commands/backtest.ts';
import { type Config, readConfig } from '../src/config.ts';
import { type SimulatedItem, simulate } from '../src/simulate/simulate.ts';
import { afterEachFile } from './after-file.ts';
import { DAY_MS, type Json, makeFolder } from './harness.ts';

export const BEGIN = Date.UTC(2026, 0, 1);
export const DAYS = 50;
export const dayOf = (day: number): number => BEGIN + day * DAY_MS;

/** About three thousand items of a small shop, with more fraud than there is, so that there is something to learn. */
export const makeHistory = (users = 140): SimulatedItem[] => [
  ...simulate({ seed: 4, users, days: DAYS, start: BEGIN, world: 'shop', attacks: 'all', fraudShare: 0.08 }),
];
export const timeOf = ({ occurred_at }: SimulatedItem): number => Date.parse(occurred_at);

let folder: string | undefined;
afterEachFile(async () => {
  folder = undefined;
});
/** The path of a file that is gone after the tests of the file. */
export const pathOf = (name: string): string => {
  folder ??= makeFolder();
  return join(folder, name);
};
let files = 0;
/** A file of its own for each text. */
export const write = (text: string, ending = 'ndjson'): string => {
  const path = pathOf(`history_${files++}.${ending}`);
  writeFileSync(path, ending.endsWith('.gz') ? gzipSync(text) : text);
  return path;
};
export const linesOf = (items: readonly unknown[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join('');

const flatten = (value: object, prefix = ''): [string, string][] =>
  Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' ? flatten(inner, `${prefix}${name}.`) : [[prefix + name, String(inner)]],
  );
const quote = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
/** The same items with a column for each member that any of them has. */
export const csvOf = (items: readonly object[]): string => {
  const rows = items.map((item) => new Map(flatten(item)));
  const header = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const cells = rows.map((row) => header.map((name) => quote(row.get(name) ?? '')).join(','));
  return `${header.join(',')}\n${cells.join('\n')}\n`;
};

export const CONFIG = readConfig({ DATA_DIR: join(tmpdir(), 'portcullis-no-store') }) as Config;

/** What a command says and ends with, run here: a process of its own for each would take longer than all the rest. */
export const run = async (command: () => Promise<void>): Promise<{ out: string; err: string; code: number }> => {
  const [out, err] = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockReturnValue(true),
  );
  const text = (spy: typeof out): string => spy?.mock.calls.map(([written]) => written).join('') ?? '';
  try {
    await command();
    return { out: text(out), err: text(err), code: Number(process.exitCode ?? 0) };
  } finally {
    process.exitCode = undefined;
    out?.mockRestore();
    err?.mockRestore();
  }
};

export interface Score {
  readonly row: number;
  readonly probability: number;
  readonly risk_score: number;
  readonly decision: string;
}
export const readScores = (text: string): Score[] => {
  const [header, ...lines] = text.trimEnd().split('\n');
  if (header !== 'row,probability,risk_score,decision') throw new Error(`the header is ${header}`);
  return lines.map((line) => {
    const [row, probability, score, decision = ''] = line.split(',');
    return { row: Number(row), probability: Number(probability), risk_score: Number(score), decision };
  });
};

/** A backtest of a file: its JSON, and its scores as they were written. */
export const backtestOf = async (
  path: string,
  flags: Partial<BacktestFlags> = {},
  config = CONFIG,
): Promise<{ json: Json; scores: string; out: string; err: string; code: number }> => {
  const scoresPath = pathOf(`scores_${files++}.csv`);
  const ended = await run(() =>
    backtestFile(config, path, { labelDelay: 7 * DAY_MS, seed: 1, json: true, scores: scoresPath, ...flags }),
  );
  if (ended.code !== 0) throw new Error(ended.err);
  return {
    ...ended,
    json: flags.json === false ? undefined : JSON.parse(ended.out),
    scores: readFileSync(scoresPath, 'utf8'),
  };
};
