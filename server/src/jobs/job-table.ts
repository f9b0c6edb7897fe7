import type { Backend, Statement } from '../backend/backend.ts';

/** The columns every table of jobs has, whatever else its owner keeps there. */
export interface JobRow {
  readonly id: string;
  readonly status: 'running' | 'done' | 'failed';
  readonly message: string | null;
  readonly ended_at: number | null;
  /** While it runs: the end of its lease, in epoch milliseconds, or `NOT_STARTED`. */
  readonly alive_until: number;
  readonly progress: number;
}

/** Value of `alive_until` for a job that no process has started. Such a job has the status `running` too. */
export const NOT_STARTED = -1;

/** Describes the table of a kind of job. The capability that owns the table provides it. */
export interface JobTable {
  readonly name: string;
  /** All columns of a row. */
  readonly columns: string;
  /** Columns that order jobs by age. */
  readonly order: string;
}

/** SQL condition: the lease of the job ended before or at the bound time, so its process stopped or crashed. */
export const LEASE_EXPIRED = `status = 'running' AND alive_until <= ? AND alive_until <> ${NOT_STARTED}`;

/** The oldest job that no process has started. */
export const oldestWaiting = async <Row extends JobRow>(
  backend: Backend,
  { name, columns, order }: JobTable,
): Promise<Row | undefined> =>
  (
    await backend.read<Row>(
      `SELECT ${columns} FROM ${name} WHERE status = 'running' AND alive_until = ${NOT_STARTED} ORDER BY ${order} LIMIT 1`,
    )
  )[0];

/** Refused when another process claimed the job first. */
export const claimJob = ({ name }: JobTable, id: string, aliveUntil: number): Statement => ({
  sql: `UPDATE ${name} SET alive_until = ?, message = NULL WHERE id = ? AND status = 'running' AND alive_until = ${NOT_STARTED}`,
  params: [aliveUntil, id],
  expect: 1,
});

/** Refused for a job that has ended. */
export const renewLease = ({ name }: JobTable, id: string, aliveUntil: number, progress: number): Statement => ({
  sql: `UPDATE ${name} SET alive_until = ?, progress = ? WHERE id = ? AND status = 'running'`,
  params: [aliveUntil, progress, id],
  expect: 1,
});
