import type { WebhookType } from '@portcullis/contract';
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
}

const COLUMNS = 'id, tenant, url, events, label, status, sealed_secret, created_at';

export const allWebhooks = (backend: Backend): Promise<WebhookRow[]> =>
  backend.read<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks ORDER BY id`);

export const webhooksOf = (backend: Backend, tenant: number): Promise<WebhookRow[]> =>
  backend.read<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks WHERE tenant = ? ORDER BY id`, tenant);

export const insertWebhook = (row: WebhookRow): Statement => ({
  sql: `INSERT INTO webhooks (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  params: [row.id, row.tenant, row.url, row.events, row.label, row.status, row.sealed_secret, row.created_at],
});

/** The endpoint and what is still owed to it go together: after a deletion nothing further is sent. */
export const deleteWebhook = (tenant: number, id: string): Statement[] => [
  { sql: 'DELETE FROM webhooks WHERE id = ? AND tenant = ?', params: [id, tenant], expect: 1 },
  { sql: 'DELETE FROM outbox WHERE tenant = ? AND webhook_id = ?', params: [tenant, id] },
];

const OWE = `INSERT INTO outbox (message_id, webhook_id, tenant, type, body, created_at)
  SELECT ?, id, tenant, ?, ?, ? FROM webhooks WHERE id = ? AND tenant = ?`;

/** Written only while the endpoint exists: one deleted since it was looked up is owed nothing. */
export const insertOwed = (
  tenant: number,
  webhookId: string,
  message: { id: string; type: WebhookType; body: string; createdAt: number },
): Statement => ({
  sql: OWE,
  params: [message.id, message.type, message.body, message.createdAt, webhookId, tenant],
});
