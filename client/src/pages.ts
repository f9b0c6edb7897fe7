import type { Case, CaseList, CaseQuery } from './types.ts';

/** The service's largest page, for the fewest requests. */
const PAGE = { limit: 100 };

/** Iterates over a list in which the last item of a page is the cursor of the next page. Pages are requested on demand. */
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

/** Iterates over a list whose pages name the cursor of the next page. A page may be empty and not be the last one. */
export async function* byNext<Query extends object, Page extends { readonly has_more: boolean }, Item>(
  list: (query: Query & { before?: string }) => Promise<Page>,
  query: Query,
  itemsOf: (page: Page) => readonly Item[],
  nextOf: (page: Page) => string | null,
): AsyncGenerator<Item, void, undefined> {
  for (let next: Query & { before?: string } = { ...PAGE, ...query }; ; ) {
    const page = await list(next);
    yield* itemsOf(page);
    const before = nextOf(page);
    if (!page.has_more || before === null) return;
    next = { ...PAGE, ...query, before };
  }
}

/**
 * Iterates over cases by their time of creation. Pages by offset would shift while cases are opened and resolved: a caller that resolves
 * the open cases one by one would skip every other page.
 */
export async function* byCreation(
  list: (query: CaseQuery) => Promise<CaseList>,
  query: Omit<CaseQuery, 'offset' | 'sort'>,
): AsyncGenerator<Case, void, undefined> {
  let next: CaseQuery = { ...PAGE, ...query };
  let seen = new Set<string>();
  for (;;) {
    const { cases, has_more } = await list(next);
    const news = cases.filter(({ case_id }) => !seen.has(case_id));
    yield* news;
    const last = cases.at(-1);
    if (!has_more || last === undefined) return;
    // The next page begins with the millisecond of this page's last case. Other cases may have the same millisecond.
    const shared = cases.filter(({ created_at }) => created_at === last.created_at).map(({ case_id }) => case_id);
    const isSame = shared.length === cases.length;
    seen = new Set([...(isSame ? seen : []), ...shared]);
    // The cases of one millisecond fill a whole page, so only an offset leads past them.
    const offset = news.length === 0 ? (next.offset ?? 0) + cases.length : 0;
    next = { ...next, end_date: new Date(Date.parse(last.created_at) + 1).toISOString(), offset };
  }
}
