import { makeRequestThread } from '../../runtime/request-thread.ts';
import { PAGE_SIZE, type Page, Unavailable, type Value } from '../backend.ts';
import { readError, startThread } from './open-database.ts';

export interface ReadRequest {
  readonly sql: string;
  readonly params: readonly Value[];
  readonly maxRows: number;
  readonly maxSize: number;
}
export type ReadResult =
  | { readonly columns: readonly string[]; readonly values: readonly unknown[]; readonly hasMore: boolean }
  | { readonly failed: string; readonly errcode: number | undefined };

const toRows = <Row>(columns: readonly string[], values: readonly unknown[]): Row[] => {
  const rows: Row[] = [];
  for (let at = 0; at < values.length; ) {
    const row: Record<string, unknown> = {};
    for (const column of columns) row[column] = values[at++];
    rows.push(row as Row);
  }
  return rows;
};

/** Long reads, in the reader thread. */
export const makeReader = (path: string, onError: (message: string) => void) => {
  const thread = makeRequestThread<ReadRequest, ReadResult>({
    start: () => startThread('./reader-thread.ts', { path }),
    refusal: (message, cause) => new Unavailable(`reading from the store failed: ${message}`, { cause }),
    onEnded: ({ message }) => onError(`the reader ended: ${message}`),
  });
  const read = async <Row>(tenant: number, request: ReadRequest): Promise<Page<Row>> => {
    const result = await thread.ask(tenant, request);
    if ('failed' in result) {
      onError(`a read failed: ${result.failed}`);
      throw readError(Object.assign(new Error(result.failed), { errcode: result.errcode }));
    }
    return { rows: toRows<Row>(result.columns, result.values), hasMore: result.hasMore };
  };
  return {
    readLong: async <Row>(tenant: number, sql: string, ...params: Value[]): Promise<Row[]> => {
      const unlimited = Number.POSITIVE_INFINITY;
      return (await read<Row>(tenant, { sql, params, maxRows: unlimited, maxSize: unlimited })).rows;
    },
    readPage: <Row>(tenant: number, limit: number, sql: string, ...params: Value[]): Promise<Page<Row>> =>
      read<Row>(tenant, { sql: `${sql} LIMIT ?`, params: [...params, limit + 1], maxRows: limit, maxSize: PAGE_SIZE }),
    waiting: thread.waiting,
    close: thread.close,
  };
};
export type Reader = ReturnType<typeof makeReader>;
