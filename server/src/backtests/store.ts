import { READABLE_FACTS } from '@portcullis/engine';
import type { Backend, Statement, Value } from '../backend/backend.ts';

export interface BacktestRow {
  readonly id: string;
  readonly tenant: number;
  readonly status: 'running' | 'done' | 'failed';
  /** JSON. */
  readonly request: string;
  readonly from_at: number;
  readonly until_at: number;
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly message: string | null;
  /** JSON; null until it is done. */
  readonly outcome: string | null;
  /** One that is running and not heard of until then was cut short. */
  readonly alive_until: number;
  readonly progress: number;
}

/** Of one that no process has begun yet. */
export const WAITS = -1;

const COLUMNS =
  'id, tenant, status, request, from_at, until_at, created_at, ended_at, message, outcome, alive_until, progress';

/** Refused while another of the tenant is under way, in whatever process. */
export const insertBacktest = (row: BacktestRow): Statement => ({
  sql: `INSERT INTO backtests (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
    WHERE NOT EXISTS (SELECT 1 FROM backtests WHERE tenant = ? AND status = 'running' AND (alive_until > ? OR alive_until = ${WAITS}))`,
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
): Promise<BacktestRow[]> => {
  const params: Value[] = before === undefined ? [tenant] : [tenant, before];
  return backend.read<BacktestRow>(
    `SELECT ${COLUMNS} FROM backtests WHERE tenant = ?${before === undefined ? '' : ' AND id < ?'} ORDER BY id DESC LIMIT ?`,
    ...params,
    limit,
  );
};

/** The oldest that no process has begun. */
export const firstWaiting = async (backend: Backend): Promise<BacktestRow | undefined> =>
  (
    await backend.read<BacktestRow>(
      `SELECT ${COLUMNS} FROM backtests WHERE status = 'running' AND alive_until = ${WAITS} ORDER BY id LIMIT 1`,
    )
  )[0];

/** Refused where another process was first. */
export const takeWaiting = (id: string, until: number): Statement => ({
  sql: `UPDATE backtests SET alive_until = ?, message = NULL WHERE id = ? AND status = 'running' AND alive_until = ${WAITS}`,
  params: [until, id],
  expect: 1,
});

export const endBacktest = (
  id: string,
  ended: { status: 'done' | 'failed'; at: number; message: string | null; outcome: string | null },
): Statement => ({
  sql: "UPDATE backtests SET status = ?, ended_at = ?, message = ?, outcome = ? WHERE id = ? AND status = 'running'",
  params: [ended.status, ended.at, ended.message, ended.outcome, id],
});

export const keepAlive = (id: string, until: number, progress: number): Statement => ({
  sql: "UPDATE backtests SET alive_until = ?, progress = ? WHERE id = ? AND status = 'running'",
  params: [until, progress, id],
});

/** One that was screened, with the label in force. */
export interface PastRow {
  readonly seq: number;
  readonly id: string;
  readonly type: 'transaction' | 'event';
  readonly screened_at: number;
  readonly request: string;
  readonly verdict: string;
  readonly facts: Uint8Array;
  readonly label: 'fraud' | 'legitimate' | null;
}

/** Of a tenant, after one number and before another, in order. Of facts laid out otherwise nothing can be told any more. */
export const pastScreenings = (
  backend: Pick<Backend, 'read'>,
  tenant: number,
  after: number,
  before: number,
  limit: number,
): Promise<PastRow[]> =>
  backend.read<PastRow>(
    `SELECT seq, id, type, screened_at, request, verdict, facts,
        (SELECT label FROM labels l WHERE l.tenant = s.tenant AND l.screening_seq = s.seq ORDER BY l.seq DESC LIMIT 1) AS label
      FROM screenings s WHERE tenant = ? AND seq > ? AND seq < ? AND facts_version BETWEEN ? AND ? ORDER BY seq LIMIT ?`,
    tenant,
    after,
    before,
    ...READABLE_FACTS,
    limit,
  );
