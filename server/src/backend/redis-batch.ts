import {
  addHistory,
  countedAs,
  ENTITY_KINDS,
  type Facts,
  makeFacts,
  makeFound,
  makeSlab,
  measure,
  NOT_HAD,
  newShelf,
  observe,
  type Subject,
} from '@portcullis/engine';
import type { Decided } from './counters.ts';
import type { Link } from './redis-link.ts';
import {
  type Compacted,
  HEADER,
  isNewDay,
  type Keys,
  RECORD_BYTES,
  readHistory,
  Unreadable,
  writeScreening,
} from './redis-records.ts';
import type { Open, Tide } from './redis-tide.ts';

const KINDS = ENTITY_KINDS.length;
/** Screenings that share a call. */
const TOGETHER = 32;

/** One screening that waits to be counted. */
export interface Waiting {
  readonly tenant: number;
  readonly subject: Subject;
  readonly seq: number;
  readonly decide: (facts: Facts) => Decided;
  readonly open: Open;
  readonly resolve: (decided: Decided) => void;
  readonly reject: (error: unknown) => void;
}

/** What became of the record of a screening at one of its entities. */
export interface Told {
  readonly key: string;
  readonly kind: number;
  /** Where the record was appended; undefined where that is not known to have happened. */
  readonly offset: number | undefined;
  /** Whether it may be there nevertheless. */
  readonly wasAsked: boolean;
  readonly isNewDay: boolean;
}

/** An entity that takes part in one screening of a batch or several. */
interface Group {
  readonly key: string;
  readonly kind: number;
  readonly members: Waiting[];
  value: Buffer | null | undefined;
  wasAsked: boolean;
  /** Its history in the slab while the batch is decided: 0 for none, NOT_HAD where it could not be had. */
  shelf: number;
  /** How many of its members are decided. */
  done: number;
}

const groupsOf = (batch: readonly Waiting[], keys: Keys): { groups: Group[]; of: (Group | undefined)[][] } => {
  const byKey = new Map<string, Group>();
  const of = batch.map((waiting) =>
    ENTITY_KINDS.map((_, kind) => {
      const hash = waiting.subject.hashes[kind] as number;
      if (hash === 0) return undefined;
      const key = keys.history(waiting.tenant, kind, hash);
      let group = byKey.get(key);
      if (group === undefined) {
        group = { key, kind, members: [], value: undefined, wasAsked: false, shelf: NOT_HAD, done: 0 };
        byKey.set(key, group);
      }
      group.members.push(waiting);
      return group;
    }),
  );
  return { groups: [...byKey.values()], of };
};

/** The records of all groups, one behind the other, those of each with their length in front. */
const recordsOf = (groups: readonly Group[], writer: number): Buffer => {
  const total = groups.reduce((sum, { kind, members }) => sum + 2 + (RECORD_BYTES[kind] as number) * members.length, 0);
  const records = Buffer.allocUnsafe(total);
  const view = new DataView(records.buffer, records.byteOffset, total);
  let at = 0;
  for (const { kind, members } of groups) {
    const size = RECORD_BYTES[kind] as number;
    view.setUint16(at, size * members.length, true);
    at += 2;
    for (const { subject, seq } of members) {
      writeScreening(view, at, kind, subject, seq, writer);
      at += size;
    }
  }
  return records;
};

export interface BatchHooks {
  /** How a screening was decided and where its records are. */
  readonly onDecided: (waiting: Waiting, decided: Decided, counted: number, told: readonly Told[]) => void;
  readonly onFailed: (waiting: Waiting, told: readonly Told[]) => void;
  readonly onPartial: () => void;
  readonly onUnreadable: (error: Error) => void;
  readonly onLong: (key: string, compacted: Compacted) => void;
  /** Tests fold at other moments. */
  readonly compactFrom?: () => number | undefined;
}

/** Counts screenings that arrive together in one call: reads the histories they need, and appends their records, in one step. */
export const makeBatches = (link: Link, keys: Keys, tide: Tide, hooks: BatchHooks) => {
  // Reused from batch to batch: nothing of them is needed once the writes have set out.
  const slab = makeSlab(2 ** 14);
  const facts = makeFacts();
  const found = makeFound();
  const gathered: Waiting[] = [];
  let scheduled = false;
  let flying = 0;

  const read = (group: Group): void => {
    if (group.value === undefined) return;
    try {
      group.shelf =
        group.value === null
          ? 0
          : readHistory(
              slab,
              group.kind,
              group.value,
              tide.isCertain,
              (compacted) => hooks.onLong(group.key, compacted),
              hooks.compactFrom?.(),
            );
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      hooks.onUnreadable(error);
    }
  };

  const toldOf = (group: Group, { subject }: Waiting): Told => {
    const { key, kind, value, shelf, done, wasAsked } = group;
    const first = value === null ? HEADER : value?.length;
    return {
      key,
      kind,
      offset: first === undefined ? undefined : first + done * (RECORD_BYTES[kind] as number),
      wasAsked,
      isNewDay: shelf !== 0 && shelf !== NOT_HAD && isNewDay(slab, shelf, subject.at),
    };
  };
  /** Counts a screening in for those of the batch that come after it. */
  const countIn = (group: Group, subject: Subject, counted: number): void => {
    group.done++;
    if (group.done === group.members.length || group.shelf === NOT_HAD) return;
    const shelf = group.shelf === 0 ? addHistory(slab, newShelf(slab), 0, subject.at) : group.shelf;
    group.shelf = observe(slab, shelf, 0, group.kind, subject, counted);
  };

  const decideOne = (waiting: Waiting, of: readonly (Group | undefined)[]): void => {
    const { subject } = waiting;
    const there = of.filter((group) => group !== undefined);
    for (let kind = 0; kind < KINDS; kind++) found.shelf[kind] = of[kind]?.shelf ?? 0;
    measure(slab, found, subject, facts);
    const counted = countedAs(subject, facts);
    const told = there.map((group) => toldOf(group, waiting));
    if (there.some(({ shelf }) => shelf === NOT_HAD)) hooks.onPartial();
    for (const group of there) countIn(group, subject, counted);
    try {
      const decided = waiting.decide(facts);
      hooks.onDecided(waiting, decided, counted, told);
      waiting.resolve(decided);
    } catch (error) {
      hooks.onFailed(waiting, told);
      waiting.reject(error);
    }
  };
  const decideAll = (batch: readonly Waiting[], groups: readonly Group[], of: (Group | undefined)[][]): void => {
    slab.clear();
    groups.forEach(read);
    for (const [i, waiting] of batch.entries()) decideOne(waiting, of[i] as (Group | undefined)[]);
  };

  /** What cannot be had stays undefined. */
  const ask = async (groups: readonly Group[]): Promise<void> => {
    if (groups.length === 0) return;
    for (const group of groups) group.wasAsked = true;
    try {
      const values = await link.run(
        'count',
        groups.map(({ key }) => key),
        [recordsOf(groups, tide.writer())],
      );
      groups.forEach((group, i) => {
        group.value = (values as (Buffer | null)[])[i] ?? null;
      });
    } catch {
      // The link has told of it.
    }
  };
  const count = async (batch: readonly Waiting[]): Promise<void> => {
    const { groups, of } = groupsOf(batch, keys);
    const reachable = groups.filter(({ key }) => link.answersFor(key));
    flying++;
    tide.tell();
    if (link.isCluster()) await Promise.all(reachable.map((group) => ask([group])));
    else await ask(reachable);
    flying--;
    decideAll(batch, groups, of);
  };
  const flush = (): void => {
    scheduled = false;
    while (gathered.length > 0) {
      const batch = gathered.splice(0, TOGETHER);
      count(batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
    }
  };

  return {
    /** Counted with all others of this turn of the event loop. */
    add: (waiting: Waiting): void => {
      gathered.push(waiting);
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    },
    isIdle: (): boolean => gathered.length === 0 && flying === 0,
    /** How many batches are under way. */
    flying: (): number => flying,
  };
};
export type Batches = ReturnType<typeof makeBatches>;
