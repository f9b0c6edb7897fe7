import type { ModelFile, ModelStatus, Training } from '@portcullis/contract';
import type { Backend, Statement } from '../backend/backend.ts';

export interface ModelRow {
  readonly account: string;
  readonly model_version: string;
  readonly status: ModelStatus;
  readonly reason: string | null;
  /** The model file, and what is told of it, as JSON. */
  readonly file: string;
  readonly told: string;
  readonly learned_until: number;
  readonly trained_at: number;
  readonly trained_by: string | null;
  readonly promoted_at: number | null;
  /** Who was champion before it; null for the model that ships. */
  readonly previous: string | null;
}
export interface TrainingRow {
  readonly id: string;
  readonly account: string;
  readonly status: Training['status'];
  readonly message: string | null;
  readonly model_version: string | null;
  readonly started_at: number;
  readonly started_by: string | null;
  readonly ended_at: number | null;
  /** The newest label there was when it began. */
  readonly labels_through: number;
  /** While it runs: until when its process can be counted on, and how far it was when that was said. */
  readonly alive_until: number;
  readonly progress: number;
  /** What was asked for. */
  readonly maturity_days: number;
}
/** Of one that no process has begun yet. */
export const WAITS = -1;

const COLUMNS =
  'account, model_version, status, reason, file, told, learned_until, trained_at, trained_by, promoted_at, previous';

export const champions = (backend: Backend): Promise<ModelRow[]> =>
  backend.read<ModelRow>(`SELECT ${COLUMNS} FROM models WHERE status = 'champion'`);

export const storedChampion = async (backend: Backend, account: string): Promise<string | undefined> =>
  (
    await backend.read<Pick<ModelRow, 'model_version'>>(
      `SELECT model_version FROM models WHERE account = ? AND status = 'champion'`,
      account,
    )
  )[0]?.model_version;

export const modelsOf = (backend: Backend, account: string): Promise<ModelRow[]> =>
  backend.read<ModelRow>(
    `SELECT ${COLUMNS} FROM models WHERE account = ? ORDER BY trained_at DESC, model_version DESC`,
    account,
  );

export const findModel = async (backend: Backend, account: string, version: string): Promise<ModelRow | undefined> =>
  (
    await backend.read<ModelRow>(
      `SELECT ${COLUMNS} FROM models WHERE account = ? AND model_version = ?`,
      account,
      version,
    )
  )[0];

/** The same rows give the same model: one that never scored is what its newest training says of it. Refused where it has scored. */
export const putModel = (row: ModelRow): Statement => ({
  sql: `INSERT INTO models (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (account, model_version) DO UPDATE SET status = excluded.status, reason = excluded.reason,
      told = excluded.told, trained_at = excluded.trained_at, trained_by = excluded.trained_by
    WHERE models.promoted_at IS NULL`,
  params: [
    row.account,
    row.model_version,
    row.status,
    row.reason,
    row.file,
    row.told,
    row.learned_until,
    row.trained_at,
    row.trained_by,
    row.promoted_at,
    row.previous,
  ],
  expect: 1,
});

/** Who is champion no more. Refused when somebody else was meanwhile; `champion` null is the model that ships, which has no row. */
export const retire = (account: string, champion: string | null): Statement =>
  champion === null
    ? {
        sql: `UPDATE models SET status = 'retired' WHERE account = ? AND status = 'champion'`,
        params: [account],
        expect: 0,
      }
    : {
        sql: `UPDATE models SET status = 'retired' WHERE account = ? AND model_version = ? AND status = 'champion'`,
        params: [account, champion],
        expect: 1,
      };

export const crown = (account: string, version: string, at: number, previous: string | null): Statement => ({
  sql: `UPDATE models SET status = 'champion', promoted_at = ?, previous = ? WHERE account = ? AND model_version = ?`,
  params: [at, previous, account, version],
  expect: 1,
});

/**
 * Whoever would go back to it goes back to the one before it instead. A model that is promoted again stands before the champion of now; if it stood behind it as
 * well, going back would go round and never come to the model that ships.
 */
export const takeOut = (account: string, version: string): Statement => ({
  sql: `UPDATE models SET previous = (SELECT m.previous FROM models m WHERE m.account = ? AND m.model_version = ?)
    WHERE account = ? AND previous = ?`,
  params: [account, version, account, version],
});

/** What was never in force is kept for a while only: no decision names it. */
export const pruneModels = (account: string, keep: number): Statement => ({
  sql: `DELETE FROM models WHERE account = ? AND promoted_at IS NULL AND model_version NOT IN
    (SELECT model_version FROM models WHERE account = ? AND promoted_at IS NULL
      ORDER BY trained_at DESC, model_version DESC LIMIT ?)`,
  params: [account, account, keep],
});

/** Before it scores: a decision must not outlive the model it was made with. */
export const keepBase = (file: ModelFile): Statement => ({
  sql: 'INSERT INTO base_models (model_version, file) VALUES (?, ?) ON CONFLICT (model_version) DO NOTHING',
  params: [file.model_version, JSON.stringify(file)],
});

/** The file of a base model, of now or of before. It is of the installation, and no account's. */
export const findBase = async (backend: Backend, version: string): Promise<Pick<ModelRow, 'file'> | undefined> =>
  (await backend.read<Pick<ModelRow, 'file'>>('SELECT file FROM base_models WHERE model_version = ?', version))[0];

const TRAINING =
  'id, account, status, message, model_version, started_at, started_by, ended_at, labels_through, alive_until, progress, maturity_days';

export const findTraining = async (backend: Backend, account: string, id: string): Promise<TrainingRow | undefined> =>
  (await backend.read<TrainingRow>(`SELECT ${TRAINING} FROM trainings WHERE id = ? AND account = ?`, id, account))[0];

/** Refused while another of the account is under way. */
export const insertTraining = (row: TrainingRow): Statement => ({
  sql: `INSERT INTO trainings (${TRAINING}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
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

export const keepAlive = (id: string, until: number, progress: number): Statement => ({
  sql: `UPDATE trainings SET alive_until = ?, progress = ? WHERE id = ? AND status = 'running'`,
  params: [until, progress, id],
});

/** Unless it came to an end. */
export const failTraining = (id: string, now: number, message: string): Statement => ({
  sql: `UPDATE trainings SET status = 'failed', message = ?, ended_at = ? WHERE id = ? AND status = 'running'`,
  params: [message, now, id],
});

/** Those of processes that have not been heard of for too long; without an account, of all. */
export const failLost = (now: number, message: string, account?: string): Statement => ({
  sql: `UPDATE trainings SET status = 'failed', message = ?, ended_at = ? WHERE status = 'running' AND alive_until < ? AND alive_until <> ${WAITS}${
    account === undefined ? '' : ' AND account = ?'
  }`,
  params: [message, now, now, ...(account === undefined ? [] : [account])],
});

/** The oldest that no process has begun. */
export const firstWaiting = async (backend: Backend): Promise<TrainingRow | undefined> =>
  (
    await backend.read<TrainingRow>(
      `SELECT ${TRAINING} FROM trainings WHERE status = 'running' AND alive_until = ${WAITS} ORDER BY started_at, id LIMIT 1`,
    )
  )[0];

/** Refused where another process was first. */
export const takeWaiting = (id: string, until: number): Statement => ({
  sql: `UPDATE trainings SET alive_until = ?, message = NULL WHERE id = ? AND status = 'running' AND alive_until = ${WAITS}`,
  params: [until, id],
  expect: 1,
});

export const newestLabel = async (backend: Backend, tenant: number): Promise<number> =>
  (await backend.read<{ newest: number | null }>('SELECT MAX(seq) AS newest FROM labels WHERE tenant = ?', tenant))[0]
    ?.newest ?? 0;

export interface Due {
  readonly account: string;
  readonly tenant: number;
}
/** Accounts with so many labels, or more, since the last training that did not fail, and none begun since a moment. */
export const dueAccounts = (backend: Backend, since: number, labels: number): Promise<Due[]> =>
  backend.read<Due>(
    `SELECT account, tenant FROM tenants t WHERE environment = 'production'
      AND NOT EXISTS (SELECT 1 FROM trainings r WHERE r.account = t.account AND r.started_at > ?)
      AND (SELECT COUNT(*) FROM (SELECT 1 FROM labels l WHERE l.tenant = t.tenant AND l.seq >
        COALESCE((SELECT MAX(labels_through) FROM trainings r WHERE r.account = t.account AND r.status <> 'failed'), 0)
        LIMIT ?) AS newer) >= ?`,
    since,
    labels,
    labels,
  );
