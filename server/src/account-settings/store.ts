import type { Backend, Statement } from '../backend/backend.ts';

export interface SettingsRow {
  readonly name: string | null;
  readonly time_zone: string;
  readonly review_target_minutes: number | null;
  /** 1 if rejecting a case needs notes. */
  readonly note_required: 0 | 1;
  readonly updated_at: number | null;
}

export const NO_SETTINGS: SettingsRow = {
  name: null,
  time_zone: 'UTC',
  review_target_minutes: null,
  note_required: 0,
  updated_at: null,
};

const COLUMNS = 'name, time_zone, review_target_minutes, note_required, updated_at';

export const readSettings = async (backend: Backend, tenant: number): Promise<SettingsRow> =>
  (await backend.read<SettingsRow>(`SELECT ${COLUMNS} FROM account_settings WHERE tenant = ?`, tenant))[0] ??
  NO_SETTINGS;

export const putSettings = (tenant: number, row: SettingsRow): Statement => ({
  sql: `INSERT INTO account_settings (tenant, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant) DO UPDATE SET name = excluded.name, time_zone = excluded.time_zone,
      review_target_minutes = excluded.review_target_minutes, note_required = excluded.note_required,
      updated_at = excluded.updated_at`,
  params: [tenant, row.name, row.time_zone, row.review_target_minutes, row.note_required, row.updated_at],
});
