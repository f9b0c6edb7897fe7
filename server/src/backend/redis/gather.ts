import {
  type Arena,
  activityOf,
  addHistory,
  type Facts,
  firstAt,
  forgetOlder,
  HISTORY_UNAVAILABLE,
  historyAt,
  kindIndex,
  type makeHistoryLocations,
  measure,
  newEntityGroup,
  observe,
} from '@portcullis/engine';
import { isPartial } from './completeness.ts';
import type { Entity, MeasuredScreening } from './entities.ts';
import { activityByte, type Compaction, HEADER, isNewDay, RECORD_BYTES, readHistory } from './record.ts';
import { activityStep, RENEW_STEP, type Step } from './updates.ts';
import type { UnsettledScreening, Watermarks } from './watermarks.ts';

/** Corrections of a batch's records that needed the facts, and the screenings they belong to. */
export interface Corrections {
  readonly steps: Step[];
  readonly screenings: UnsettledScreening[];
  /** Renewals of the keys of entities on their first screening of a day. They need not arrive at once. */
  readonly renewals: Step[];
}
export const noCorrections = (): Corrections => ({ steps: [], screenings: [], renewals: [] });

/** What gathering a batch needs. Arena and locations are reused by every batch. */
export interface GatherState {
  readonly arena: Arena;
  readonly locations: ReturnType<typeof makeHistoryLocations>;
  readonly watermarks: Watermarks;
  readonly hooks: GatherHooks;
}
export interface GatherHooks {
  /** A screening is decided without all of its histories. */
  readonly onPartial: () => void;
  /** A value cannot be read. */
  readonly onDamaged: (key: string, value: Buffer) => void;
  readonly onLong: (key: string, compaction: Compaction) => void;
  /** For tests: compacts tails of other lengths. */
  readonly compactFrom?: () => number | undefined;
}

/** Reads the history of an entity into the arena. */
export const readEntity = ({ arena, watermarks, hooks }: GatherState, entity: Entity): void => {
  const { key, kind, value } = entity;
  if (value === undefined) return;
  const onLong = (compaction: Compaction): void => hooks.onLong(key, compaction);
  try {
    entity.group =
      value === null ? 0 : readHistory(arena, kind, value, watermarks.isSettled, onLong, hooks.compactFrom?.());
    const { group, lostAt } = entity;
    entity.isPartial = isPartial(lostAt, group === 0 ? undefined : firstAt(arena, historyAt(arena, group, 0)));
  } catch {
    hooks.onDamaged(key, value as Buffer);
  }
};

/** Corrects a record that is a large payment, and renews the expiry of the key on its first screening of a day. */
const addCorrections = (
  { subject, seq, unsettled }: MeasuredScreening,
  entity: Entity,
  activity: number,
  isNew: boolean,
  corrections: Corrections,
): void => {
  const { key, kind, value, decided } = entity;
  if (!entity.isCounted || unsettled === undefined) return;
  if (isNew) corrections.renewals.push([key, RENEW_STEP]);
  if (activity === subject.activity) return;
  const offset = (value?.length ?? HEADER) + decided * (RECORD_BYTES[kind] as number);
  corrections.steps.push([key, activityStep(kind, offset, seq, activityByte(subject, activity))]);
  if (corrections.screenings.at(-1) === unsettled) return;
  corrections.screenings.push(unsettled);
  unsettled.left++;
};

/** Adds a screening to the history in the arena, for the later screenings of the batch. */
const observeScreening = (arena: Arena, entity: Entity, { subject }: MeasuredScreening, activity: number): void => {
  entity.decided++;
  if (entity.decided === entity.screenings.length || entity.group === HISTORY_UNAVAILABLE) return;
  const group =
    entity.group === 0 ? addHistory(arena, newEntityGroup(arena), entity.kind, 0, 0, subject.at) : entity.group;
  entity.group = observe(arena, group, 0, entity.kind, subject, activity);
};

/** Fills the facts from the histories, then adds the screening to these. Returns the activity that it is counted as. */
export const gather = (
  { arena, locations, hooks }: GatherState,
  screening: MeasuredScreening,
  facts: Facts,
  corrections: Corrections,
): number => {
  const { subject, entities } = screening;
  locations.group.fill(0);
  for (const { kind, group } of entities) locations.group[kind] = group;
  measure(arena, locations, subject, facts);
  let isUnavailable = false;
  for (const { kind, group, lostAt, isPartial } of entities) {
    if (isPartial) forgetOlder(facts, kind, subject.at - (lostAt as number));
    isUnavailable ||= isPartial || group === HISTORY_UNAVAILABLE;
  }
  if (isUnavailable) hooks.onPartial();
  const activity = activityOf(subject, facts);
  for (const entity of entities) {
    const { kind, group } = entity;
    const isNew = group !== 0 && group !== HISTORY_UNAVAILABLE && isNewDay(arena, group, subject.at);
    if (kind === kindIndex.user) screening.isNewDay = isNew;
    addCorrections(screening, entity, activity, isNew, corrections);
    observeScreening(arena, entity, screening, activity);
  }
  return activity;
};
