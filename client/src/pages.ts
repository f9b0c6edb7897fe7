import type { Case, CaseList, CaseQuery } from './types.ts';

/** Fewer pages, fewer requests: as many to a page as the service gives. */
const PAGE = { limit: 100 };

/** Goes through a list in which the last item of a page says where the next page begins. A page is asked for when its first item is. */
export async function* byCursor<Query extends object, Page extends { readonly has_more: boolean }, Item>(
  list: (query: Query & { before?: string | number }) => Promise<Page>,
  query: Query,
  itemsOf: (page: Page) => readonly Item[],
  cursorOf: (item: Item) => string | number,
): AsyncGenerator<Item, void, undefined> {
  for (let next: Query & { before?: string | number } = { ...PAGE, ...query }; ; ) {
    const page = await list(next);
    const items = itemsOf(page);
    yield* items;
    const last = items.at(-1);
    if (!page.has_more || last === undefined) return;
    next = { ...PAGE, ...query, before: cursorOf(last) };
  }
}

/**
 * Goes through cases by the time they were opened. Pages by offset shift while cases are opened and resolved, and whoever resolves the open cases one by one
 * would skip every other page.
 */
export async function* byCreation(
  list: (query: CaseQuery) => Promise<CaseList>,
  query: Omit<CaseQuery, 'offset'>,
): AsyncGenerator<Case, void, undefined> {
  let next: CaseQuery = { ...PAGE, ...query };
  let seen = new Set<string>();
  for (;;) {
    const { cases, has_more } = await list(next);
    const news = cases.filter(({ case_id }) => !seen.has(case_id));
    yield* news;
    const last = cases.at(-1);
    if (!has_more || last === undefined) return;
    // The next page begins with the millisecond of this one's last, which others may share.
    const shared = cases.filter(({ created_at }) => created_at === last.created_at).map(({ case_id }) => case_id);
    const isSame = shared.length === cases.length;
    seen = new Set([...(isSame ? seen : []), ...shared]);
    // So many in one millisecond that they fill a page: there is no other way past them.
    const offset = news.length === 0 ? (next.offset ?? 0) + cases.length : 0;
    next = { ...next, end_date: new Date(Date.parse(last.created_at) + 1).toISOString(), offset };
  }
}
