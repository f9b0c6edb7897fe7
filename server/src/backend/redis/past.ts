import { activityOf, type LabelEffect, type Subject, unpackVerdict, type Verdict } from '@portcullis/engine';
import { Unavailable } from '../backend.ts';
import type { PastItem, PastLabel, SliceWrites } from '../counters.ts';
import { labelEffectOf, type RestoreSubject } from '../journal.ts';
import { isLabel, type JournalEntry } from '../journal-pages.ts';
import type { Batches } from './batch.ts';
import type { RedisClient } from './client.ts';
import type { Keys } from './keys.ts';
import { profileRecord } from './profile.ts';
import { activityByte } from './record.ts';
import {
  kindsIn,
  labelSteps,
  markRetry,
  profileStep,
  type Step,
  screeningStep,
  settleProfileStep,
  settleStep,
  splitByKey,
  updateOf,
} from './updates.ts';
import { NO_WRITER } from './watermarks.ts';

/**
 * Counts the entries of an import. Live screenings are counted before they are stored, so that the next one sees them at
 * once. Imports cannot do that: if the process were killed in between, a repeated import would count the item twice. So an
 * imported entry is (1) stored, (2) put into Redis, (3) confirmed in the store, (4) settled. Until it is settled, its
 * records stay in the tails, where a repeated put finds them. An entry that stayed unsettled would be counted after later
 * ones in the end, and sums in another order differ in their last bits.
 */

interface PastOptions {
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly batches: Pick<Batches, 'decidePast'>;
  readonly restore: RestoreSubject;
  readonly onLongProfile: (key: string) => void;
}

type PastEntry = { readonly seq: number; readonly subject: Subject } & (
  | { readonly activity: number; readonly verdict: Pick<Verdict, 'score' | 'decision' | 'signals'> }
  | { readonly effect: LabelEffect }
);
interface EntrySteps {
  readonly puts: readonly Step[];
  readonly settled: readonly Step[];
}

const stepsOf = ({ keys }: PastOptions, tenant: number, entry: PastEntry): EntrySteps => {
  const { seq, subject } = entry;
  if ('effect' in entry) return labelSteps(keys, tenant, subject, entry.effect, seq);
  const kinds = kindsIn(subject);
  const keyOf = (kind: number): string => keys.history(tenant, kind, subject);
  const counted = { ...subject, activity: entry.activity };
  const profileKey = keys.profile(tenant, subject);
  return {
    puts: [
      ...kinds.map((kind) => screeningStep(keyOf(kind), kind, counted, seq)),
      [profileKey, profileStep(true, profileRecord(subject, seq, NO_WRITER, entry.verdict))],
    ],
    settled: [
      ...kinds.map((kind): Step => [keyOf(kind), settleStep(kind, seq, activityByte(subject, entry.activity))]),
      [profileKey, settleProfileStep(seq)],
    ],
  };
};

/** Applies steps. Rejects unless all have arrived. */
const apply = async ({ redis, onLongProfile }: PastOptions, steps: readonly Step[]): Promise<void> => {
  if (steps.length === 0) return;
  const update = updateOf(steps);
  markRetry(update);
  const parts = redis.isCluster() ? splitByKey(update) : [update];
  try {
    await Promise.all(
      parts.map(async ({ keys, bytes }) => {
        const long = (await redis.runScript('apply', keys, [bytes])) as number[];
        for (const index of long) onLongProfile(keys[index - 1] as string);
      }),
    );
  } catch (error) {
    throw new Unavailable('Redis does not answer: the import must be repeated', { cause: error });
  }
};

const countStored = async (
  options: PastOptions,
  tenant: number,
  entries: readonly PastEntry[],
  confirm: SliceWrites['confirm'],
): Promise<void> => {
  // A label of an erased person has no entity, and so no step.
  const steps = entries.map((entry) => stepsOf(options, tenant, entry));
  const [puts, settled] = [steps.flatMap((step) => step.puts), steps.flatMap((step) => step.settled)];
  await apply(options, puts);
  await confirm();
  await apply(options, settled);
};

/** The entry of a stored screening or label; undefined for a label that changes nothing. */
const entryOf = ({ restore }: PastOptions, row: JournalEntry): PastEntry | undefined => {
  if (!isLabel(row)) {
    const { subject, facts } = restore(row.tenant, row);
    return { seq: row.seq, subject, activity: activityOf(subject, facts), verdict: unpackVerdict(row.verdict) };
  }
  if (row.type === null) return undefined;
  const restored = restore(row.tenant, row);
  const effect = labelEffectOf(row, restored);
  return effect === undefined ? undefined : { seq: row.seq, subject: restored.subject, effect };
};

const entriesOf = (options: PastOptions, rows: readonly JournalEntry[]): PastEntry[] =>
  rows.map((row) => entryOf(options, row)).filter((entry) => entry !== undefined);

const countPast = async (
  options: PastOptions,
  tenant: number,
  items: readonly PastItem[],
  { store, confirm }: SliceWrites,
): Promise<void> => {
  const verdicts: Verdict[] = [];
  const batch = items.map(({ subject, seq, decide }) => ({
    tenant,
    subject,
    seq,
    decide: (facts: Parameters<PastItem['decide']>[0]) => verdicts.push(decide(facts)),
    entities: [],
    unsettled: undefined,
    isNewDay: false,
  }));
  const activities = await options.batches.decidePast(batch).catch((error: unknown) => {
    throw new Unavailable('Redis does not answer: histories cannot be read', { cause: error });
  });
  await store(false);
  const entries = items.map(({ subject, seq }, i) => ({
    seq,
    subject,
    activity: activities[i] as number,
    verdict: verdicts[i] as Verdict,
  }));
  await countStored(options, tenant, entries, confirm);
};

export const makePast = (options: PastOptions) => ({
  countPast: (tenant: number, items: readonly PastItem[], writes: SliceWrites): Promise<void> =>
    countPast(options, tenant, items, writes),
  labelPast: async (tenant: number, labels: readonly PastLabel[], { store, confirm }: SliceWrites): Promise<void> => {
    await store(false);
    const entries = labels.map(({ screening, effect, seq }) => ({
      seq,
      subject: options.restore(tenant, screening).subject,
      effect,
    }));
    await countStored(options, tenant, entries, confirm);
  },
  recount: (tenant: number, rows: readonly JournalEntry[], confirm: SliceWrites['confirm']): Promise<void> =>
    countStored(options, tenant, entriesOf(options, rows), confirm),
  settlePast: (tenant: number, rows: readonly JournalEntry[]): Promise<void> => {
    const steps = entriesOf(options, rows).map((entry) => stepsOf(options, tenant, entry));
    const settled = steps.flatMap((step) => step.settled);
    return apply(options, settled);
  },
});
