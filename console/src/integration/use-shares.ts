import { useQuery } from '@tanstack/react-query';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { MEMBERS } from './members.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
type SubjectType = 'transaction' | 'event';
export interface Shares {
  /** Items of the last 24 hours. */
  readonly items: Readonly<Record<SubjectType, number>>;
  /** The share of items with each member, by type and name. */
  readonly shares: Readonly<Record<string, number>>;
}
export const keyOf = (type: SubjectType, name: string): string => `${type}.${name}`;

/** How many items of the last 24 hours had each member. Groups by personal data take a permission. */
export const useShares = () => {
  const client = useClient();
  const environment = useEnvironment();
  const isPersonal = useMay('read_personal');
  return useQuery({
    queryKey: [environment, 'integration', 'shares', isPersonal],
    queryFn: async ({ signal }): Promise<Shares> => {
      const from = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - DAY_MS).toISOString();
      const byType = await client.screenings.group({ by: 'type', from }, { signal });
      const count = (type: SubjectType): number => byType.groups.find(({ value }) => value === type)?.items ?? 0;
      const items = { transaction: count('transaction'), event: count('event') };
      const wanted = MEMBERS.flatMap(({ name, by, on }) => on.map((type) => ({ name, by, type }))).filter(
        ({ by, type }) => items[type] > 0 && (isPersonal || by === 'counterparty_id'),
      );
      const shares = await Promise.all(
        wanted.map(async ({ name, by, type }) => {
          const { groups } = await client.screenings.group({ by, type, from, limit: 100 }, { signal });
          const without = groups.find(({ value }) => value === null)?.items ?? 0;
          return [keyOf(type, name), Math.max(0, 1 - without / items[type])] as const;
        }),
      );
      return { items, shares: Object.fromEntries(shares) };
    },
    refetchInterval: 10_000,
  });
};
