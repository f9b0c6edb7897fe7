import { type Backend, PAGE_SIZE, type Page, type Value } from './backend.ts';

/** The text and bytes of a value. Numbers are small, whatever their value. */
export const sizeOf = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;

/** The page in `rows`, which were read with a limit of one more than `limit`. */
export const toPage = <Row extends object>(rows: Row[], limit: number): Page<Row> => {
  let size = 0;
  let end = 0;
  while (end < rows.length && end < limit && (end === 0 || size < PAGE_SIZE)) {
    for (const value of Object.values(rows[end] as Row)) size += sizeOf(value);
    end++;
  }
  return { rows: rows.slice(0, end), hasMore: rows.length > end };
};

/** Long reads of a thread that screens nothing: it runs them itself. */
export const readsOnThisThread = (read: Backend['read']): Pick<Backend, 'readLong' | 'readPage'> => ({
  readLong: (_tenant, sql, ...params) => read(sql, ...params),
  readPage: async <Row>(_tenant: number, limit: number, sql: string, ...params: Value[]): Promise<Page<Row>> =>
    toPage(await read<Row & object>(`${sql} LIMIT ?`, ...params, limit + 1), limit),
});
