import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';

export interface WebhookRow {
  readonly id: string;
  readonly tenant: number;
  readonly url: string;
  /** JSON array of message types. */
  readonly events: string;
  readonly label: string | null;
  readonly status: 'enabled' | 'disabled';
  readonly sealed_secret: Uint8Array;
  readonly created_at: number;
  readonly failing_since: number | null;
  /** The secret before the last rotation. It signs too until `previous_until`. */
  readonly sealed_previous_secret: Uint8Array | null;
  readonly previous_until: number | null;
}

/** Binds a sealed secret to its row: copied to another row, it does not decrypt. */
export const secretContext = (webhookId: string): string => `webhook ${webhookId}`;

const COLUMNS =
  'id, tenant, url, events, label, status, sealed_secret, created_at, failing_since, sealed_previous_secret, previous_until';

export const allWebhooks = (backend: Backend): Promise<WebhookRow[]> =>
  backend.readLong<WebhookRow>(NO_TENANT, `SELECT ${COLUMNS} FROM webhooks ORDER BY id`);

export const webhooksOf = (backend: Backend, tenant: number): Promise<WebhookRow[]> =>
  backend.readLong<WebhookRow>(tenant, `SELECT ${COLUMNS} FROM webhooks WHERE tenant = ? ORDER BY id`, tenant);

export const findWebhook = async (backend: Backend, tenant: number, id: string): Promise<WebhookRow | undefined> =>
  (await backend.read<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks WHERE id = ? AND tenant = ?`, id, tenant))[0];

/**
 * Writes nothing if the tenant has `max` endpoints. On PostgreSQL two inserts at once do not see each other; of two
 * with an audit entry, the second is refused by the head of the audit log and written again.
 */
export const insertWebhook = (row: WebhookRow, max: number): Statement => ({
  sql: `INSERT INTO webhooks (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
    WHERE (SELECT COUNT(*) FROM webhooks WHERE tenant = ?) < ?`,
  params: [
    row.id,
    row.tenant,
    row.url,
    row.events,
    row.label,
    row.status,
    row.sealed_secret,
    row.created_at,
    row.failing_since,
    row.sealed_previous_secret,
    row.previous_until,
    row.tenant,
    max,
  ],
  expect: 1,
});

/**
 * Writes nothing if the row changed since it was read. Two changes of different fields must not undo each other, nor
 * the disabling of the endpoint by the worker.
 */
export const updateWebhook = (before: WebhookRow, row: WebhookRow): Statement => ({
  sql: `UPDATE webhooks SET url = ?, events = ?, label = ?, status = ?, failing_since = ?
    WHERE id = ? AND tenant = ? AND url = ? AND events = ? AND label IS NOT DISTINCT FROM ?
      AND status = ? AND failing_since IS NOT DISTINCT FROM ?`,
  params: [
    row.url,
    row.events,
    row.label,
    row.status,
    row.failing_since,
    row.id,
    row.tenant,
    before.url,
    before.events,
    before.label,
    before.status,
    before.failing_since,
  ],
  expect: 1,
});

/** Of two concurrent rotations one writes nothing: otherwise one of the two returned secrets would never sign. */
export const replaceSecret = (before: WebhookRow, sealed: Uint8Array, previousUntil: number): Statement => ({
  sql: `UPDATE webhooks SET sealed_secret = ?, sealed_previous_secret = ?, previous_until = ?
    WHERE id = ? AND tenant = ? AND sealed_secret = ?`,
  params: [sealed, before.sealed_secret, previousUntil, before.id, before.tenant, before.sealed_secret],
  expect: 1,
});

/** Stores the same secrets, sealed with another key. Refused if a rotation replaced them since they were read. */
export const resealSecrets = (
  before: WebhookRow,
  sealed: Uint8Array,
  sealedPrevious: Uint8Array | null,
): Statement => ({
  sql: 'UPDATE webhooks SET sealed_secret = ?, sealed_previous_secret = ? WHERE id = ? AND sealed_secret = ?',
  params: [sealed, sealedPrevious, before.id, before.sealed_secret],
  expect: 1,
});

/**
 * Leaves the pending deliveries to the sweep: deleting a million rows here would delay every screening. None of them
 * is sent.
 */
export const deleteWebhook = (tenant: number, id: string): Statement => ({
  sql: 'DELETE FROM webhooks WHERE id = ? AND tenant = ?',
  params: [id, tenant],
  expect: 1,
});

/** Stores since when an endpoint fails, unless another process changed it first. */
export const setFailing = (id: string, before: number | null, since: number | null): Statement => ({
  sql:
    before === null
      ? 'UPDATE webhooks SET failing_since = ? WHERE id = ? AND failing_since IS NULL'
      : 'UPDATE webhooks SET failing_since = ? WHERE id = ? AND failing_since = ?',
  params: before === null ? [since, id] : [since, id, before],
});

export const disableFailing = (id: string, failingSince: number): Statement => ({
  sql: "UPDATE webhooks SET status = 'disabled' WHERE id = ? AND failing_since = ? AND status = 'enabled'",
  params: [id, failingSince],
  expect: 1,
});
