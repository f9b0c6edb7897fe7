import type { Verdict } from '@portcullis/engine';
import type { MeasuredScreening } from './entities.ts';
import type { Keys } from './keys.ts';
import { profileRecord } from './profile.ts';
import { activityByte } from './record.ts';
import type { RetryQueue } from './retry-queue.ts';
import {
  cancelStep,
  profileStep,
  type Step,
  screeningStep,
  settleProfileStep,
  settleStep,
  updateOf,
} from './updates.ts';
import { NO_WRITER, type UnsettledScreening } from './watermarks.ts';

/**
 * Counts down the events left of screenings when an update is done. A module function on purpose: a closure in the
 * caller would keep the whole request in memory while the update is queued.
 */
export const countDown = (...screenings: readonly (UnsettledScreening | undefined)[]): { onDone?: () => void } => {
  const unsettled = screenings.filter((one) => one !== undefined);
  if (unsettled.length === 0) return {};
  const onDone = (): void => {
    for (const one of unsettled) one.left--;
  };
  return { onDone };
};

/**
 * A screening was stored: adds it to the profile of its user, and puts the records that Redis missed. It is settled
 * once all of these have arrived: until then a retry must find them in the tails.
 */
export const settle = (
  queue: RetryQueue,
  keys: Keys,
  screening: MeasuredScreening,
  verdict: Verdict,
  activity: number,
  writer: number,
): void => {
  const { tenant, subject, seq, unsettled, isNewDay } = screening;
  const profileKey = keys.profile(tenant, subject);
  const missed = screening.entities.filter(({ isCounted }) => !isCounted);
  const record = profileRecord(subject, seq, missed.length === 0 ? writer : NO_WRITER, verdict);
  const profile: Step = [profileKey, profileStep(isNewDay, record)];
  if (missed.length === 0) {
    queue.push(updateOf([profile], countDown(unsettled)));
    return;
  }
  const puts = [...missed.map(({ key, kind }) => screeningStep(key, kind, subject, seq)), profile];
  const settled = [
    ...missed.map(({ key, kind }): Step => [key, settleStep(kind, seq, activityByte(subject, activity))]),
    [profileKey, settleProfileStep(seq)] as const,
  ];
  queue.push(updateOf(puts, { next: updateOf(settled, countDown(unsettled)) }));
};

/** A screening was not stored: removes the records that Redis may hold of it. */
export const cancel = (queue: RetryQueue, { seq, unsettled, entities }: MeasuredScreening): void => {
  const sent = entities.filter(({ wasSent }) => wasSent);
  if (sent.length === 0) return;
  const steps = sent.map(({ key, kind }): Step => [key, cancelStep(kind, seq)]);
  queue.push(updateOf(steps, countDown(unsettled)));
};
