import type { IdentitiesOf } from '@portcullis/engine';
import type { Statement } from '../backend/backend.ts';
import type { StoredScreening } from '../backend/journal.ts';
import {
  caseChangesAfter,
  type FollowedLabel,
  type FollowedScreening,
  isPositionKnown,
  labelsAfter,
  screeningsAfter,
} from '../backend/journal-follow.ts';
import type { Projection } from '../backend/projection.ts';
import { timeOfSeq } from '../runtime/ids.ts';
import { eventOfChange, eventOfItem, eventOfLabel, numberEvents } from './feed-events.ts';
import type { NewEvent } from './feed-store.ts';
import { itemOf, type SearchItem } from './item.ts';
import {
  applyLabel,
  insertItems,
  insertThrough,
  type KnownItem,
  knownItems,
  moveThrough,
  SELECT_THROUGH,
  type Through,
} from './store.ts';
import { makeSumChanges } from './sums.ts';
import { putUsers } from './user-id-store.ts';

/** Labels, or changes of cases, of one transaction. */
const PAGE = 1000;
const LAYOUT = 4;

export interface ProjectDeps {
  readonly projection: Projection;
  readonly identities: IdentitiesOf;
  /** A stored screening cannot be read. It is left out. */
  readonly onUnreadable: (seq: number) => void;
  readonly isStopped: () => boolean;
  /** Called after each page. */
  readonly onPage?: (entries: number, at: number) => void;
}

const sourceOf = async ({ source }: Projection): Promise<string> => `${LAYOUT}:${await source()}`;

const readThroughs = async ({ read }: Projection): Promise<Map<Through['part'], Through>> =>
  new Map((await read<Through>(SELECT_THROUGH)).map((row) => [row.part, row]));

/** Empties the projection if it was written from another journal, such as before a backup was restored. */
export const adoptJournal = async ({ projection }: ProjectDeps): Promise<void> => {
  const source = await sourceOf(projection);
  for (const through of (await readThroughs(projection)).values()) {
    const isKnown =
      !projection.isCommittedInOrder ||
      // Changes of cases are swept early. Those of a restored journal have later numbers.
      through.part === 'case_changes' ||
      (await isPositionKnown(projection.journal, through.seq));
    if (through.source === source && isKnown) continue;
    await projection.write(projection.clear);
    return;
  }
};

const PARTS = ['screenings', 'labels', 'case_changes'] as const;

/** All positions, from the start of the journal where there are none. */
const provideThroughs = async (projection: Projection): Promise<Map<Through['part'], Through>> => {
  const existing = await readThroughs(projection);
  if (existing.size === PARTS.length) return existing;
  // Read before any entry: an entry that the scan by number misses is committed by this transaction or a later one.
  const written = projection.isCommittedInOrder ? 0 : await projection.bound();
  const source = await sourceOf(projection);
  const begin = (part: Through['part']): Through => ({ part, follows: 0, written, seq: 0, drift: 0, source });
  await projection.write(PARTS.map((part) => insertThrough(begin(part))));
  return readThroughs(projection);
};

const itemsOf = ({ identities, onUnreadable }: ProjectDeps, rows: readonly StoredScreening[]): SearchItem[] =>
  rows.flatMap((row) => {
    try {
      return [itemOf(identities, row)];
    } catch {
      onUnreadable(row.seq);
      return [];
    }
  });

/** An entry that was read, as far as positions depend on it. */
type Entry = Pick<FollowedScreening, 'seq' | 'written'>;

interface Page {
  readonly entries: number;
  readonly last: Entry | undefined;
  readonly statements: Statement[];
  /** Terms that it adds, at most. */
  readonly terms?: number;
  readonly drift: number;
  /** When the last entry was stored, as its number says. */
  readonly at: number;
}

/** The position after an entry. */
const after = (from: Through, { seq, written = from.written }: Entry): Through => ({ ...from, seq, written });

/** Reads up to `limit` screenings after a position. */
const readItems = async (deps: ProjectDeps, from: Through, bound: number, limit: number) => {
  const { projection } = deps;
  const rows = await screeningsAfter(projection.journal, from, bound, limit);
  // Following repeats entries that the scan by number has seen. They must not be counted twice.
  const known = from.follows === 1 ? await knownItems(projection, rows) : undefined;
  const items = itemsOf(deps, known === undefined ? rows : rows.filter(({ seq }) => !known.has(seq)));
  const ids = new Map(rows.map(({ seq, id }) => [seq, id]));
  const events = items.flatMap((item) => eventOfItem(item, ids.get(item.seq) as string) ?? []);
  return { entries: rows.length, last: rows.at(-1), newest: Math.max(0, ...rows.map(({ seq }) => seq)), items, events };
};

/** Requests of one read. They take more memory than their items, and are let go before the next ones are read. */
const READ = 500;

const readScreenings = async (deps: ProjectDeps, from: Through, bound: number): Promise<Page> => {
  const { projection } = deps;
  const items: SearchItem[] = [];
  const events: NewEvent[] = [];
  let entries = 0;
  let last: Entry | undefined;
  let newest = 0;
  for (let isLast = false; entries < projection.screeningsPerPage && !isLast; ) {
    const read = await readItems(deps, last === undefined ? from : after(from, last), bound, READ);
    for (const item of read.items) items.push(item);
    events.push(...read.events);
    entries += read.entries;
    last = read.last ?? last;
    newest = Math.max(newest, read.newest);
    isLast = read.entries < READ;
  }
  const numbers = items.map(({ seq }) => seq);
  if (items.length > 0) await projection.makeRoom(Math.min(...numbers), Math.max(...numbers));
  const sums = makeSumChanges();
  for (const item of items) sums.addItem(item);
  return {
    entries,
    last,
    statements: [
      ...insertItems(items, projection.termTables),
      ...putUsers(items),
      ...sums.statements(),
      ...(await numberEvents(projection, events)),
    ],
    terms: items.reduce((sum, { entities, names }) => sum + entities.length + names.length, 0),
    drift: Math.max(from.drift, ...items.map(({ seq, at, isImported }) => (isImported ? 0 : timeOfSeq(seq) - at))),
    at: timeOfSeq(newest),
  };
};

/** The changes that labels make to the sums, where the newest label of an item by its number applies. */
const sumsOfLabels = (
  deps: ProjectDeps,
  labels: readonly FollowedLabel[],
  known: ReadonlyMap<number, KnownItem>,
): Statement[] => {
  const sums = makeSumChanges();
  for (const { screening_seq, seq, label, screening } of labels) {
    const item = known.get(screening_seq);
    if (item === undefined || item.labelSeq >= seq) continue;
    // A deleted screening is past the time that sums are shown for.
    if (screening !== undefined && item.label !== label)
      for (const counted of itemsOf(deps, [screening])) sums.changeLabel(counted, item.label, label);
    item.label = label;
    item.labelSeq = seq;
  }
  return sums.statements();
};

const readLabels = async (deps: ProjectDeps, from: Through, bound: number): Promise<Page> => {
  const { projection } = deps;
  const labels = await labelsAfter(projection.journal, from, bound, PAGE);
  const numbers = labels.map(({ tenant, screening_seq }) => ({ tenant, seq: screening_seq }));
  const known = await knownItems(projection, numbers);
  const events = labels.flatMap((label) => eventOfLabel(label) ?? []);
  const last = labels.at(-1);
  return {
    entries: labels.length,
    last,
    statements: [
      ...labels.flatMap(applyLabel),
      ...sumsOfLabels(deps, labels, known),
      ...(await numberEvents(projection, events)),
    ],
    drift: from.drift,
    at: timeOfSeq(last?.seq ?? 0),
  };
};

const readCaseChanges = async ({ projection }: ProjectDeps, from: Through, bound: number): Promise<Page> => {
  // In the embedded store everything that is committed can be read.
  const end = projection.isCommittedInOrder ? Number.MAX_SAFE_INTEGER : bound;
  const changes = await caseChangesAfter(projection.journal, from, end, PAGE);
  const statements = await numberEvents(projection, changes.map(eventOfChange));
  const last = changes.at(-1);
  return { entries: changes.length, last, statements, drift: from.drift, at: timeOfSeq(last?.seq ?? 0) };
};

const READERS: Readonly<Record<Through['part'], typeof readLabels>> = {
  screenings: readScreenings,
  labels: readLabels,
  case_changes: readCaseChanges,
};

/** The position after a page, or the one that following begins with where the scan by number has ended. */
const positionAfter = (from: Through, { last, drift }: Page): Through =>
  last === undefined ? { ...from, follows: 1, seq: 0 } : { ...after(from, last), drift };

/** Writes one part of the journal up to a bound. Returns false if another writer moved its position. */
const advance = async (deps: ProjectDeps, start: Through, bound: number): Promise<boolean> => {
  const { projection, onPage } = deps;
  const readPage = READERS[start.part];
  const pageSize = start.part === 'screenings' ? projection.screeningsPerPage : PAGE;
  for (let from = start; !deps.isStopped(); ) {
    // A scan by number is not bounded by a transaction.
    const isScan = from.follows === 0 && !projection.isCommittedInOrder;
    if (from.follows === 1) projection.prepareToFollow();
    const page = await readPage(deps, from, isScan ? Number.MAX_SAFE_INTEGER : bound);
    const { entries } = page;
    if (entries === 0 && !isScan) return true;
    const to = positionAfter(from, page);
    if (!(await projection.write([moveThrough(from, to), ...page.statements])).written) return false;
    if (entries > 0) onPage?.(entries, page.at);
    if (page.terms !== undefined) projection.settleTerms(page.terms);
    if (entries < pageSize && !isScan) return true;
    if (to.follows > from.follows && to.part === 'screenings') projection.analyze();
    from = to;
  }
  return false;
};

/**
 * Writes everything that was committed before the pass. Labels come after all screenings of the pass: the screening
 * of a label was committed before it. Returns whether the pass ended.
 */
export const runPass = async (deps: ProjectDeps): Promise<boolean> => {
  const { projection } = deps;
  const throughs = await provideThroughs(projection);
  const bound = await projection.bound();
  for (const part of PARTS) if (!(await advance(deps, throughs.get(part) as Through, bound))) return false;
  return true;
};
