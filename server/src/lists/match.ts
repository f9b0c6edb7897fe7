import type { ListKind } from '@portcullis/contract';
import type { IdentitiesOf, Subject } from '@portcullis/engine';
import { FIRST_V4, FIRST_V6, GROUPS, makeKeys } from './entry-keys.ts';
import { makeFindMatches } from './find-matches.ts';
import { makeTable, type Table } from './hash-table.ts';

const MAX_LIST_NUMBERS = 256;
const NONE: readonly string[] = [];

/** A list for matching. Its entries refer to it by `id`. */
export interface NamedList {
  readonly id: string;
  readonly name: string;
}

interface TenantLists<L extends NamedList> {
  readonly table: Table;
  /** In order of creation. */
  readonly lists: L[];
  /** The number of each list in the table, by id. */
  readonly numbers: Map<string, number>;
  v4: readonly number[];
  v6: readonly number[];
}

const prefixLengthsOf = (table: Table, first: number, bits: number): number[] =>
  Array.from({ length: bits }, (_, prefix) => prefix).filter((prefix) => table.count(first + prefix) > 0);

const lowestFree = (taken: ReadonlySet<number>): number => {
  let number = 0;
  while (taken.has(number)) number++;
  return number;
};

/**
 * Finds the lists that match a subject, in memory. Tenants without lists pay one map lookup, and nothing is allocated
 * without a match. Expiry is checked by comparison with the time of the screening, not by the sweep.
 */
export const makeMatcher = <L extends NamedList>(identities: IdentitiesOf) => {
  const keys = makeKeys();
  const tenants = new Map<number, TenantLists<L>>();
  const marks = new Uint8Array(MAX_LIST_NUMBERS);
  const findMatches = makeFindMatches(keys, marks);

  const updatePrefixLengths = (own: TenantLists<L>): void => {
    own.v4 = prefixLengthsOf(own.table, FIRST_V4, 32);
    own.v6 = prefixLengthsOf(own.table, FIRST_V6, 128);
  };

  /** Returns the names of the marked lists and clears the marks. */
  const takeMarked = ({ lists, numbers }: TenantLists<L>): string[] => {
    const names: string[] = [];
    for (const { id, name } of lists) if (marks[numbers.get(id) as number] === 1) names.push(name);
    marks.fill(0);
    return names;
  };

  const ownOf = (tenant: number): TenantLists<L> => {
    let own = tenants.get(tenant);
    if (own === undefined) {
      own = { table: makeTable(GROUPS), lists: [], numbers: new Map(), v4: [], v6: [] };
      tenants.set(tenant, own);
    }
    return own;
  };
  const numberOf = (own: TenantLists<L>, id: string): number => own.numbers.get(id) as number;

  return {
    /** Names of the lists that match the subject, in order of creation. */
    matching: (tenant: number, subject: Subject): readonly string[] => {
      const own = tenants.get(tenant);
      if (own === undefined || own.table.size() === 0) return NONE;
      return findMatches(own, identities(tenant), subject) === 0 ? NONE : takeMarked(own);
    },
    tenants: (): number[] => [...tenants.keys()],
    lists: (tenant: number): readonly L[] => tenants.get(tenant)?.lists ?? [],
    hasList: (tenant: number, id: string): boolean => tenants.get(tenant)?.numbers.has(id) ?? false,
    /** Adds a list at the end, or replaces it. */
    putList: (tenant: number, list: L): void => {
      const own = ownOf(tenant);
      if (own.numbers.has(list.id)) {
        own.lists[own.lists.findIndex(({ id }) => id === list.id)] = list;
        return;
      }
      own.numbers.set(list.id, lowestFree(new Set(own.numbers.values())));
      own.lists.push(list);
    },
    dropList: (tenant: number, id: string): void => {
      const own = ownOf(tenant);
      own.table.removeList(numberOf(own, id));
      own.numbers.delete(id);
      own.lists.splice(
        own.lists.findIndex((list) => list.id === id),
        1,
      );
      updatePrefixLengths(own);
    },
    /** The list must exist. */
    add: (tenant: number, id: string, kind: ListKind, value: string, until: number | null): void => {
      const own = ownOf(tenant);
      const key = keys.keyOf(identities(tenant), kind, value);
      const isFirst = own.table.count(key.group) === 0;
      own.table.add(key, numberOf(own, id), until ?? Number.POSITIVE_INFINITY);
      if (isFirst) updatePrefixLengths(own);
    },
    /** Removes an entry that expires at `by` or before; without `by`, in any case. */
    remove: (tenant: number, id: string, kind: ListKind, value: string, by = Number.POSITIVE_INFINITY): void => {
      const own = tenants.get(tenant);
      if (own === undefined || !own.numbers.has(id)) return;
      const key = keys.keyOf(identities(tenant), kind, value);
      own.table.remove(key, numberOf(own, id), by);
      if (own.table.count(key.group) === 0) updatePrefixLengths(own);
    },
    has: (tenant: number, id: string, kind: ListKind, value: string, now: number): boolean => {
      const own = ownOf(tenant);
      return own.table.has(keys.keyOf(identities(tenant), kind, value), numberOf(own, id), now);
    },
    /** The number of unexpired entries of each list, by id. */
    counts: (tenant: number, now: number): Map<string, number> => {
      const own = ownOf(tenant);
      const counts = own.table.countLists(now);
      return new Map([...own.numbers].map(([id, number]) => [id, counts[number] as number]));
    },
    /** The number of entries, including expired ones that are not swept yet. */
    size: (tenant: number): number => tenants.get(tenant)?.table.size() ?? 0,
    endsAfter: (tenant: number, id: string, time: number): boolean => {
      const own = ownOf(tenant);
      return own.table.endsAfter(numberOf(own, id), time);
    },
    /** The prefix lengths of the networks on the lists. */
    prefixLengths: (tenant: number, family: 4 | 6): readonly number[] =>
      tenants.get(tenant)?.[family === 4 ? 'v4' : 'v6'] ?? NO_LENGTHS,
    bytes: (): number => [...tenants.values()].reduce((sum, { table }) => sum + table.bytes(), 0),
  };
};
const NO_LENGTHS: readonly number[] = [];
export type Matcher<L extends NamedList> = ReturnType<typeof makeMatcher<L>>;
