import {
  addHistory,
  countedAs,
  kindIndex,
  makeFacts,
  makeFound,
  makeSlab,
  measure,
  NOT_HAD,
  newShelf,
  observe,
} from '@portcullis/engine';
import type { Decided } from './counters.ts';
import { type Entity, entitiesOf, recordsOf, type Waiting } from './redis-entities.ts';
import type { Link } from './redis-link.ts';
import { countStep, type Step } from './redis-outbox.ts';
import { type Compacted, HEADER, isNewDay, type Keys, RECORD_BYTES, readHistory } from './redis-records.ts';
import type { Open, Tide } from './redis-tide.ts';

/** Screenings that share a call. */
const TOGETHER = 32;

/** What Redis could not know when it counted a batch, and of which screenings. */
interface Changes {
  readonly steps: Step[];
  readonly of: Open[];
}

export interface BatchHooks {
  /** Before any of the batch is answered: whoever asks after that must see a large payment as one. */
  readonly onChanged: (changes: Changes) => void;
  readonly onDecided: (waiting: Waiting, decided: Decided, counted: number) => void;
  readonly onFailed: (waiting: Waiting) => void;
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

  const read = (entity: Entity): void => {
    const { key, kind, value } = entity;
    if (value === undefined) return;
    const onLong = (compacted: Compacted): void => hooks.onLong(key, compacted);
    try {
      entity.shelf = value === null ? 0 : readHistory(slab, kind, value, tide.isCertain, onLong, hooks.compactFrom?.());
    } catch (error) {
      hooks.onUnreadable(error as Error);
    }
  };

  /** What a record turned out to be: a large payment, or the entity's first of a day, with which its key is given its time anew. */
  const change = (
    { subject, seq, open }: Waiting,
    entity: Entity,
    counted: number,
    isNew: boolean,
    to: Changes,
  ): void => {
    const { key, kind, value, done } = entity;
    if (!entity.isTold || open === undefined || (counted === subject.counted && !isNew)) return;
    const offset = (value?.length ?? HEADER) + done * (RECORD_BYTES[kind] as number);
    to.steps.push([key, countStep(kind, offset, isNew, seq, counted)]);
    if (to.of.at(-1) === open) return;
    to.of.push(open);
    open.left++;
  };
  /** Counts a screening in for those of the batch that come after it. */
  const countIn = (entity: Entity, { subject }: Waiting, counted: number): void => {
    entity.done++;
    if (entity.done === entity.members.length || entity.shelf === NOT_HAD) return;
    const shelf = entity.shelf === 0 ? addHistory(slab, newShelf(slab), 0, subject.at) : entity.shelf;
    entity.shelf = observe(slab, shelf, 0, entity.kind, subject, counted);
  };

  /** Measures what was known, and counts the screening in. Answers with what it counts as. */
  const gather = (waiting: Waiting, changes: Changes): number => {
    const { subject, entities } = waiting;
    found.shelf.fill(0);
    for (const { kind, shelf } of entities) found.shelf[kind] = shelf;
    measure(slab, found, subject, facts);
    const counted = countedAs(subject, facts);
    let isPartial = false;
    for (const entity of entities) {
      const { kind, shelf } = entity;
      const isNew = shelf !== 0 && shelf !== NOT_HAD && isNewDay(slab, shelf, subject.at);
      if (kind === kindIndex.user) waiting.isNewDay = isNew;
      if (shelf === NOT_HAD) isPartial = true;
      change(waiting, entity, counted, isNew, changes);
      countIn(entity, waiting, counted);
    }
    if (isPartial) hooks.onPartial();
    return counted;
  };
  const decideOne = (waiting: Waiting, changes: Changes): void => {
    try {
      const counted = gather(waiting, changes);
      const decided = waiting.decide(facts);
      hooks.onDecided(waiting, decided, counted);
      waiting.resolve(decided);
    } catch (error) {
      hooks.onFailed(waiting);
      waiting.reject(error);
    }
  };
  const decideAll = (batch: readonly Waiting[], entities: readonly Entity[]): void => {
    slab.clear();
    for (const entity of entities) read(entity);
    const changes: Changes = { steps: [], of: [] };
    for (const waiting of batch) decideOne(waiting, changes);
    // What came back is part of a larger piece of memory, which must not wait for commits.
    for (const entity of entities) entity.value = undefined;
    if (changes.steps.length > 0) hooks.onChanged(changes);
  };

  /** What cannot be had stays undefined. */
  const ask = async (entities: readonly Entity[]): Promise<void> => {
    try {
      const values = (await link.run(
        'count',
        entities.map(({ key }) => key),
        [recordsOf(entities, tide.writer())],
      )) as (Buffer | null)[];
      for (const [i, entity] of entities.entries()) {
        entity.value = values[i] ?? null;
        entity.isTold = true;
      }
    } catch {
      // The link has told of it.
    }
  };
  const count = async (batch: readonly Waiting[]): Promise<void> => {
    const entities = entitiesOf(batch, keys);
    const reachable = entities.filter(({ key }) => link.answersFor(key));
    for (const entity of reachable) entity.wasAsked = true;
    // What nothing is appended for under our number needs nobody's word that it stays.
    for (const waiting of batch)
      if (waiting.entities.some(({ wasAsked }) => wasAsked)) waiting.open = tide.begin(waiting.seq);
    flying++;
    tide.tell();
    if (link.isCluster()) await Promise.all(reachable.map((entity) => ask([entity])));
    else if (reachable.length > 0) await ask(reachable);
    flying--;
    decideAll(batch, entities);
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
