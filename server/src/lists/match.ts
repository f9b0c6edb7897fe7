import type { ListKind } from '@portcullis/contract';
import type { Subject } from '@portcullis/engine';
import { FIRST_V4, FIRST_V6, GROUPS, makeKeys } from './keys.ts';
import { makeMarker } from './marker.ts';
import { makeTable, type Table } from './table.ts';

const MOST_LISTS = 256;
const NONE: readonly string[] = [];

/** A list as matching knows it: `id` is what its entries name. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

interface Own<L extends Named> {
  readonly table: Table;
  /** In the order they were made. */
  readonly lists: L[];
  /** By id, what each is called in the table. */
  readonly numbers: Map<string, number>;
  v4: readonly number[];
  v6: readonly number[];
}

const lengthsOf = (table: Table, first: number, bits: number): number[] =>
  Array.from({ length: bits }, (_, prefix) => prefix).filter((prefix) => table.count(first + prefix) > 0);

const lowestFree = (taken: ReadonlySet<number>): number => {
  let number = 0;
  while (taken.has(number)) number++;
  return number;
};

/**
 * What lists a subject is on, from memory. Who has no lists pays nothing for those who have; nothing is allocated for the answer unless something is found.
 * Whether an entry is expired is told by comparison, whenever it is swept.
 */
export const makeMatcher = <L extends Named>() => {
  const keys = makeKeys();
  const tenants = new Map<number, Own<L>>();
  const marks = new Uint8Array(MOST_LISTS);
  const markAll = makeMarker(keys, marks);

  const noteLengths = (own: Own<L>): void => {
    own.v4 = lengthsOf(own.table, FIRST_V4, 32);
    own.v6 = lengthsOf(own.table, FIRST_V6, 128);
  };

  /** The names of what is marked, which then is so no more. */
  const takeMarked = ({ lists, numbers }: Own<L>): string[] => {
    const names: string[] = [];
    for (const { id, name } of lists) if (marks[numbers.get(id) as number] === 1) names.push(name);
    marks.fill(0);
    return names;
  };

  const ownOf = (tenant: number): Own<L> => {
    let own = tenants.get(tenant);
    if (own === undefined) {
      own = { table: makeTable(GROUPS), lists: [], numbers: new Map(), v4: [], v6: [] };
      tenants.set(tenant, own);
    }
    return own;
  };
  const numberOf = (own: Own<L>, id: string): number => own.numbers.get(id) as number;

  return {
    /** Names of the lists that something of the subject is on, in the order the lists were made. */
    listed: (tenant: number, subject: Subject): readonly string[] => {
      const own = tenants.get(tenant);
      if (own === undefined || own.table.size() === 0) return NONE;
      return markAll(own, subject) === 0 ? NONE : takeMarked(own);
    },
    tenants: (): number[] => [...tenants.keys()],
    lists: (tenant: number): readonly L[] => tenants.get(tenant)?.lists ?? [],
    hasList: (tenant: number, id: string): boolean => tenants.get(tenant)?.numbers.has(id) ?? false,
    /** Adds a list, behind those there are, or changes what is told of it. */
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
      noteLengths(own);
    },
    /** Of a list that is there. */
    add: (tenant: number, id: string, kind: ListKind, value: string, until: number | null): void => {
      const own = ownOf(tenant);
      const key = keys.keyOf(kind, value);
      const isFirst = own.table.count(key.group) === 0;
      own.table.add(key, numberOf(own, id), until ?? Number.POSITIVE_INFINITY);
      if (isFirst) noteLengths(own);
    },
    /** Takes it off if it ends at `by` or before; without `by`, in any case. */
    remove: (tenant: number, id: string, kind: ListKind, value: string, by = Number.POSITIVE_INFINITY): void => {
      const own = tenants.get(tenant);
      if (own === undefined || !own.numbers.has(id)) return;
      const key = keys.keyOf(kind, value);
      own.table.remove(key, numberOf(own, id), by);
      if (own.table.count(key.group) === 0) noteLengths(own);
    },
    has: (tenant: number, id: string, kind: ListKind, value: string, now: number): boolean => {
      const own = ownOf(tenant);
      return own.table.has(keys.keyOf(kind, value), numberOf(own, id), now);
    },
    /** How many entries each list holds now, by id. */
    counts: (tenant: number, now: number): Map<string, number> => {
      const own = ownOf(tenant);
      const held = own.table.countLists(now);
      return new Map([...own.numbers].map(([id, number]) => [id, held[number] as number]));
    },
    /** Expired ones too, until they are swept. */
    size: (tenant: number): number => tenants.get(tenant)?.table.size() ?? 0,
    endsAfter: (tenant: number, id: string, time: number): boolean => {
      const own = ownOf(tenant);
      return own.table.endsAfter(numberOf(own, id), time);
    },
    /** Lengths of prefix of the networks listed. */
    lengths: (tenant: number, family: 4 | 6): readonly number[] =>
      tenants.get(tenant)?.[family === 4 ? 'v4' : 'v6'] ?? NO_LENGTHS,
    bytes: (): number => [...tenants.values()].reduce((sum, { table }) => sum + table.bytes(), 0),
  };
};
const NO_LENGTHS: readonly number[] = [];
export type Matcher<L extends Named> = ReturnType<typeof makeMatcher<L>>;
