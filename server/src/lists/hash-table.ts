import { makeHashIndex } from '@portcullis/engine';
import { randomSpread } from '../runtime/random-spread.ts';

const FIRST_RECORDS = 16;
const LIST_NUMBERS = 256;
/** The end of a record that is free: it counts as expired at any time. */
const FREE = Number.NEGATIVE_INFINITY;

/** The key of a list entry. `number` is not 0; `check` distinguishes values of a group that have the same number. */
export interface Key {
  readonly group: number;
  readonly number: number;
  readonly check: number;
}

/** Entries as columns, one record each; record 0 is unused. The garbage collector does not scan typed arrays. */
const makeRecords = () => {
  const columns = {
    until: new Float64Array(FIRST_RECORDS).fill(FREE),
    check: new Int32Array(FIRST_RECORDS),
    list: new Uint8Array(FIRST_RECORDS),
    group: new Uint8Array(FIRST_RECORDS),
  };
  /** The first free record. Each free record holds the next one in its `check`. */
  let free = 0;
  let end = 1;

  const grow = (): void => {
    const { until, check, list, group } = columns;
    columns.until = new Float64Array(2 * end).fill(FREE, end);
    columns.check = new Int32Array(2 * end);
    columns.list = new Uint8Array(2 * end);
    columns.group = new Uint8Array(2 * end);
    columns.until.set(until);
    columns.check.set(check);
    columns.list.set(list);
    columns.group.set(group);
  };
  return {
    columns,
    end: (): number => end,
    bytes: (): number =>
      columns.until.byteLength + columns.check.byteLength + columns.list.byteLength + columns.group.byteLength,
    take: (): number => {
      if (free === 0) {
        if (end === columns.until.length) grow();
        return end++;
      }
      const record = free;
      free = columns.check[record] as number;
      return record;
    },
    release: (record: number): void => {
      columns.until[record] = FREE;
      columns.check[record] = free;
      free = record;
    },
  };
};

/** The entries of an account's lists in memory. A value on several lists has several records under its number. */
export const makeTable = (groupCount: number) => {
  const index = makeHashIndex(randomSpread());
  const records = makeRecords();
  const { columns } = records;
  const counts = new Uint32Array(groupCount);
  /** Unexpired entries of each list as of `heldAt`, updated by every change. Valid until the next expiry, `nextEnd`. */
  const held = new Uint32Array(LIST_NUMBERS);
  let heldAt = Number.NEGATIVE_INFINITY;
  let nextEnd = Number.POSITIVE_INFINITY;

  const untilOf = (record: number): number => columns.until[record] as number;
  const checkOf = (record: number): number => columns.check[record] as number;
  const listOf = (record: number): number => columns.list[record] as number;
  const groupOf = (record: number): number => columns.group[record] as number;

  /** The place of an entry in the index, or -1. */
  const find = ({ number, group, check }: Key, list: number): number => {
    for (let place = index.find(number); place !== -1; place = index.next(place)) {
      const record = index.valueAt(place);
      if (listOf(record) === list && checkOf(record) === check && groupOf(record) === group) return place;
    }
    return -1;
  };
  const removeAt = (place: number): void => {
    const record = index.valueAt(place);
    if (untilOf(record) > heldAt) (held[listOf(record)] as number)--;
    (counts[groupOf(record)] as number)--;
    index.removeAt(place);
    records.release(record);
  };
  const recount = (now: number): void => {
    held.fill(0);
    heldAt = now;
    nextEnd = Number.POSITIVE_INFINITY;
    for (let record = 1; record < records.end(); record++) {
      if (untilOf(record) <= now) continue;
      (held[listOf(record)] as number)++;
      nextEnd = Math.min(nextEnd, untilOf(record));
    }
  };
  const newRecord = ({ number, group, check }: Key, list: number): number => {
    const record = records.take();
    columns.until[record] = FREE;
    columns.check[record] = check;
    columns.list[record] = list;
    columns.group[record] = group;
    (counts[group] as number)++;
    index.add(number, record);
    return record;
  };

  return {
    size: (): number => index.size(),
    bytes: (): number => index.bytes() + records.bytes(),
    count: (group: number): number => counts[group] as number,
    /** Adds an entry, or changes when it expires. */
    add: (key: Key, list: number, until: number): void => {
      const place = find(key, list);
      const record = place === -1 ? newRecord(key, list) : index.valueAt(place);
      if (untilOf(record) > heldAt) (held[list] as number)--;
      if (until > heldAt) (held[list] as number)++;
      nextEnd = Math.min(nextEnd, until);
      columns.until[record] = until;
    },
    /** Removes an entry that expires at `by` or before. */
    remove: (key: Key, list: number, by: number): void => {
      const place = find(key, list);
      if (place !== -1 && untilOf(index.valueAt(place)) <= by) removeAt(place);
    },
    has: (key: Key, list: number, now: number): boolean => {
      const place = find(key, list);
      return place !== -1 && untilOf(index.valueAt(place)) > now;
    },
    /**
     * Visits every place. An entry that moves into a freed place comes from a later one, or was visited at the start.
     */
    removeList: (list: number): void => {
      for (let place = 0; place < index.places(); place++)
        while (index.valueAt(place) !== 0 && listOf(index.valueAt(place)) === list) removeAt(place);
    },
    /** The first place of a number in a group, or -1: mostly -1, so callers look before they compute the check. */
    look: (group: number, number: number): number => {
      for (let place = index.find(number); place !== -1; place = index.next(place))
        if (groupOf(index.valueAt(place)) === group) return place;
      return -1;
    },
    /** Marks each list that holds the value now, from the place `look` returned. Returns how many do. */
    mark: (from: number, check: number, now: number, marks: Uint8Array): number => {
      const group = groupOf(index.valueAt(from));
      let found = 0;
      for (let place = from; place !== -1; place = index.next(place)) {
        const record = index.valueAt(place);
        if (groupOf(record) !== group || checkOf(record) !== check || untilOf(record) <= now) continue;
        marks[listOf(record)] = 1;
        found++;
      }
      return found;
    },
    /** The number of unexpired entries of each list, by its number. */
    countLists: (now: number): Uint32Array => {
      if (now >= nextEnd || now < heldAt) recount(now);
      return held;
    },
    /** Whether the list has an entry that expires after `time`, or never. */
    endsAfter: (list: number, time: number): boolean => {
      for (let record = 1; record < records.end(); record++)
        if (listOf(record) === list && untilOf(record) > time) return true;
      return false;
    },
  };
};
export type Table = ReturnType<typeof makeTable>;
