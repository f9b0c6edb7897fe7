import {
  type Facts,
  firstAt,
  hash53,
  historyAt,
  kindIndex,
  LAST_AT,
  makeSlab,
  measureEntity,
  newProfile,
  newShelf,
  type Profile,
  type Said,
  type Subject,
  tellProfile,
} from '@portcullis/engine';
import { Unavailable } from './backend.ts';
import type { Counters, Decided } from './counters.ts';
import { makeBatches } from './redis-batch.ts';
import type { Waiting } from './redis-entities.ts';
import { Away, openLink } from './redis-link.ts';
import { makeMarker } from './redis-marker.ts';
import type { Missed } from './redis-missed.ts';
import { cancelStep, compactStep, makeOutbox, parcelOf, profileStep, type Step, settleStep } from './redis-outbox.ts';
import { labelParcel, missedStep } from './redis-parcels.ts';
import { profileRecord, readProfile } from './redis-profile.ts';
import { type Compacted, makeKeys, readHistory } from './redis-records.ts';
import { makeTide, type Open } from './redis-tide.ts';
import { makeWatch } from './redis-watch.ts';
import { type StoredSubject, storedSubject } from './stored-history.ts';

export interface RedisCountersOptions {
  readonly url: string;
  /** What all keys begin with. Installations that share a Redis must have different ones. */
  readonly prefix: string;
  /** Whether anything was ever screened: histories that are missing then were lost. */
  readonly hasStored: () => Promise<boolean>;
  /** Where it is noted that something is remembered. */
  readonly missed: Missed;
  /** What somebody should know of, each time it begins; and that it is over. */
  readonly onFault: (message: string) => void;
  readonly onRecovered: (message: string) => void;
  /** What somebody should put right before it becomes a fault. */
  readonly onWarning: (message: string) => void;
  /** For tests: how long to wait for an answer, how much may wait for Redis, and from how many records on a history is folded for good. */
  readonly limitMs?: number;
  readonly mostBytes?: number;
  readonly compactFrom?: () => number | undefined;
}

/** What a person asks for may take longer than a screening. */
const READ_MS = 1000;
/** How often the same refusal is told. */
const REFUSED_MS = 30_000;
const CLOSING_MS = 2000;
/** Batches under way beyond which no more screenings are taken: as many as a server that answers in time lets come together. */
const MOST_FLYING = 500;

/** Only what was refused as a whole says so; other answers of a store mean that it was taken. */
const isWritten = (outcome: unknown): boolean =>
  !(typeof outcome === 'object' && outcome !== null && (outcome as { written?: unknown }).written === false);

/** Not made where it is handed over: it would keep all that is in sight there, the whole request, for as long as Redis is away. */
const lessLeft = (...of: readonly (Open | undefined)[]): { onTold?: () => void } => {
  const open = of.filter((one) => one !== undefined);
  if (open.length === 0) return {};
  const onTold = (): void => {
    for (const one of open) one.left--;
  };
  return { onTold };
};

/** Histories and profiles in Redis, shared by all processes. While it is away screening goes on without them, and what it misses is told later. */
export const openRedisCounters = async (options: RedisCountersOptions) => {
  const keys = makeKeys(options.prefix);
  let unavailable = 0;
  let compactions = 0;
  let pending = 0;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let catchUp = (): void => {};

  const link = await openLink({
    url: options.url,
    key: keys.marker(0),
    limitMs: options.limitMs,
    onAway: (reason) =>
      options.onFault(`Redis does not answer (${reason}): screening goes on without histories, which are unavailable`),
    onBack: (awayMs) => {
      options.onRecovered(
        `Redis answers again after ${awayMs} ms: histories are read again, and what was missed is counted`,
      );
      catchUp();
    },
    onRefused: (reason) => {
      if (Date.now() - refusedAt > REFUSED_MS)
        options.onFault(`Redis refuses what it is told (${reason}): some histories are unavailable`);
      refusedAt = Date.now();
    },
  });

  const tide = makeTide(link, keys);
  if (link.isHere()) await tide.start();

  // What a compaction under way is about: others that read the same tail meanwhile need not do the same.
  const compacting = new Set<string>();
  const compact = (key: string, compacted: Compacted): void => {
    if (compacting.has(key)) return;
    compacting.add(key);
    compactions++;
    const onTold = (): void => void compacting.delete(key);
    outbox.push(parcelOf([[key, compactStep(compacted)]], { onTold, isOptional: true }));
  };
  const readSlab = makeSlab(2 ** 12);
  const compactProfile = async (key: string): Promise<void> => {
    const value = await link.ask((client) => client.getBuffer(key));
    readSlab.clear();
    if (value !== null) readProfile(readSlab, value, (compacted) => compact(key, compacted));
  };
  const outbox = makeOutbox(link, {
    onLongProfile: (key) => void compactProfile(key).catch(() => {}),
    onKept: () => watch.onKept(),
    onLost: () => watch.onLost(),
    ...(options.mostBytes === undefined ? {} : { mostBytes: options.mostBytes }),
  });
  const { missed, onFault, onWarning } = options;
  const marker = makeMarker(link, keys, options.hasStored);
  const watch = makeWatch({ link, marker, missed, remembers: () => outbox.stats().waiting > 0, onFault, onWarning });
  await watch.look();

  /** The write has arrived: what Redis counted stays, and what it missed is told. */
  const settle = (waiting: Waiting, { verdict }: Decided, counted: number): void => {
    const { tenant, subject, seq, open, isNewDay } = waiting;
    const profile = profileStep(isNewDay, profileRecord(subject, seq, verdict));
    outbox.push(parcelOf([[keys.profile(tenant, subject.hashes[kindIndex.user] as number), profile]]));
    const missed = waiting.entities.filter(({ isTold }) => !isTold);
    if (missed.length === 0) {
      if (open !== undefined) open.left--;
      return;
    }
    const puts = missed.map(({ key, kind }) => missedStep(key, kind, subject, seq));
    const settled = missed.map(({ key, kind }): Step => [key, settleStep(kind, seq, counted)]);
    outbox.push(parcelOf(puts, { after: parcelOf(settled, lessLeft(open)) }));
  };
  const cancel = ({ seq, open, entities }: Waiting): void => {
    const asked = entities.filter(({ wasAsked }) => wasAsked);
    if (asked.length === 0) return;
    const steps = asked.map(({ key, kind }): Step => [key, cancelStep(kind, seq)]);
    outbox.push(parcelOf(steps, lessLeft(open)));
  };

  const batches = makeBatches(link, keys, tide, {
    onChanged: ({ steps, of }) => void outbox.tell(parcelOf(steps, lessLeft(...of))),
    onDecided: (waiting, decided, counted) => {
      pending++;
      decided.stored
        .then(
          (outcome) => (isWritten(outcome) ? settle(waiting, decided, counted) : cancel(waiting)),
          () => cancel(waiting),
        )
        .catch((error: unknown) => onFault(`Redis could not be told of a screening: ${String(error)}`))
        .finally(() => pending--);
    },
    onFailed: cancel,
    onPartial: () => {
      unavailable++;
    },
    onUnreadable: ({ message }) => onFault(message),
    onLong: compact,
    ...(options.compactFrom === undefined ? {} : { compactFrom: options.compactFrom }),
  });

  /** A user who is known by what was counted, before the first of it has stayed. */
  const emptyProfile = (first: number, last: number): Profile => {
    const told = tellProfile(readSlab, newProfile(readSlab, newShelf(readSlab), first));
    return { ...told, lastAt: last };
  };

  const profileOf = (history: Buffer, profile: Buffer | null, now: number, facts: Facts): Profile => {
    readSlab.clear();
    const shelf = readHistory(readSlab, kindIndex.user, history, tide.isCertain, () => {});
    measureEntity(readSlab, shelf, 0, kindIndex.user, now, facts);
    const at = historyAt(readSlab, shelf, 0);
    if (profile === null) return emptyProfile(firstAt(readSlab, at), readSlab.f64[at + LAST_AT] as number);
    const told = readProfile(readSlab, profile, () => {});
    return tellProfile(readSlab, told);
  };

  catchUp = () => {
    void watch.look();
    void outbox.drain().then(watch.look);
  };
  return {
    count: <T extends Decided>(
      tenant: number,
      subject: Subject,
      seq: number,
      decide: (facts: Facts) => T,
    ): Promise<T> =>
      new Promise((resolve, reject) =>
        batches.add({
          tenant,
          subject,
          seq,
          decide,
          resolve: resolve as (decided: Decided) => void,
          reject,
          entities: [],
          open: undefined,
          isNewDay: false,
        }),
      ),
    /** Counted once it is durable, and answered once it is counted: the next screening knows of it, whoever makes it. */
    label: async <T>(
      tenant: number,
      of: StoredSubject,
      said: Said | undefined,
      seq: number,
      write: () => Promise<T>,
    ): Promise<T> => {
      const outcome = await write();
      if (said !== undefined && isWritten(outcome))
        await outbox.tell(labelParcel(keys, tenant, storedSubject(of).subject, said, seq));
      return outcome;
    },
    user: async (tenant: number, userId: string, now: number, facts: Facts): Promise<Profile | undefined> => {
      const hash = hash53(userId);
      const both = [keys.history(tenant, kindIndex.user, hash), keys.profile(tenant, hash)] as const;
      outbox.flush();
      try {
        if (!link.answersFor(both[0])) throw new Away('Redis does not answer');
        const [history, profile] = await link.ask((client) => client.mgetBuffer([...both]), READ_MS);
        return history == null ? undefined : profileOf(history, profile ?? null, now, facts);
      } catch {
        throw new Unavailable('the histories cannot be read now');
      }
    },
    /** For what else is kept there. */
    link,
    /** Also while Redis is away: screening goes on. */
    isReady: (): boolean => batches.flying() < MOST_FLYING,
    /** Whether all that was counted so far has been told. */
    isIdle: (): boolean => batches.isIdle() && outbox.isIdle() && compacting.size === 0 && !tide.isTelling(),
    stats: () => ({ isHere: link.isHere(), unavailable, compactions, ...watch.stats(), ...outbox.stats() }),
    /** Tells what is left, for a while, and leaves. */
    close: async (): Promise<void> => {
      const until = Date.now() + CLOSING_MS;
      const isDone = (): boolean =>
        pending === 0 && batches.isIdle() && !outbox.isTelling() && (outbox.isIdle() || !link.isHere());
      while (!isDone() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
      await watch.close().catch((error: unknown) => onFault(`That could not be noted: ${String(error)}`));
      link.close();
    },
  } satisfies Counters & Record<string, unknown>;
};
export type RedisCounters = Awaited<ReturnType<typeof openRedisCounters>>;
