import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { readTimestamp } from '@portcullis/contract/values';
import { makeProgress } from '../runtime/progress-bar.ts';
import { print } from '../runtime/terminal.ts';
import { ATTACK_NAMES, type AttackName, type SimulateOptions, simulate, type WorldKind } from '../simulate/simulate.ts';
import { failUsage } from './fail.ts';

export interface SimulateFlags {
  seed: string;
  users: string;
  days: string;
  start: string;
  world: WorldKind;
  attacks: string;
  fraudShare?: string;
  out?: string;
}

class OptionError extends Error {
  override name = 'OptionError';
}

const numberOf = (name: string, text: string, low: number, high: number, isWhole = true): number => {
  const value = Number(text);
  if (text.trim() === '' || !(value >= low && value <= high) || (isWhole && !Number.isInteger(value)))
    throw new OptionError(`--${name} must be a ${isWhole ? 'whole ' : ''}number from ${low} to ${high}, not ${text}.`);
  return value;
};

const attacksOf = (text: string): 'all' | 'none' | AttackName[] => {
  if (text === 'all' || text === 'none') return text;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !ATTACK_NAMES.includes(name as AttackName));
  if (unknown.length > 0)
    throw new OptionError(
      `--attacks: unknown attack ${unknown.join(', ')}. Use all, none, or any of ${ATTACK_NAMES.join(', ')}.`,
    );
  return names as AttackName[];
};

const MAX_SEED = 4_294_967_295;
const DAY_MS = 86_400_000;

export const readFlags = (flags: SimulateFlags): SimulateOptions => {
  const start = readTimestamp(flags.start);
  if (start === undefined) throw new OptionError(`--start must be a day such as 2026-01-01, not ${flags.start}.`);
  return {
    seed: numberOf('seed', flags.seed, 0, MAX_SEED),
    users: numberOf('users', flags.users, 1, 10_000_000),
    days: numberOf('days', flags.days, 1, 3660),
    start: Math.floor(start / DAY_MS) * DAY_MS,
    world: flags.world,
    attacks: attacksOf(flags.attacks),
    ...(flags.fraudShare === undefined ? {} : { fraudShare: numberOf('fraud-share', flags.fraudShare, 0, 0.9, false) }),
  };
};

const CHUNK_LINES = 500;

/** Joins lines into chunks: a write per line would cost more than simulating it. */
function* chunksOf(options: SimulateOptions, onEnd: (items: number, frauds: number) => void): Generator<string> {
  const progress = makeProgress('simulating', options.days);
  let lines = '';
  let count = 0;
  let frauds = 0;
  for (const item of simulate(options)) {
    lines += `${JSON.stringify(item)}\n`;
    count++;
    if (item.label === 'fraud') frauds++;
    if (count % CHUNK_LINES > 0) continue;
    progress.at((Date.parse(item.occurred_at) - options.start) / DAY_MS);
    yield lines;
    lines = '';
  }
  yield lines;
  progress.at(options.days);
  progress.end();
  onEnd(count, frauds);
}

const isClosedPipe = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE';

/** Writes a simulated history to a file, gzipped if its name ends in .gz, or to standard output. */
export const simulateFile = async (flags: SimulateFlags): Promise<void> => {
  try {
    const { out } = flags;
    const summarize = (items: number, frauds: number): void => {
      // With the history itself on standard output, a summary would be one more, broken line of it.
      if (out !== undefined)
        print(`Wrote ${items.toLocaleString('en')} items, ${frauds.toLocaleString('en')} of them fraud, to ${out}.`);
    };
    const chunks = Readable.from(chunksOf(readFlags(flags), summarize));
    if (out === undefined) await pipeline(chunks, process.stdout);
    else if (out.endsWith('.gz')) await pipeline(chunks, createGzip(), createWriteStream(out));
    else await pipeline(chunks, createWriteStream(out));
  } catch (error) {
    // `simulate | head` closes the pipe early.
    if (isClosedPipe(error)) return;
    if (!(error instanceof OptionError)) throw error;
    failUsage(error.message);
  }
};
