import type { Backend, Page, Statement, Value } from '../backend/backend.ts';
import { type JobRow, type JobTable, NOT_STARTED } from '../jobs/job-table.ts';

export interface BacktestRow extends JobRow {
  readonly tenant: number;
  /** JSON. */
  readonly request: string;
  readonly from_at: number;
  readonly until_at: number;
  readonly created_at: number;
  /** JSON; null until it is done. */
  readonly outcome: string | null;
}

const COLUMNS =
  'id, tenant, status, request, from_at, until_at, created_at, ended_at, message, outcome, alive_until, progress';
export const BACKTEST_TABLE: JobTable = { name: 'backtests', columns: COLUMNS, order: 'id' };

/** Refused while another backtest of the tenant waits or runs, in any process. */
export const insertBacktest = (row: BacktestRow): Statement => ({
  sql: `INSERT INTO backtests (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
    WHERE NOT EXISTS (SELECT 1 FROM backtests WHERE tenant = ? AND status = 'running' AND (alive_until > ? OR alive_until = ${NOT_STARTED}))`,
  params: [
    row.id,
    row.tenant,
    row.status,
    row.request,
    row.from_at,
    row.until_at,
    row.created_at,
    row.ended_at,
    row.message,
    row.outcome,
    row.alive_until,
    row.progress,
    row.tenant,
    row.created_at,
  ],
  expect: 1,
});

export const findBacktest = async (backend: Backend, tenant: number, id: string): Promise<BacktestRow | undefined> =>
  (await backend.read<BacktestRow>(`SELECT ${COLUMNS} FROM backtests WHERE id = ? AND tenant = ?`, id, tenant))[0];

export const listBacktests = (
  backend: Backend,
  tenant: number,
  before: string | undefined,
  limit: number,
): Promise<Page<BacktestRow>> => {
  const params: Value[] = before === undefined ? [tenant] : [tenant, before];
  return backend.readPage<BacktestRow>(
    tenant,
    limit,
    `SELECT ${COLUMNS} FROM backtests WHERE tenant = ?${before === undefined ? '' : ' AND id < ?'} ORDER BY id DESC`,
    ...params,
  );
};

export const endBacktest = (
  id: string,
  ending: { status: 'done' | 'failed'; at: number; message: string | null; outcome: string | null },
): Statement => ({
  sql: "UPDATE backtests SET status = ?, ended_at = ?, message = ?, outcome = ? WHERE id = ? AND status = 'running'",
  params: [ending.status, ending.at, ending.message, ending.outcome, id],
});
