import type { IdentitiesOf } from '@portcullis/engine';
import type { Statement } from '../backend/backend.ts';
import type { StoredScreening } from '../backend/journal.ts';
import {
  caseChangesAfter,
  type FollowedCaseChange,
  type FollowedLabel,
  type FollowedScreening,
  isPositionKnown,
  labelsAfter,
  screeningsAfter,
} from '../backend/journal-follow.ts';
import type { Projection } from '../backend/projection.ts';
import { timeOfSeq } from '../runtime/ids.ts';
import { eventOfChange, eventOfItem, eventOfLabel, numberEvents } from './feed-events.ts';
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

/** Entries of one transaction: small enough that nobody waits long for it. */
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

interface Page {
  readonly entries: readonly (FollowedScreening | FollowedLabel | FollowedCaseChange)[];
  readonly statements: Statement[];
  readonly drift: number;
  /** When the last entry was stored, as its number says. */
  readonly at: number;
}

const readScreenings = async (deps: ProjectDeps, from: Through, bound: number): Promise<Page> => {
  const { projection } = deps;
  const entries = await screeningsAfter(projection.journal, from, bound, PAGE);
  // Following repeats entries that the scan by number has seen. They must not be counted twice.
  const known = from.follows === 1 ? await knownItems(projection, entries) : undefined;
  const items = itemsOf(
    deps,
    entries.filter(({ seq }) => known?.has(seq) !== true),
  );
  const numbers = items.map(({ seq }) => seq);
  if (items.length > 0) await projection.makeRoom(Math.min(...numbers), Math.max(...numbers));
  const sums = makeSumChanges();
  for (const item of items) sums.addItem(item);
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  const events = items.flatMap((item) => eventOfItem(item, bySeq.get(item.seq) as FollowedScreening) ?? []);
  return {
    entries,
    statements: [
      ...insertItems(items),
      ...putUsers(items),
      ...sums.statements(),
      ...(await numberEvents(projection, events)),
    ],
    drift: Math.max(from.drift, ...items.map(({ seq, at, isImported }) => (isImported ? 0 : timeOfSeq(seq) - at))),
    at: timeOfSeq(Math.max(0, ...entries.map(({ seq }) => seq))),
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
  const entries = await labelsAfter(projection.journal, from, bound, PAGE);
  const numbers = entries.map(({ tenant, screening_seq }) => ({ tenant, seq: screening_seq }));
  const known = await knownItems(projection, numbers);
  const events = entries.flatMap((label) => eventOfLabel(label) ?? []);
  return {
    entries,
    statements: [
      ...entries.flatMap(applyLabel),
      ...sumsOfLabels(deps, entries, known),
      ...(await numberEvents(projection, events)),
    ],
    drift: from.drift,
    at: timeOfSeq(entries.at(-1)?.seq ?? 0),
  };
};

const readCaseChanges = async ({ projection }: ProjectDeps, from: Through, bound: number): Promise<Page> => {
  // In the embedded store everything that is committed can be read.
  const end = projection.isCommittedInOrder ? Number.MAX_SAFE_INTEGER : bound;
  const entries = await caseChangesAfter(projection.journal, from, end, PAGE);
  const statements = await numberEvents(projection, entries.map(eventOfChange));
  return { entries, statements, drift: from.drift, at: timeOfSeq(entries.at(-1)?.seq ?? 0) };
};

const READERS: Readonly<Record<Through['part'], typeof readLabels>> = {
  screenings: readScreenings,
  labels: readLabels,
  case_changes: readCaseChanges,
};

/** The position after a page, or the one that following begins with where the scan by number has ended. */
const positionAfter = (from: Through, { entries, drift }: Page): Through => {
  const last = entries.at(-1);
  if (last === undefined) return { ...from, follows: 1, seq: 0 };
  return { ...from, drift, seq: last.seq, written: last.written ?? from.written };
};

/** Writes one part of the journal up to a bound. Returns false if another writer moved its position. */
const advance = async (deps: ProjectDeps, start: Through, bound: number): Promise<boolean> => {
  const { projection, onPage } = deps;
  const readPage = READERS[start.part];
  for (let from = start; !deps.isStopped(); ) {
    // A scan by number is not bounded by a transaction.
    const isScan = from.follows === 0 && !projection.isCommittedInOrder;
    if (from.follows === 1) projection.prepareToFollow();
    const page = await readPage(deps, from, isScan ? Number.MAX_SAFE_INTEGER : bound);
    const { entries } = page;
    if (entries.length === 0 && !isScan) return true;
    const to = positionAfter(from, page);
    if (!(await projection.write([moveThrough(from, to), ...page.statements])).written) return false;
    if (entries.length > 0) onPage?.(entries.length, page.at);
    if (entries.length < PAGE && !isScan) return true;
    if (to.follows > from.follows && to.part === 'screenings') await projection.analyze();
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
