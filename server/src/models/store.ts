import type { ModelFile, ModelStatus } from '@portcullis/contract';
import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';

export interface ModelRow {
  readonly account: string;
  readonly model_version: string;
  readonly status: ModelStatus;
  readonly reason: string | null;
  /** The model file, as JSON. */
  readonly file: string;
  /** Its `ModelReport`, as JSON. */
  readonly told: string;
  /** Items from this time on were not used in training. */
  readonly learned_until: number;
  readonly trained_at: number;
  readonly trained_by: string | null;
  readonly promoted_at: number | null;
  /** Version of the champion before it; null for the base model. */
  readonly previous: string | null;
}

const COLUMNS =
  'account, model_version, status, reason, file, told, learned_until, trained_at, trained_by, promoted_at, previous';

export const allChampions = (backend: Backend): Promise<ModelRow[]> =>
  backend.readLong<ModelRow>(NO_TENANT, `SELECT ${COLUMNS} FROM models WHERE status = 'champion'`);

export const storedChampion = async (backend: Backend, account: string): Promise<string | undefined> =>
  (
    await backend.read<Pick<ModelRow, 'model_version'>>(
      `SELECT model_version FROM models WHERE account = ? AND status = 'champion'`,
      account,
    )
  )[0]?.model_version;

export const modelsOf = (backend: Backend, tenant: number, account: string): Promise<ModelRow[]> =>
  backend.readLong<ModelRow>(
    tenant,
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

/**
 * Equal training rows give an equal model, so the row may exist. It is updated if the model never scored, else the
 * write is refused.
 */
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

/** Retires the champion; null is the base model, which has no row. Refused when another model became champion. */
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

export const promoteModel = (account: string, version: string, at: number, previous: string | null): Statement => ({
  sql: `UPDATE models SET status = 'champion', promoted_at = ?, previous = ? WHERE account = ? AND model_version = ?`,
  params: [at, previous, account, version],
  expect: 1,
});

/**
 * Takes a model out of the chain of `previous`, before it is promoted again: its successor then points to its
 * predecessor. Without this, rollbacks would go round in a circle and never reach the base model.
 */
export const unlink = (account: string, version: string): Statement => ({
  sql: `UPDATE models SET previous = (SELECT m.previous FROM models m WHERE m.account = ? AND m.model_version = ?)
    WHERE account = ? AND previous = ?`,
  params: [account, version, account, version],
});

/** Deletes all but the newest `keep` models that never scored: no decision refers to them. */
export const pruneModels = (account: string, keep: number): Statement => ({
  sql: `DELETE FROM models WHERE account = ? AND promoted_at IS NULL AND model_version NOT IN
    (SELECT model_version FROM models WHERE account = ? AND promoted_at IS NULL
      ORDER BY trained_at DESC, model_version DESC LIMIT ?)`,
  params: [account, account, keep],
});

/** Written before the base model scores, so that every decision can be explained with its model. */
export const putBase = (file: ModelFile): Statement => ({
  sql: 'INSERT INTO base_models (model_version, file) VALUES (?, ?) ON CONFLICT (model_version) DO NOTHING',
  params: [file.model_version, JSON.stringify(file)],
});

/** The file of the current or an earlier base model. Base models belong to the installation, not to an account. */
export const findBase = async (backend: Backend, version: string): Promise<Pick<ModelRow, 'file'> | undefined> =>
  (await backend.read<Pick<ModelRow, 'file'>>('SELECT file FROM base_models WHERE model_version = ?', version))[0];

export const replaceFile = (account: string, version: string, file: string): Statement => ({
  sql: 'UPDATE models SET file = ? WHERE account = ? AND model_version = ?',
  params: [file, account, version],
});
