import type { Backend, Statement } from '../backend/backend.ts';

export interface WebhookRow {
  readonly id: string;
  readonly tenant: number;
  readonly url: string;
  /** JSON array of types. */
  readonly events: string;
  readonly label: string | null;
  readonly status: 'enabled' | 'disabled';
  readonly sealed_secret: Uint8Array;
  readonly created_at: number;
  readonly failing_since: number | null;
  /** The secret before the last rotation; signs too until `previous_until`. */
  readonly sealed_previous_secret: Uint8Array | null;
  readonly previous_until: number | null;
}

/** A sealed secret opens in its own row alone. */
export const secretContext = (webhookId: string): string => `webhook ${webhookId}`;

const COLUMNS =
  'id, tenant, url, events, label, status, sealed_secret, created_at, failing_since, sealed_previous_secret, previous_until';

export const allWebhooks = (backend: Backend): Promise<WebhookRow[]> =>
  backend.read<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks ORDER BY id`);

export const webhooksOf = (backend: Backend, tenant: number): Promise<WebhookRow[]> =>
  backend.read<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks WHERE tenant = ? ORDER BY id`, tenant);

export const findWebhook = async (backend: Backend, tenant: number, id: string): Promise<WebhookRow | undefined> =>
  (await backend.read<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks WHERE id = ? AND tenant = ?`, id, tenant))[0];

export const insertWebhook = (row: WebhookRow): Statement => ({
  sql: `INSERT INTO webhooks (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
  ],
});

/** Refused when it is no longer as it was read: two who change different members must not undo each other, nor the worker that disables it. */
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

/** Of two at once, one is refused: else the secret that one of them answered with would sign nothing. */
export const replaceSecret = (before: WebhookRow, sealed: Uint8Array, previousUntil: number): Statement => ({
  sql: `UPDATE webhooks SET sealed_secret = ?, sealed_previous_secret = ?, previous_until = ?
    WHERE id = ? AND tenant = ? AND sealed_secret = ?`,
  params: [sealed, before.sealed_secret, previousUntil, before.id, before.tenant, before.sealed_secret],
  expect: 1,
});

/** What is owed to it stays behind for the sweep: a million rows deleted here would keep every screening waiting. Nothing of it is sent. */
export const deleteWebhook = (tenant: number, id: string): Statement => ({
  sql: 'DELETE FROM webhooks WHERE id = ? AND tenant = ?',
  params: [id, tenant],
  expect: 1,
});

/** Since when an endpoint fails. Nobody's change of the endpoint in the meantime is overwritten. */
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
