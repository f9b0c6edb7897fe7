import type { Case } from '@portcullis/client';
import { useQueryClient } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { notify } from '../shell/notices.ts';

const HOUR_MS = 3_600_000;

const morning = (days: number): number => {
  const day = new Date();
  day.setDate(day.getDate() + days);
  return day.setHours(8, 0, 0, 0);
};
export const CHOICES: readonly (readonly [string, () => number])[] = [
  ['For 1 hour', () => Date.now() + HOUR_MS],
  ['For 4 hours', () => Date.now() + 4 * HOUR_MS],
  ['Until tomorrow, 8:00', () => morning(1)],
  ['For 3 days, until 8:00', () => morning(3)],
];

/** Sets a case aside until a time, or brings it back with `null`. A case cannot be set aside beyond its end. */
export const useSnooze = () => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  return async ({ case_id, expires_at }: Case, until: number | null): Promise<void> => {
    try {
      const time = until === null ? null : new Date(Math.min(until, Date.parse(expires_at))).toISOString();
      await client.cases.snooze(case_id, { until: time });
    } catch (error) {
      notify((error as Error).message);
    }
    await queries.invalidateQueries({ queryKey: [environment, 'case', case_id] });
    await queries.invalidateQueries({ queryKey: [environment, 'cases'] });
  };
};
