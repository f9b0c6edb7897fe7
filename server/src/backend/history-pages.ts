import type { Backend } from './backend.ts';
import type { StoredLabel, StoredScreening } from './stored-history.ts';

/** What the histories are a fold over, read in pages from any store, while others write to it. */
const SCREENINGS = `SELECT seq, tenant, type, screened_at, request, verdict, facts_version, facts FROM screenings
  WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`;
const LABELS = `SELECT l.seq, l.tenant, l.label, l.labelled_at, l.replaced_at, l.repeats,
    s.type, s.screened_at, s.request, s.facts_version, s.facts
  FROM labels l LEFT JOIN screenings s ON s.seq = l.screening_seq AND s.tenant = l.tenant
  WHERE l.seq > ? AND l.seq <= ? ORDER BY l.seq LIMIT ?`;
const PAGE = 500;

export type Stored = StoredScreening | StoredLabel;
export const isLabel = (row: Stored): row is StoredLabel => 'label' in row;

/** Rows of a query one after the other; each page is asked for when the one before it is used up. */
const makeCursor = <Row extends { readonly seq: number }>(
  backend: Backend,
  sql: string,
  after: number,
  upTo: number,
) => {
  let rows: Row[] = [];
  let at = 0;
  let last = after;
  let isOver = false;
  return {
    /** The next row, which is left where it is; undefined when there are no more. */
    peek: async (): Promise<Row | undefined> => {
      if (at === rows.length && !isOver) {
        rows = await backend.read<Row>(sql, last, upTo, PAGE);
        at = 0;
        isOver = rows.length < PAGE;
        last = rows.at(-1)?.seq ?? last;
      }
      return rows[at];
    },
    take: (): void => void at++,
  };
};

/** Screenings and labels numbered above `after`, up to `upTo`, in one order, some hundreds at a time. */
export async function* storedBetween(backend: Backend, after: number, upTo: number): AsyncGenerator<Stored[]> {
  const screenings = makeCursor<StoredScreening>(backend, SCREENINGS, after, upTo);
  const labels = makeCursor<StoredLabel>(backend, LABELS, after, upTo);
  let page: Stored[] = [];
  for (;;) {
    const [screening, label] = [await screenings.peek(), await labels.peek()];
    if (screening === undefined && label === undefined) break;
    const isNext = label === undefined || (screening !== undefined && screening.seq < label.seq);
    page.push((isNext ? screening : label) as Stored);
    (isNext ? screenings : labels).take();
    if (page.length === PAGE) {
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

export const countStored = async (backend: Backend, upTo: number): Promise<number> => {
  const [screenings] = await backend.read<{ count: number }>(
    'SELECT COUNT(*) AS count FROM screenings WHERE seq <= ?',
    upTo,
  );
  const [labels] = await backend.read<{ count: number }>('SELECT COUNT(*) AS count FROM labels WHERE seq <= ?', upTo);
  return (screenings?.count ?? 0) + (labels?.count ?? 0);
};
