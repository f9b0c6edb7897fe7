import type { Delivery } from '@portcullis/client';
import { plural } from '../parts/format.ts';

export const HOUR_MS = 3_600_000;
export const HOURS = 24;
/** The largest page of the API. */
export const MOST = 100;

export type HourState = 'failed' | 'pending' | 'delivered' | 'none';
export interface Health {
  readonly hours: readonly HourState[];
  readonly words: string;
}

/** An attempt failed, and there will be others. A message that was not tried yet is no sign of trouble. */
const isRetried = ({ status, attempts }: Delivery): boolean => status === 'owed' && attempts.length > 0;

interface Lists {
  readonly failed: readonly Delivery[];
  readonly owed: readonly Delivery[];
  readonly delivered: readonly Delivery[];
}
/** The worst of each hour, the oldest hour first. */
export const healthOf = ({ failed, owed, delivered }: Lists, now: number): Health => {
  const first = now - HOURS * HOUR_MS;
  const hourOf = ({ created_at }: Delivery): number => Math.floor((Date.parse(created_at) - first) / HOUR_MS);
  const hours = Array.from({ length: HOURS }, (): HourState => 'none');
  const mark = (of: readonly Delivery[], state: HourState): void => {
    for (const one of of) {
      const hour = hourOf(one);
      if (hour >= 0 && hour < HOURS) hours[hour] = state;
    }
  };
  const retried = owed.filter(isRetried);
  mark(delivered, 'delivered');
  // A full page ends before the first hour. The hours before it have no failure unless they are marked below.
  if (delivered.length === MOST) hours.fill('delivered', 0, Math.max(0, hourOf(delivered.at(-1) as Delivery)));
  mark(retried, 'pending');
  mark(failed, 'failed');
  const count = (of: readonly Delivery[], word: string): string =>
    `${of.length === MOST ? 'over ' : ''}${of.length} ${word}`;
  const parts: string[] = [];
  if (delivered.length > 0) parts.push(count(delivered, 'delivered'));
  if (retried.length > 0) parts.push(count(retried, 'retrying'));
  if (failed.length > 0) parts.push(count(failed, 'failed'));
  return {
    hours,
    words: parts.length === 0 ? `No message in the last ${plural(HOURS, 'hour')}` : parts.join(', '),
  };
};
