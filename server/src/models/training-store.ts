import { PRODUCTION_TENANTS } from '../access/access.ts';
import { type Backend, NO_TENANT, type Page, type Statement } from '../backend/backend.ts';
import { countLabelsAfter } from '../backend/journal-pages.ts';
import { type JobRow, type JobTable, LEASE_EXPIRED } from '../jobs/job-table.ts';

export interface TrainingRow extends JobRow {
  readonly account: string;
  readonly model_version: string | null;
  readonly started_at: number;
  readonly started_by: string | null;
  /** The newest label when the training began. */
  readonly labels_through: number;
  /** From the request. */
  readonly maturity_days: number;
}

const TRAINING_COLUMNS =
  'id, account, status, message, model_version, started_at, started_by, ended_at, labels_through, alive_until, progress, maturity_days';
export const TRAINING_TABLE: JobTable = { name: 'trainings', columns: TRAINING_COLUMNS, order: 'started_at, id' };

export const findTraining = async (backend: Backend, account: string, id: string): Promise<TrainingRow | undefined> =>
  (
    await backend.read<TrainingRow>(
      `SELECT ${TRAINING_COLUMNS} FROM trainings WHERE id = ? AND account = ?`,
      id,
      account,
    )
  )[0];

/** Sorts after every id. */
const AFTER_ALL_IDS = '~';
/** Trainings of an account with ids below `before`, the newest first. */
export const listTrainingRows = (
  backend: Backend,
  tenant: number,
  account: string,
  before: string | undefined,
  limit: number,
): Promise<Page<TrainingRow>> =>
  backend.readPage<TrainingRow>(
    tenant,
    limit,
    `SELECT ${TRAINING_COLUMNS} FROM trainings WHERE account = ? AND id < ? ORDER BY id DESC`,
    account,
    before ?? AFTER_ALL_IDS,
  );

/** Refused while another training of the account waits or runs. */
export const insertTraining = (row: TrainingRow): Statement => ({
  sql: `INSERT INTO trainings (${TRAINING_COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
    WHERE NOT EXISTS (SELECT 1 FROM trainings WHERE account = ? AND status = 'running')`,
  params: [
    row.id,
    row.account,
    row.status,
    row.message,
    row.model_version,
    row.started_at,
    row.started_by,
    row.ended_at,
    row.labels_through,
    row.alive_until,
    row.progress,
    row.maturity_days,
    row.account,
  ],
  expect: 1,
});

export const endTraining = (
  id: string,
  { status, message, model_version, ended_at }: Pick<TrainingRow, 'status' | 'message' | 'model_version' | 'ended_at'>,
): Statement => ({
  sql: 'UPDATE trainings SET status = ?, message = ?, model_version = ?, ended_at = ? WHERE id = ?',
  params: [status, message, model_version, ended_at, id],
});

/** Has no effect on a training that ended. */
export const failTraining = (id: string, now: number, message: string): Statement => ({
  sql: `UPDATE trainings SET status = 'failed', message = ?, ended_at = ? WHERE id = ? AND status = 'running'`,
  params: [message, now, id],
});

/** Fails the trainings whose lease expired, of one account or of all. */
export const failLost = (now: number, message: string, account?: string): Statement => ({
  sql: `UPDATE trainings SET status = 'failed', message = ?, ended_at = ? WHERE ${LEASE_EXPIRED}${
    account === undefined ? '' : ' AND account = ?'
  }`,
  params: [message, now, now, ...(account === undefined ? [] : [account])],
});

const LABELS_OF_LAST_TRAINING = `COALESCE((SELECT MAX(labels_through) FROM trainings r
  WHERE r.account = t.account AND r.status <> 'failed'), 0)`;
export interface DueAccount {
  readonly account: string;
  readonly tenant: number;
}
/**
 * Accounts with `labels` or more new labels since the last training that did not fail, and no training begun after
 * `since`.
 */
export const dueAccounts = (backend: Backend, since: number, labels: number): Promise<DueAccount[]> =>
  backend.readLong<DueAccount>(
    NO_TENANT,
    `SELECT account, tenant FROM (${PRODUCTION_TENANTS}) t
      WHERE NOT EXISTS (SELECT 1 FROM trainings r WHERE r.account = t.account AND r.started_at > ?)
      AND ${countLabelsAfter('t.tenant', LABELS_OF_LAST_TRAINING)} >= ?`,
    since,
    labels,
    labels,
  );
