import { ENTITY_KINDS, type Facts, NOT_HAD, type Subject } from '@portcullis/engine';
import type { Decided } from './counters.ts';
import { type Keys, RECORD_BYTES, writeScreening } from './redis-records.ts';
import type { Open } from './redis-tide.ts';

/** One screening that waits to be counted. */
export interface Waiting {
  readonly tenant: number;
  readonly subject: Subject;
  readonly seq: number;
  readonly decide: (facts: Facts) => Decided;
  readonly resolve: (decided: Decided) => void;
  readonly reject: (error: unknown) => void;
  /** Those who take part in it. */
  readonly entities: Entity[];
  /** Where a record of it may be in Redis under our number: until when it is not certain that it stays. */
  open: Open | undefined;
  /** Whether it is its user's first of a day. */
  isNewDay: boolean;
}

/** An entity that takes part in one screening of a batch or in several. */
export interface Entity {
  readonly key: string;
  readonly tenant: number;
  readonly kind: number;
  readonly members: Waiting[];
  /** Redis was asked for it: the records may be there. */
  wasAsked: boolean;
  /** Redis answered: they are. */
  isTold: boolean;
  value: Buffer | null | undefined;
  /** Its history in the slab while the batch is decided: 0 for none, NOT_HAD where it could not be had. */
  shelf: number;
  /** How many of its members are decided. */
  done: number;
  /** Another with the same hash. */
  readonly next: Entity | undefined;
}

const KINDS = ENTITY_KINDS.length;

/** All who take part in a batch, each once. They are told apart by their numbers: to make a name for each, to compare, costs as much as to read it. */
export const entitiesOf = (batch: readonly Waiting[], keys: Keys): Entity[] => {
  const all: Entity[] = [];
  const byHash = new Map<number, Entity>();
  for (const waiting of batch) {
    const { tenant, subject } = waiting;
    for (let kind = 0; kind < KINDS; kind++) {
      const hash = subject.hashes[kind] as number;
      if (hash === 0) continue;
      const first = byHash.get(hash);
      let entity = first;
      while (entity !== undefined && (entity.kind !== kind || entity.tenant !== tenant)) entity = entity.next;
      if (entity === undefined) {
        entity = {
          key: keys.history(tenant, kind, hash),
          tenant,
          kind,
          members: [],
          wasAsked: false,
          isTold: false,
          value: undefined,
          shelf: NOT_HAD,
          done: 0,
          next: first,
        };
        byHash.set(hash, entity);
        all.push(entity);
      }
      entity.members.push(waiting);
      waiting.entities.push(entity);
    }
  }
  return all;
};

/** The records of all entities, one behind the other, those of each with their length in front. */
export const recordsOf = (entities: readonly Entity[], writer: number): Buffer => {
  let total = 0;
  for (const { kind, members } of entities) total += 2 + (RECORD_BYTES[kind] as number) * members.length;
  const records = Buffer.allocUnsafe(total);
  const view = new DataView(records.buffer, records.byteOffset, total);
  let at = 0;
  for (const { kind, members } of entities) {
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
