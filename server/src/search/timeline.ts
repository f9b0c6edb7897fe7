import {
  type DecisionValue,
  type LabelValue,
  type Timeline,
  type TimelineEntry,
  type TimelineKind,
  writeTimestamp,
} from '@portcullis/contract';
import { type ShownScreening, screeningsByNumber } from '../backend/journal-by-number.ts';
import type { Answer, Call } from '../http/route.ts';
import { timeOfSeq } from '../runtime/ids.ts';
import { notFound } from '../validation/errors.ts';
import { subjectIdOf, toScreening } from './list.ts';
import { cursorNumber, prepareSearch, type SearchDeps } from './prepare-search.ts';
import type { ItemRange } from './query-store.ts';
import { entityTerm } from './terms.ts';
import { type EntryRow, type EntrySource, numberOfEntry, readEntries } from './timeline-store.ts';
import { countItems } from './user-store.ts';

const DEFAULT_LIMIT = 50;
/** Items of a user whose labels and reviews are shown. */
const LOOKED_AT = 5000;

const SOURCES: Readonly<Record<TimelineKind, EntrySource>> = {
  transaction: 'item',
  event: 'item',
  label: 'label',
  review: 'review',
};
interface Numbered {
  readonly source: EntrySource;
  readonly row: EntryRow;
}

/** The number of a cursor's entry. If its label was replaced since, the entry has a newer place. */
const numberOf = async (deps: SearchDeps, tenant: number, before: string): Promise<number> => {
  const [id = '', kind = ''] = before.split('~');
  const seq = await cursorNumber(deps, tenant, id);
  const source = SOURCES[kind as TimelineKind];
  if (source === 'item') return seq;
  return (await numberOfEntry(deps.search, tenant, seq, source)) ?? seq;
};

const toEntry = (
  { source, row }: Numbered,
  screening: ShownScreening,
  tagOf: Call<'listTimeline'>['tagOf'],
): TimelineEntry => {
  const kind = source === 'item' ? screening.type : source;
  return {
    kind,
    at: writeTimestamp(source === 'item' ? screening.screened_at : timeOfSeq(row.number)),
    subject_id: subjectIdOf(screening),
    screening: source === 'item' ? toScreening(row, screening, tagOf) : null,
    label: source === 'label' ? (row.label as LabelValue) : null,
    decision: source === 'review' ? (row.decision as Exclude<DecisionValue, 'review'>) : null,
  };
};

const sourcesOf = (kind: TimelineKind | undefined): EntrySource[] =>
  kind === undefined ? ['item', 'label', 'review'] : [SOURCES[kind]];

export const listTimeline = async (deps: SearchDeps, call: Call<'listTimeline'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const { kind, before, limit = DEFAULT_LIMIT, ...times } = call.query;
  const prepared = await prepareSearch(deps, call.caller, times);
  const term = entityTerm(deps.identities, tenant, 'user', call.params.user_id);
  const of = { tenant, term, range: prepared.range, limit: LOOKED_AT };
  const always = { first: prepared.range.first, before: Number.MAX_SAFE_INTEGER };
  if ((await countItems(deps.search, { ...of, range: always, limit: 1 })) === undefined) throw notFound('user');
  const end = before === undefined ? Number.MAX_SAFE_INTEGER : await numberOf(deps, tenant, before);
  const type = kind === 'transaction' || kind === 'event' ? kind : undefined;
  // The number of an item is its place, so that items of any age are reached. A label may be newer than its item.
  const rangeOf = (source: EntrySource): ItemRange =>
    source === 'item' ? { ...prepared.range, before: Math.min(end, prepared.range.before) } : prepared.range;
  const read = async (source: EntrySource): Promise<Numbered[]> => {
    const items = { ...of, range: rangeOf(source) };
    const found = await readEntries(deps.search, items, source, prepared.filter, type, end, limit + 1);
    return found.map((row) => ({ source, row }));
  };
  const entries = (await Promise.all(sourcesOf(kind).map(read))).flat().sort((a, b) => b.row.number - a.row.number);
  const page = entries.slice(0, limit);
  const numbers = new Set(page.map(({ row }) => row.seq));
  const rows = await screeningsByNumber(deps.backend, tenant, [...numbers]);
  const shown = page.flatMap((entry) => {
    const row = rows.get(entry.row.seq);
    return row === undefined ? [] : [toEntry(entry, row, call.tagOf)];
  });
  const last = shown.at(-1);
  const hasMore = entries.length > limit && last !== undefined;
  const timeline: Timeline = {
    entries: shown,
    has_more: hasMore,
    next_before: hasMore ? `${last.subject_id}~${last.kind}` : null,
    as_of: prepared.as_of,
  };
  return call.answer(timeline);
};
