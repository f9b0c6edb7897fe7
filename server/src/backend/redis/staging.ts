import {
  type Arena,
  activityOf,
  addHistory,
  ENTITY_KINDS,
  type Facts,
  type LabelEffect,
  makeArena,
  newEntityGroup,
  observe,
  observeLabel,
  type Subject,
  unpackVerdict,
} from '@portcullis/engine';
import { isErased } from '../erased-request.ts';
import { labelEffectOf, type RestoreSubject } from '../journal.ts';
import { isLabel, type JournalEntry } from '../journal-pages.ts';
import { baseOf, readBase } from './base.ts';
import type { RedisClient } from './client.ts';
import type { Keys } from './keys.ts';
import { addScreening } from './profile.ts';

/** Calls to Redis in flight at once. */
const CONCURRENCY = 500;
/** Staging keys expire, so that an interrupted rebuild leaves nothing behind. */
const STAGING_MS = 24 * 3_600_000;

export const inChunks = async <T>(items: Iterable<T>, act: (item: T) => Promise<unknown>): Promise<void> => {
  let chunk: Promise<unknown>[] = [];
  for (const item of items) {
    chunk.push(act(item));
    if (chunk.length < CONCURRENCY) continue;
    await Promise.all(chunk);
    chunk = [];
  }
  await Promise.all(chunk);
};

interface ScreeningEntry {
  readonly seq: number;
  readonly tenant: number;
  readonly subject: Subject;
  readonly facts: Facts;
  readonly verdict: string;
}
interface LabelEntry {
  readonly seq: number;
  readonly tenant: number;
  readonly subject: Subject;
  readonly label: LabelEffect;
}
type Entry = ScreeningEntry | LabelEntry;

/** Undefined for a label that changes nothing, and where the screening was deleted or its person erased. */
const entryOf = (row: JournalEntry, restore: RestoreSubject): Entry | undefined => {
  if (row.type === null || isErased(row)) return undefined;
  if (!isLabel(row)) return { ...row, ...restore(row.tenant, row) };
  const restored = restore(row.tenant, row);
  const label = labelEffectOf(row, restored);
  return label === undefined ? undefined : { seq: row.seq, tenant: row.tenant, subject: restored.subject, label };
};

interface StagingState {
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly run: string;
  readonly maxWords: number;
  readonly arena: Arena;
  /** Positions in the arena, by live key; 0 where there is no history yet. */
  readonly groups: Map<string, number>;
  hasStaged: boolean;
}
/** The live keys to fold into; undefined for all. */
type Selection = ReadonlySet<string> | undefined;

const liveKeysOf = (keys: Keys, { tenant, subject, ...entry }: Entry): string[] => [
  ...ENTITY_KINDS.flatMap((_, kind) => {
    return subject.hashes[kind] === 0 ? [] : [keys.history(tenant, kind, subject)];
  }),
  ...('label' in entry ? [] : [keys.profile(tenant, subject)]),
];

const load = async (state: StagingState, wanted: Iterable<string>): Promise<void> => {
  const { redis, keys, run, arena, groups } = state;
  const missing = [...new Set(wanted)].filter((key) => !groups.has(key));
  await inChunks(missing, async (key) => {
    const base = !state.hasStaged ? null : await redis.send((client) => client.getBuffer(keys.staging(run, key)));
    groups.set(key, base === null ? 0 : readBase(arena, base));
  });
};

const stage = async (state: StagingState): Promise<void> => {
  const { redis, keys, run, arena, groups } = state;
  await inChunks(groups, async ([key, group]) => {
    if (group === 0) return;
    await redis.send((client) => client.set(keys.staging(run, key), baseOf(arena, group), 'PX', STAGING_MS));
  });
  state.hasStaged = true;
  groups.clear();
  arena.clear();
};

const foldScreening = ({ arena, groups, keys }: StagingState, entry: ScreeningEntry, only: Selection): void => {
  const { tenant, subject, facts } = entry;
  const activity = activityOf(subject, facts);
  for (let kind = 0; kind < ENTITY_KINDS.length; kind++) {
    const key = keys.history(tenant, kind, subject);
    if (subject.hashes[kind] === 0 || only?.has(key) === false) continue;
    const before = groups.get(key) as number;
    const group = before === 0 ? addHistory(arena, newEntityGroup(arena), kind, 0, 0, subject.at) : before;
    groups.set(key, observe(arena, group, 0, kind, subject, activity));
  }
  const key = keys.profile(tenant, subject);
  if (only?.has(key) !== false)
    groups.set(key, addScreening(arena, groups.get(key) as number, subject, unpackVerdict(entry.verdict)));
};

const foldLabel = ({ arena, groups, keys }: StagingState, entry: LabelEntry, only: Selection): void => {
  const { tenant, subject, label } = entry;
  for (let kind = 0; kind < ENTITY_KINDS.length; kind++) {
    const key = keys.history(tenant, kind, subject);
    const before = subject.hashes[kind] === 0 || only?.has(key) === false ? 0 : (groups.get(key) as number);
    if (before !== 0) groups.set(key, observeLabel(arena, before, 0, kind, subject.hashes, label));
  }
};

/**
 * Folds stored screenings and labels into new bases under staging keys. Bases that do not fit in memory are written
 * there and read again.
 */
export const makeStaging = (redis: RedisClient, keys: Keys, restore: RestoreSubject, run: string, maxWords: number) => {
  const arena = makeArena(2 ** 16);
  const state: StagingState = { redis, keys, run, maxWords, arena, groups: new Map(), hasStaged: false };
  return {
    fold: async (page: readonly JournalEntry[], only?: ReadonlySet<string>): Promise<void> => {
      const entries = page.map((row) => entryOf(row, restore)).filter((entry) => entry !== undefined);
      const wanted = entries.flatMap((entry) => liveKeysOf(keys, entry));
      await load(
        state,
        wanted.filter((key) => only?.has(key) !== false),
      );
      for (const entry of entries) 'label' in entry ? foldLabel(state, entry, only) : foldScreening(state, entry, only);
      if (arena.used() > maxWords) await stage(state);
    },
    /** Writes all bases to their staging keys. */
    stage: (): Promise<void> => stage(state),
  };
};
export type Staging = ReturnType<typeof makeStaging>;
