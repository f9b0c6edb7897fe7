import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { readTimestamp } from '@portcullis/contract';
import { makeProgress } from '../progress.ts';
import { complain } from '../say.ts';
import { ATTACK_NAMES, type AttackName, type SimulateOptions, simulate, type WorldKind } from '../simulate/simulate.ts';

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

/** What is wrong with the options of a command. */
class OptionFault extends Error {
  override name = 'OptionFault';
}

const numberOf = (name: string, text: string, low: number, high: number, isWhole = true): number => {
  const value = Number(text);
  if (text.trim() === '' || !(value >= low && value <= high) || (isWhole && !Number.isInteger(value)))
    throw new OptionFault(`--${name} must be a ${isWhole ? 'whole ' : ''}number from ${low} to ${high}, not ${text}.`);
  return value;
};

const attacksOf = (text: string): 'all' | 'none' | AttackName[] => {
  if (text === 'all' || text === 'none') return text;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !ATTACK_NAMES.includes(name as AttackName));
  if (unknown.length > 0)
    throw new OptionFault(
      `--attacks knows no ${unknown.join(', ')}. There are: all, none, or any of ${ATTACK_NAMES.join(', ')}.`,
    );
  return names as AttackName[];
};

const MOST_SEED = 4_294_967_295;
const DAY_MS = 86_400_000;

export const readFlags = (flags: SimulateFlags): SimulateOptions => {
  const start = readTimestamp(flags.start);
  if (start === undefined) throw new OptionFault(`--start must be a day such as 2026-01-01, not ${flags.start}.`);
  return {
    seed: numberOf('seed', flags.seed, 0, MOST_SEED),
    users: numberOf('users', flags.users, 1, 10_000_000),
    days: numberOf('days', flags.days, 1, 3660),
    start: Math.floor(start / DAY_MS) * DAY_MS,
    world: flags.world,
    attacks: attacksOf(flags.attacks),
    ...(flags.fraudShare === undefined ? {} : { fraudShare: numberOf('fraud-share', flags.fraudShare, 0, 0.9, false) }),
  };
};

const CHUNK_LINES = 500;

/** Lines in larger pieces: one write a line would cost more than making it. */
function* chunksOf(options: SimulateOptions): Generator<string> {
  const progress = makeProgress('simulating', options.days);
  let lines = '';
  let count = 0;
  for (const item of simulate(options)) {
    lines += `${JSON.stringify(item)}\n`;
    count++;
    if (count % CHUNK_LINES > 0) continue;
    progress.at((Date.parse(item.occurred_at) - options.start) / DAY_MS);
    yield lines;
    lines = '';
  }
  yield lines;
  progress.at(options.days);
  progress.end();
}

const isClosedPipe = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE';

/** Writes a made-up history: to a file, gzipped where its name ends so, or to standard output. */
export const simulateFile = async (flags: SimulateFlags): Promise<void> => {
  try {
    const chunks = Readable.from(chunksOf(readFlags(flags)));
    if (flags.out === undefined) await pipeline(chunks, process.stdout);
    else if (flags.out.endsWith('.gz')) await pipeline(chunks, createGzip(), createWriteStream(flags.out));
    else await pipeline(chunks, createWriteStream(flags.out));
  } catch (error) {
    // `simulate | head` closes the pipe when it has seen enough.
    if (isClosedPipe(error)) return;
    if (!(error instanceof OptionFault)) throw error;
    complain(error.message);
    process.exitCode = 2;
  }
};
