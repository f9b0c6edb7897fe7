import type { MemberShare } from '@portcullis/contract';
import { MEASURED_MEMBERS, SUBJECT_TYPES } from '@portcullis/contract/values';
import { NO_NAME } from '../search/sums.ts';
import { DAY_MS, HOUR_MS, type SumStatsDeps } from './range.ts';

/** How many requests of the last 24 hours, and of the hour that has begun, had each of the measured members. */
export const sharesOfMembers = async (
  { sums }: Pick<SumStatsDeps, 'sums'>,
  tenant: number,
  now: number,
): Promise<MemberShare[]> => {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const span = { from: hour - DAY_MS, until: hour + HOUR_MS };
  const shares = SUBJECT_TYPES.map(async (type) => {
    const names = MEASURED_MEMBERS[type];
    const totals = await sums.totals({ tenant, kind: 'member', type }, span, names.length + 1);
    const itemsOf = (name: string): number => totals.find((sum) => sum.name === name)?.items ?? 0;
    const requests = itemsOf(NO_NAME);
    return names.map((name) => ({ type, name, requests, share: requests === 0 ? null : itemsOf(name) / requests }));
  });
  return (await Promise.all(shares)).flat();
};
