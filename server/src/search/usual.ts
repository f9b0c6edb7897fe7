import { type Usual, type UsualQuery, writeTimestamp } from '@portcullis/contract';
import { screeningsByNumber } from '../backend/journal-by-number.ts';
import type { Answer, AnyCall, Call } from '../http/route.ts';
import { notFound } from '../validation/errors.ts';
import { roundToCents } from './list.ts';
import { nameIn } from './names.ts';
import { prepareSearch, type SearchDeps } from './prepare-search.ts';
import { ENTITY_TERMS, type EntityTerm, entityTerm, NO_ENTITY, unpackTerms } from './terms.ts';
import { type EntityItem, readItems } from './user-store.ts';

/** Items that say what is usual. */
const LOOKED_AT = 500;
const RANKED = 10;
const DAY_MS = 24 * 3_600_000;

/** A value with the items that have it, the newest first. */
interface Ranked<Key> {
  readonly key: Key;
  readonly items: number;
  readonly newest: EntityItem;
}

/** The most frequent values, among equals the most recent. Items come newest first. */
const rank = <Key>(items: readonly EntityItem[], keyOf: (item: EntityItem) => Key | undefined): Ranked<Key>[] => {
  const counts = new Map<Key, { items: number; newest: EntityItem }>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const counted = counts.get(key);
    if (counted === undefined) counts.set(key, { items: 1, newest: item });
    else counted.items++;
  }
  return [...counts]
    .map(([key, counted]) => ({ key, ...counted }))
    .sort((a, b) => b.items - a.items || b.newest.seq - a.newest.seq)
    .slice(0, RANKED);
};

const toSighting = ({ items, newest }: Ranked<unknown>, value: string) => ({
  value,
  items,
  last_seen_at: writeTimestamp(newest.at),
});

/** The value that a share of the sorted values does not exceed. */
const quantile = (sorted: readonly number[], share: number): number =>
  roundToCents(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] as number);

const amountsOf = (items: readonly EntityItem[]): Usual['amount_usd'] => {
  const sorted = items.flatMap(({ usd }) => (usd === null ? [] : [usd])).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  return {
    p10: quantile(sorted, 0.1),
    p50: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    max: quantile(sorted, 1),
  };
};

const ENTITIES = {
  devices: 'device',
  networks: 'network',
  payment_fingerprints: 'fingerprint',
  counterparties: 'counterparty',
} as const satisfies Record<string, EntityTerm>;
type EntityField = keyof typeof ENTITIES;

/** The entities of the items, with names that are read from one screening each. */
const entitiesOf = async (
  { backend }: SearchDeps,
  { caller: { tenant }, tagOf }: Pick<AnyCall, 'caller' | 'tagOf'>,
  items: readonly EntityItem[],
): Promise<Pick<Usual, EntityField>> => {
  const terms = new Map(items.map((item) => [item, unpackTerms(item.terms)]));
  const ranked = (Object.entries(ENTITIES) as [EntityField, EntityTerm][]).map(([field, kind]) => {
    const place = ENTITY_TERMS.indexOf(kind);
    const termOf = (item: EntityItem): number | undefined => {
      const term = terms.get(item)?.[place];
      return term === NO_ENTITY ? undefined : term;
    };
    return { field, kind, values: rank(items, termOf) };
  });
  const numbers = [...new Set(ranked.flatMap(({ values }) => values.map(({ newest }) => newest.seq)))];
  const rows = await screeningsByNumber(backend, tenant, numbers);
  const named = ranked.map(({ field, kind, values }) => [
    field,
    values.flatMap((value) => {
      const row = rows.get(value.newest.seq);
      const name = row === undefined ? undefined : nameIn(row, kind, tagOf);
      return name === undefined ? [] : [toSighting(value, name)];
    }),
  ]);
  return Object.fromEntries(named) as Pick<Usual, EntityField>;
};

/** What a user usually does; undefined without an item. */
export const usualOf = async (
  deps: SearchDeps,
  call: Pick<AnyCall, 'caller' | 'tagOf'>,
  userId: string,
  query: UsualQuery,
): Promise<Usual | undefined> => {
  const { tenant } = call.caller;
  const { filter, range, as_of } = await prepareSearch(deps, call.caller, query);
  const term = entityTerm(deps.identities, tenant, 'user', userId);
  const { from, until = Number.MAX_SAFE_INTEGER } = filter;
  const items = (await readItems(deps.search, { tenant, term, range, limit: LOOKED_AT })).filter(
    ({ at }) => at >= from && at < until,
  );
  const times = items.map(({ at }) => at);
  if (items.length === 0) return undefined;
  const hours = Array.from({ length: 24 }, () => 0);
  for (const at of times) hours[new Date(at).getUTCHours()] = (hours[new Date(at).getUTCHours()] as number) + 1;
  return {
    user_id: userId,
    items: items.length,
    first_seen_at: writeTimestamp(Math.min(...times)),
    last_seen_at: writeTimestamp(Math.max(...times)),
    days: new Set(times.map((at) => Math.floor(at / DAY_MS))).size,
    amount_usd: amountsOf(items),
    hours,
    countries: rank(items, ({ country }) => country ?? undefined).map((one) => toSighting(one, one.key)),
    currencies: rank(items, ({ currency }) => currency ?? undefined).map((one) => toSighting(one, one.key)),
    ...(await entitiesOf(deps, call, items)),
    as_of,
  };
};

export const getUsual = async (deps: SearchDeps, call: Call<'getUsual'>): Promise<Answer> => {
  const usual = await usualOf(deps, call, call.params.user_id, call.query);
  if (usual === undefined) throw notFound('user, or none with an item of this time');
  return call.answer(usual);
};
