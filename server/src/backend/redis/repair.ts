import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { firstSeqAt } from '../../runtime/ids.ts';
import type { Backend } from '../backend.ts';
import type { RestoreSubject } from '../journal.ts';
import { journalBetween } from '../journal-pages.ts';
import type { RedisClient } from './client.ts';
import { reasonOf } from './connection.ts';
import type { Keys } from './keys.ts';
import { DURABLE_MS, MAX_WORDS, recordSizeOf } from './rebuild.ts';
import { encodeSeq } from './record.ts';
import { makeStaging } from './staging.ts';

/** A repair that takes longer has ended with its process. */
const LOCK_MS = 3_600_000;
/** How often a process looks whether a damaged value is still left to another process. */
const RETRY_MS = 60_000;

export interface RepairOptions {
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly journal: Pick<Backend, 'read'>;
  readonly restore: RestoreSubject;
  readonly clock: () => number;
  readonly onError: (message: string) => void;
  readonly onRecovered: (message: string) => void;
  /** For tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const tenantOf = (key: string): number => Number(/\{(\d+):/.exec(key)?.[1]);

/**
 * Rebuilds damaged values from the journal, while the service runs. A damaged value is emptied first, and stays
 * unavailable until its records of before are stored for certain, and folded into a new base.
 */
export const makeRepair = (options: RepairOptions) => {
  const { redis, keys, journal, restore, clock, onError, onRecovered } = options;
  const pause = options.pause ?? ((ms: number) => setTimeout(ms, undefined, { ref: false }));
  const reported = new Set<string>();
  const waiting = new Map<string, Buffer>();
  const repairing = new Set<string>();
  const triedAt = new Map<string, number>();
  let isRunning = false;

  const lockOf = (key: string): string => keys.staging('repair', key);
  /** One process repairs a value. */
  const lock = async (key: string): Promise<boolean> => {
    triedAt.set(key, clock());
    return (await redis.sendFor(key, (client) => client.set(lockOf(key), '1', 'PX', LOCK_MS, 'NX'))) === 'OK';
  };

  const foldJournal = async (run: string, only: ReadonlySet<string>, upTo: number): Promise<void> => {
    const staging = makeStaging(redis, keys, restore, run, MAX_WORDS);
    const tenants = new Set([...only].map(tenantOf));
    for await (const page of journalBetween(journal, 0, upTo))
      await staging.fold(
        page.filter(({ tenant }) => tenants.has(tenant)),
        only,
      );
    await staging.stage();
  };

  const repair = async (damaged: ReadonlyMap<string, Buffer>): Promise<void> => {
    const isolated: string[] = [];
    for (const [key, value] of damaged)
      if ((await lock(key)) && (await redis.runScript('isolate', [key], [value])) === 1) isolated.push(key);
    if (isolated.length === 0) return;
    // Every record that was dropped belongs to a screening up to this number.
    const upTo = firstSeqAt(clock() + 1);
    await pause(DURABLE_MS);
    const run = `r${randomBytes(4).toString('hex')}`;
    await foldJournal(run, new Set(isolated), upTo);
    for (const key of isolated) {
      await redis.runScript(
        'restore',
        [key, keys.staging(run, key)],
        [encodeSeq(upTo), String(recordSizeOf(key)), '1'],
      );
      await redis.sendFor(key, (client) => client.del(lockOf(key)));
    }
    onRecovered(`${isolated.length} damaged values in Redis were rebuilt from the stored screenings`);
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    try {
      for (let batch = new Map(waiting); batch.size > 0; batch = new Map(waiting)) {
        waiting.clear();
        for (const key of batch.keys()) repairing.add(key);
        await repair(batch).finally(() => repairing.clear());
      }
    } catch (error) {
      // Reported again by the next reader of the value.
      onError(`rebuilding damaged values in Redis failed and will be retried: ${reasonOf(error)}`);
    } finally {
      isRunning = false;
    }
  };

  return {
    /** A value could not be read. It is reported once, and rebuilt unless another process does that. */
    report: (key: string, value: Buffer): void => {
      if (!reported.has(key)) {
        reported.add(key);
        onError(`a value in Redis is damaged and is rebuilt from the stored screenings: ${key}`);
      }
      if (repairing.has(key) || clock() - (triedAt.get(key) ?? Number.NEGATIVE_INFINITY) < RETRY_MS) return;
      // Copied: the value is a slice of a larger buffer.
      waiting.set(key, Buffer.from(value));
      if (!isRunning) void run();
    },
    damaged: (): number => reported.size,
    repairing: (): number => repairing.size + waiting.size,
  };
};
export type Repair = ReturnType<typeof makeRepair>;
