import { ENTITY_KINDS, HISTORY_UNAVAILABLE, type Subject } from '@portcullis/engine';
import type { CountedScreening, DecideGathered } from '../counters.ts';
import type { Keys } from './keys.ts';
import { RECORD_BYTES, writeScreening } from './record.ts';
import type { UnsettledScreening } from './watermarks.ts';

/** A screening whose facts are measured. */
export interface MeasuredScreening {
  readonly tenant: number;
  readonly subject: Subject;
  readonly seq: number;
  /** The entities that take part in it. */
  readonly entities: Entity[];
  /** Set where Redis may hold a record of it under our writer number. */
  unsettled: UnsettledScreening | undefined;
  /** Whether it is its user's first screening of a day. */
  isNewDay: boolean;
}

/** A screening that waits to be counted. */
export interface PendingScreening extends MeasuredScreening {
  readonly counted: CountedScreening;
  readonly decide: DecideGathered<CountedScreening>;
  readonly fail: (screening: CountedScreening, error: unknown) => void;
}

/** An entity that takes part in one or more screenings of a batch. */
export interface Entity {
  readonly key: string;
  readonly tenant: number;
  readonly kind: number;
  readonly screenings: MeasuredScreening[];
  /** The records were sent to Redis, so they may be there. */
  wasSent: boolean;
  /** Redis has answered, so the records are there. */
  isCounted: boolean;
  value: Buffer | null | undefined;
  /** When histories on its server were lost; undefined where they are complete. */
  lostAt: number | undefined;
  /** Its history may lack all that came before the loss. */
  isPartial: boolean;
  /**
   * Position of its history in the arena while the batch is decided: 0 for none, HISTORY_UNAVAILABLE where it was not
   * read.
   */
  group: number;
  /** How many of its screenings are decided. */
  decided: number;
  readonly check: number;
  /** Another entity with the same key of its identity. */
  readonly next: Entity | undefined;
}

const KINDS = ENTITY_KINDS.length;

/**
 * The entities of a batch, each once. They are compared by numbers: making a key for each comparison costs as much as
 * reading the value.
 */
export const entitiesOf = (batch: readonly MeasuredScreening[], keys: Keys): Entity[] => {
  const all: Entity[] = [];
  const byKey = new Map<number, Entity>();
  for (const screening of batch) {
    const { tenant, subject } = screening;
    for (let kind = 0; kind < KINDS; kind++) {
      const hash = subject.hashes[kind] as number;
      if (hash === 0) continue;
      const check = subject.checks[kind] as number;
      const first = byKey.get(hash);
      let entity = first;
      while (entity !== undefined && (entity.check !== check || entity.kind !== kind || entity.tenant !== tenant))
        entity = entity.next;
      if (entity === undefined) {
        entity = {
          key: keys.history(tenant, kind, subject),
          tenant,
          kind,
          screenings: [screening],
          wasSent: false,
          isCounted: false,
          value: undefined,
          lostAt: undefined,
          isPartial: false,
          group: HISTORY_UNAVAILABLE,
          decided: 0,
          check,
          next: first,
        };
        byKey.set(hash, entity);
        all.push(entity);
      } else entity.screenings.push(screening);
      screening.entities.push(entity);
    }
  }
  return all;
};

/** The records of all entities, concatenated. Those of each entity follow their total length. */
export const recordsOf = (entities: readonly Entity[], writer: number): Buffer => {
  let total = 0;
  for (const { kind, screenings } of entities) total += 2 + (RECORD_BYTES[kind] as number) * screenings.length;
  const records = Buffer.allocUnsafe(total);
  const view = new DataView(records.buffer, records.byteOffset, total);
  let at = 0;
  for (const { kind, screenings } of entities) {
    const size = RECORD_BYTES[kind] as number;
    view.setUint16(at, size * screenings.length, true);
    at += 2;
    for (const { subject, seq } of screenings) {
      writeScreening(view, at, kind, subject, seq, writer);
      at += size;
    }
  }
  return records;
};
