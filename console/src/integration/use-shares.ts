import type { MemberShare } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';

type SubjectType = MemberShare['type'];
export interface Shares {
  /** Items of the last 24 hours. */
  readonly items: Readonly<Record<SubjectType, number>>;
  /** The share of items with each member, by type and name. */
  readonly shares: Readonly<Record<string, number>>;
}
export const keyOf = (type: SubjectType, name: string): string => `${type}.${name}`;

const toShares = (members: readonly MemberShare[]): Shares => {
  const count = (type: SubjectType): number => members.find((member) => member.type === type)?.requests ?? 0;
  return {
    items: { transaction: count('transaction'), event: count('event') },
    shares: Object.fromEntries(
      members.flatMap(({ type, name, share }) => (share === null ? [] : [[keyOf(type, name), share]])),
    ),
  };
};

/** How many items of the last 24 hours had each member. */
export const useShares = () => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'integration', 'shares'],
    queryFn: async ({ signal }): Promise<Shares> => toShares((await client.stats.getService({ signal })).members),
    refetchInterval: 10_000,
  });
};
