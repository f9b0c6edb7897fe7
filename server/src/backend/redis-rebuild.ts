import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  addHistory,
  countedAs,
  ENTITY_KINDS,
  type Facts,
  kindIndex,
  makeSlab,
  newShelf,
  observe,
  observeLabel,
  readShelf,
  type Said,
  type Subject,
  unpackVerdict,
} from '@portcullis/engine';
import { firstSeqAt } from '../ids.ts';
import type { Backend } from './backend.ts';
import { countStored, isLabel, type Stored, storedBetween } from './history-pages.ts';
import { type Link, openLink } from './redis-link.ts';
import { makeMarker } from './redis-marker.ts';
import { makeMissed } from './redis-missed.ts';
import { foldShown } from './redis-profile.ts';
import { baseOf, type Keys, makeKeys, RECORD_BYTES, throughBytes } from './redis-records.ts';
import { saidBy, storedSubject } from './stored-history.ts';

/**
 * Makes the histories in Redis anew from what is stored, while the service goes on. All that is stored up to a number is folded beside
 * those in use, and then takes the place of what these hold up to that number; what came later stays behind it.
 */

/** What is older than this is durable or never will be: no commit takes so long. */
const DURABLE_MS = 15_000;
const ROUNDS = 3;
/** Words of memory for histories being folded; when it is full they are put aside in Redis, and read again when needed. */
const MOST_WORDS = 2 ** 23;
const TOGETHER = 500;
const LIMIT_MS = 10_000;
/** One that was broken off leaves nothing for good. */
const ASIDE_MS = 24 * 3_600_000;

/** What `restore` answers. */
const BUSY = 0;
const DONE = 1;

const inChunks = async <T>(items: Iterable<T>, act: (item: T) => Promise<unknown>): Promise<void> => {
  let chunk: Promise<unknown>[] = [];
  for (const item of items) {
    chunk.push(act(item));
    if (chunk.length < TOGETHER) continue;
    await Promise.all(chunk);
    chunk = [];
  }
  await Promise.all(chunk);
};

type Folded =
  | {
      readonly seq: number;
      readonly tenant: number;
      readonly subject: Subject;
      readonly facts: Facts;
      readonly verdict: string;
    }
  | { readonly seq: number; readonly tenant: number; readonly subject: Subject; readonly said: Said };
/** Labels that change nothing, and those whose screening is gone, are left out. */
const foldedOf = (row: Stored): Folded | undefined => {
  if (!isLabel(row)) return { ...row, ...storedSubject(row) };
  const said = saidBy(row);
  if (row.type === null || said === undefined) return undefined;
  return { seq: row.seq, tenant: row.tenant, subject: storedSubject(row).subject, said };
};

/** Histories and profiles while they are made anew, under keys of their own, as many in memory as there is room for. */
const makeFold = (link: Link, keys: Keys, run: string, mostWords: number) => {
  const slab = makeSlab(2 ** 16);
  const shelves = new Map<string, number>();
  let isAnyAside = false;
  const liveKeys = ({ tenant, subject, ...row }: Folded): string[] => [
    ...ENTITY_KINDS.flatMap((_, kind) => {
      const hash = subject.hashes[kind] as number;
      return hash === 0 ? [] : [keys.history(tenant, kind, hash)];
    }),
    ...('said' in row ? [] : [keys.profile(tenant, subject.hashes[kindIndex.user] as number)]),
  ];
  const load = async (wanted: Iterable<string>): Promise<void> => {
    const missing = [...new Set(wanted)].filter((key) => !shelves.has(key));
    await inChunks(missing, async (key) => {
      const base = !isAnyAside ? null : await link.ask((client) => client.getBuffer(keys.anew(run, key)));
      shelves.set(key, base === null ? 0 : readShelf(slab, base));
    });
  };
  const putAside = async (): Promise<void> => {
    await inChunks(shelves, async ([key, shelf]) => {
      if (shelf === 0) return;
      await link.ask((client) => client.set(keys.anew(run, key), baseOf(slab, shelf), 'PX', ASIDE_MS));
    });
    isAnyAside = true;
    shelves.clear();
    slab.clear();
  };

  const foldScreening = (row: Folded & { facts: Facts }, only: ReadonlySet<string> | undefined): void => {
    const { tenant, subject, facts } = row;
    const counted = countedAs(subject, facts);
    for (let kind = 0; kind < ENTITY_KINDS.length; kind++) {
      const hash = subject.hashes[kind] as number;
      const key = keys.history(tenant, kind, hash);
      if (hash === 0 || only?.has(key) === false) continue;
      const before = shelves.get(key) as number;
      const shelf = before === 0 ? addHistory(slab, newShelf(slab), 0, subject.at) : before;
      shelves.set(key, observe(slab, shelf, 0, kind, subject, counted));
    }
    const key = keys.profile(tenant, subject.hashes[kindIndex.user] as number);
    if (only?.has(key) !== false && 'verdict' in row)
      shelves.set(key, foldShown(slab, shelves.get(key) as number, subject, unpackVerdict(row.verdict)));
  };
  const foldLabel = (
    { tenant, subject, said }: Folded & { said: Said },
    only: ReadonlySet<string> | undefined,
  ): void => {
    for (let kind = 0; kind < ENTITY_KINDS.length; kind++) {
      const hash = subject.hashes[kind] as number;
      const key = keys.history(tenant, kind, hash);
      const before = hash === 0 || only?.has(key) === false ? 0 : (shelves.get(key) as number);
      if (before !== 0) shelves.set(key, observeLabel(slab, before, 0, kind, said));
    }
  };
  return {
    /** Folds a page in, of these keys only where some are given. */
    fold: async (page: readonly Stored[], only?: ReadonlySet<string>): Promise<void> => {
      const rows = page.map(foldedOf).filter((row) => row !== undefined);
      await load(rows.flatMap(liveKeys).filter((key) => only?.has(key) !== false));
      for (const row of rows) 'said' in row ? foldLabel(row, only) : foldScreening(row, only);
      if (slab.used() > mostWords) await putAside();
    },
    putAside,
  };
};

export interface RebuildOptions {
  readonly backend: Backend;
  readonly url: string;
  readonly prefix: string;
  readonly clock?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
  /** It waits so long until what was screened last is sure to be stored. */
  readonly onWaiting?: (ms: number) => void;
  readonly onFolded?: (done: number, total: number) => void;
  readonly onRestored?: (done: number) => void;
  /** For tests: the memory it may take. */
  readonly mostWords?: number;
}

export interface Rebuilt {
  /** Screenings and labels that were folded. */
  readonly rows: number;
  /** Histories and profiles that were made. */
  readonly restored: number;
  /** Those so busy that what was counted in the last seconds was left out. */
  readonly forced: number;
  /** Whether all is there now; if not, something was lost since it began. */
  readonly isWhole: boolean;
}

export const rebuildHistories = async (options: RebuildOptions): Promise<Rebuilt> => {
  const { backend, clock = Date.now, pause = setTimeout } = options;
  const startedAt = clock();
  const keys = makeKeys(options.prefix);
  let away: string | undefined;
  const link = await openLink({
    url: options.url,
    key: keys.marker(0),
    limitMs: LIMIT_MS,
    onAway: (reason) => {
      away = reason;
    },
    onBack: () => {},
    onRefused: () => {},
  });
  const run = `r${randomBytes(4).toString('hex')}`;
  const sizes = new Map(ENTITY_KINDS.map((_, kind) => [String(kind), RECORD_BYTES[kind] as number]));
  /** A key tells the kind of its entity; a profile's records each tell their length. */
  const sizeOf = (live: string): number =>
    /:p:\{[^}]*\}$/.test(live) ? 0 : (sizes.get(/\{\d+:(\d+):/.exec(live)?.[1] ?? '') ?? 0);
  try {
    if (away !== undefined) throw new Error(`Redis does not answer: ${away}`);
    const { fold, putAside } = makeFold(link, keys, run, options.mostWords ?? MOST_WORDS);
    const nowDurable = (): number => firstSeqAt(clock() - DURABLE_MS);
    const restore = (live: string, evenIfBusy: boolean): Promise<unknown> => {
      const args = [throughBytes(upTo), String(sizeOf(live)), evenIfBusy ? '1' : '0'];
      return link.run('restore', [live, keys.anew(run, live)], args);
    };

    const marker = makeMarker(link, keys, async () => true, clock);
    // What those who ended remembered is among what is folded now, and lost if this does not come to its end.
    const missed = makeMissed(backend);
    const ended = await missed.ended(startedAt);
    if (ended.length > 0) await marker.setLost();
    for (const process of ended) await missed.forget(process);
    const states = await marker.states();

    let upTo = 0;
    const began = firstSeqAt(startedAt + 1);
    const total = await countStored(backend, began);
    let rows = 0;
    const foldUpTo = async (next: number): Promise<void> => {
      for await (const page of storedBetween(backend, upTo, next)) {
        await fold(page);
        rows += page.length;
        options.onFolded?.(Math.min(rows, total), total);
      }
      upTo = Math.max(upTo, next);
    };
    await foldUpTo(nowDurable());
    // All that was screened before it began must be in it: the last of that may be stored only now.
    const waitMs = startedAt + DURABLE_MS - clock();
    if (waitMs > 0) {
      options.onWaiting?.(waitMs);
      await pause(waitMs);
    }
    await foldUpTo(began);
    await putAside();

    let restored = 0;
    let forced = 0;
    let busy = new Set<string>();
    const restoreAll = async (live: Iterable<string>, isLast: boolean): Promise<void> =>
      inChunks(live, async (key) => {
        const done = await restore(key, false);
        if (done === BUSY && !isLast) busy.add(key);
        if (done === BUSY && isLast) {
          forced++;
          await restore(key, true);
        }
        if (done !== DONE && !(done === BUSY && isLast)) return;
        restored++;
        options.onRestored?.(restored);
      });
    for await (const anew of link.scan(keys.allAnew(run)))
      await restoreAll(
        anew.map((key) => keys.live(run, key)),
        false,
      );

    // Those whose base in use holds later ones already: once more, up to a later number, which takes no time.
    for (let round = 2; round <= ROUNDS && busy.size > 0; round++) {
      const again = busy;
      busy = new Set();
      const from = upTo;
      upTo = Math.max(upTo, nowDurable());
      for await (const page of storedBetween(backend, from, upTo)) await fold(page, again);
      await putAside();
      await restoreAll(again, round === ROUNDS);
    }
    return { rows, restored, forced, isWhole: await marker.mend(states) };
  } finally {
    link.close();
  }
};
