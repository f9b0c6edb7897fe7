import type { TagOf } from '@portcullis/contract';
import { type ShownScreening, screeningsWith } from '../backend/journal-by-number.ts';
import { maskedRequest } from '../subjects/subjects.ts';
import type { FoundItem } from './item.ts';
import { endOfBudget, type Found, findNewest, type PreparedSearch, type SearchDeps } from './prepare-search.ts';
import { findItems } from './query-store.ts';

/**
 * A search for a part of a text. The projection holds no text, so the requests of the items that match all other
 * filters are read, the newest first, for as long as a search may take.
 */

/** Items whose requests are read at once. */
const PAGE = 200;

/** Every text in a value. Names of fields are none. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

/** Whether a request has the text, in either case, in one of the values that were sent. */
const hasText = (row: ShownScreening, text: string, tagOf: TagOf): boolean =>
  textsIn(maskedRequest(row, tagOf)).some((one) => one.toLowerCase().includes(text));

/**
 * The longest part of a lower-case text that every store finds in the stored JSON: JSON escapes some characters, and
 * stores differ in the case of letters beyond ASCII.
 */
export const findablePart = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
    .split(/["\\\u0000-\u001f\u007f]|(?=[^\u0000-\u007f])\p{LC}/u)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '');

/** Like `findScreenings`, and with the text in the request. */
export const findByText = async (
  deps: SearchDeps,
  prepared: PreparedSearch,
  limit: number,
  sent: string,
  tagOf: TagOf,
): Promise<Found<FoundItem>> => {
  const { search, monotonic, backend } = deps;
  const text = sent.toLowerCase();
  const part = findablePart(text);
  const end = endOfBudget(deps);
  const items: FoundItem[] = [];
  for (let { range } = prepared; ; ) {
    const found = await findNewest(
      deps,
      { ...prepared, range },
      PAGE,
      (rest, scan, max) => findItems(search, prepared.tenant, prepared.filter, rest, scan, max),
      end,
    );
    const page = found.items.slice(0, PAGE);
    const numbers = page.map(({ seq }) => seq);
    const rows = await screeningsWith(backend, prepared.tenant, numbers, part);
    const matched = new Set(rows.filter((row) => hasText(row, text, tagOf)).map(({ seq }) => seq));
    items.push(...page.filter(({ seq }) => matched.has(seq)));
    if (items.length > limit) return { items: items.slice(0, limit + 1), stoppedAt: undefined };
    const last = found.items.length > PAGE ? page.at(-1)?.seq : found.stoppedAt;
    if (last === undefined || monotonic() >= end) return { items, stoppedAt: last };
    range = { ...range, before: last };
  }
};
