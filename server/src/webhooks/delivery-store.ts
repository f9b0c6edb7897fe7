import type { DeliveryStatus, WebhookType } from '@portcullis/contract';
import { type Backend, NO_TENANT, type Page, type Statement, type Value } from '../backend/backend.ts';
import type { Exchange } from './send.ts';

/** One attempt, as stored. The names are short because nearly every row has an attempt. */
export interface Attempt {
  readonly at: number;
  readonly status: number | null;
  readonly ms: number;
  readonly error: string | null;
}

export interface DeliveryRow {
  readonly webhook_id: string;
  readonly message_id: string;
  readonly type: WebhookType;
  readonly created_at: number;
  readonly status: DeliveryStatus;
  readonly due_at: number;
  /** JSON array of attempts. */
  readonly attempts: string;
}
export type StoredDelivery = DeliveryRow & { readonly body: string };
/** A delivery with status `owed`: pending, with all that the worker needs to send it. */
export interface PendingDelivery {
  readonly message_id: string;
  readonly body: string;
  readonly due_at: number;
  readonly attempts: string;
}

const COLUMNS = 'webhook_id, message_id, type, created_at, status, due_at, attempts';

/** Due at epoch 0: a new delivery is due even if the clocks of the writing and the sending process differ. */
const AT_ONCE = 0;

const INSERT = `INSERT INTO deliveries (webhook_id, message_id, tenant, type, body, created_at, status, due_at, attempts)
  SELECT id, ?, tenant, ?, ?, ?, 'owed', ${AT_ONCE}, '[]' FROM webhooks WHERE id = ? AND tenant = ? AND status = 'enabled'`;

/** Inserts a pending delivery, unless the endpoint was deleted or disabled since it was looked up. */
export const insertDelivery = (
  tenant: number,
  webhookId: string,
  message: { id: string; type: WebhookType; body: string; createdAt: number },
): Statement => ({
  sql: INSERT,
  params: [message.id, message.type, message.body, message.createdAt, webhookId, tenant],
});

export interface DeliveryFilter {
  readonly status: DeliveryStatus | undefined;
  readonly before?: string | undefined;
  readonly type?: WebhookType | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}
const CONDITIONS: Readonly<Record<keyof DeliveryFilter, string>> = {
  status: 'status = ?',
  before: 'message_id < ?',
  type: 'type = ?',
  from: 'created_at >= ?',
  until: 'created_at < ?',
};

export const listDeliveryRows = (
  backend: Backend,
  tenant: number,
  webhookId: string,
  filter: DeliveryFilter,
  limit: number,
  order: 'DESC' | 'ASC' = 'DESC',
): Promise<Page<DeliveryRow>> => {
  const conditions = ['webhook_id = ?', 'tenant = ?'];
  const params: Value[] = [webhookId, tenant];
  for (const [name, condition] of Object.entries(CONDITIONS) as [keyof DeliveryFilter, string][]) {
    const value = filter[name];
    if (value === undefined) continue;
    conditions.push(condition);
    params.push(value);
  }
  return backend.readPage<DeliveryRow>(
    tenant,
    limit,
    `SELECT ${COLUMNS} FROM deliveries WHERE ${conditions.join(' AND ')} ORDER BY message_id ${order}`,
    ...params,
  );
};

export const findDelivery = async (
  backend: Backend,
  tenant: number,
  webhookId: string,
  messageId: string,
): Promise<StoredDelivery | undefined> =>
  (
    await backend.read<StoredDelivery>(
      `SELECT ${COLUMNS}, body FROM deliveries WHERE webhook_id = ? AND message_id = ? AND tenant = ?`,
      webhookId,
      messageId,
      tenant,
    )
  )[0];

/** Makes a delivery pending again, due at once. The outcome of an attempt in flight is then ignored. */
export const retryDelivery = (tenant: number, webhookId: string, messageId: string): Statement => ({
  sql: `UPDATE deliveries SET status = 'owed', due_at = ${AT_ONCE} WHERE webhook_id = ? AND message_id = ? AND tenant = ?`,
  params: [webhookId, messageId, tenant],
  expect: 1,
});

/** Makes failed deliveries pending again, due at once. One that is not failed any more stays as it is. */
export const retryFailed = (tenant: number, webhookId: string, messageIds: readonly string[]): Statement[] =>
  messageIds.map((messageId) => ({
    sql: `UPDATE deliveries SET status = 'owed', due_at = ${AT_ONCE}
      WHERE webhook_id = ? AND message_id = ? AND tenant = ? AND status = 'failed'`,
    params: [webhookId, messageId, tenant],
  }));

export const dueDeliveries = (
  backend: Backend,
  webhookId: string,
  now: number,
  limit: number,
): Promise<PendingDelivery[]> =>
  backend.read<PendingDelivery>(
    `SELECT message_id, body, due_at, attempts FROM deliveries
      WHERE webhook_id = ? AND status = 'owed' AND due_at <= ? ORDER BY due_at, message_id LIMIT ?`,
    webhookId,
    now,
    limit,
  );

/** The enabled endpoints with a due delivery, by one index lookup each. */
export const withDue = async (backend: Backend, now: number): Promise<string[]> =>
  (
    await backend.read<{ id: string }>(
      `SELECT id FROM webhooks w WHERE status = 'enabled'
        AND EXISTS (SELECT 1 FROM deliveries WHERE webhook_id = w.id AND status = 'owed' AND due_at <= ?)`,
      now,
    )
  ).map(({ id }) => id);

/** Makes deliveries due at once that are due later than any wait: they were stored by a clock that was ahead. */
export const bringForward = (webhookId: string, latest: number): Statement => ({
  sql: `UPDATE deliveries SET due_at = ${AT_ONCE} WHERE webhook_id = ? AND status = 'owed' AND due_at > ?`,
  params: [webhookId, latest],
});

/** When the endpoint's last pending delivery is due; undefined without one. */
export const lastDue = async (backend: Backend, webhookId: string): Promise<number | undefined> =>
  (
    await backend.read<{ due: number | null }>(
      "SELECT MAX(due_at) AS due FROM deliveries WHERE webhook_id = ? AND status = 'owed'",
      webhookId,
    )
  )[0]?.due ?? undefined;

/** When the endpoint's next delivery is due; undefined without a pending one. */
export const nextDue = async (backend: Backend, webhookId: string): Promise<number | undefined> =>
  (
    await backend.read<{ due: number | null }>(
      "SELECT MIN(due_at) AS due FROM deliveries WHERE webhook_id = ? AND status = 'owed'",
      webhookId,
    )
  )[0]?.due ?? undefined;

/**
 * Leases a delivery by moving its due time to the end of the lease. Of several workers that read the same due time, one
 * succeeds; none does if the endpoint is deleted or disabled. A worker that dies loses the lease when it ends.
 */
export const lease = (webhookId: string, delivery: PendingDelivery, until: number): Statement => ({
  sql: `UPDATE deliveries SET due_at = ? WHERE webhook_id = ? AND message_id = ? AND status = 'owed' AND due_at = ?
    AND EXISTS (SELECT 1 FROM webhooks WHERE id = ? AND status = 'enabled')`,
  params: [until, webhookId, delivery.message_id, delivery.due_at, webhookId],
  expect: 1,
});

/** Stores the outcome of an attempt. It applies only while the worker still holds the lease. */
export const settle = (
  webhookId: string,
  leased: PendingDelivery,
  outcome: { status: DeliveryStatus; dueAt: number; attempts: string },
): Statement => ({
  sql: `UPDATE deliveries SET status = ?, due_at = ?, attempts = ?
    WHERE webhook_id = ? AND message_id = ? AND status = 'owed' AND due_at = ?`,
  params: [outcome.status, outcome.dueAt, outcome.attempts, webhookId, leased.message_id, leased.due_at],
});

/** Number of pending deliveries of an endpoint, and the id of the oldest. */
export const countPending = async (
  backend: Backend,
  webhookId: string,
): Promise<{ count: number; oldest: string | null }> =>
  (
    await backend.read<{ count: number; oldest: string | null }>(
      "SELECT COUNT(*) AS count, MIN(message_id) AS oldest FROM deliveries WHERE webhook_id = ? AND status = 'owed'",
      webhookId,
    )
  )[0] ?? { count: 0, oldest: null };

/** The stored attempts, followed by the new one. */
export const withAttempt = (
  delivery: PendingDelivery,
  at: number,
  { httpStatus, tookMs, error }: Exchange,
): Attempt[] => [
  ...(JSON.parse(delivery.attempts) as Attempt[]),
  { at, status: httpStatus, ms: Math.round(tookMs), error },
];

/** Number of pending deliveries of all these endpoints, and the id of the oldest. */
export const countPendingOfAll = async (
  backend: Backend,
  webhookIds: Iterable<string>,
): Promise<{ count: number; oldestId: string | null }> => {
  let count = 0;
  let oldestId: string | null = null;
  for (const id of webhookIds) {
    const pending = await countPending(backend, id);
    count += pending.count;
    if (pending.oldest !== null && (oldestId === null || pending.oldest < oldestId)) oldestId = pending.oldest;
  }
  return { count, oldestId };
};

const PENDING_OF = `SELECT COUNT(*) AS count FROM
  (SELECT 1 FROM webhooks w JOIN deliveries d ON d.webhook_id = w.id AND d.status = 'owed'
    WHERE w.tenant = ? AND w.status = 'enabled' LIMIT ?) p`;
/** Number of pending deliveries of a tenant's enabled endpoints, counted up to a limit. */
export const countPendingOf = async (backend: Backend, tenant: number, limit: number): Promise<number> =>
  (await backend.readLong<{ count: number }>(tenant, PENDING_OF, tenant, limit))[0]?.count ?? 0;

/** The next endpoint with deliveries, in order of id. It may be deleted. */
export const nextWithDeliveries = async (backend: Backend, after: string): Promise<string | undefined> =>
  (
    await backend.readLong<{ id: string | null }>(
      NO_TENANT,
      'SELECT MIN(webhook_id) AS id FROM deliveries WHERE webhook_id > ?',
      after,
    )
  )[0]?.id ?? undefined;

/** Message ids of the oldest deliveries of an endpoint in a table, older than `before`. */
export const oldestDeliveries = async (
  backend: Backend,
  table: string,
  webhookId: string,
  before: string,
  limit: number,
): Promise<string[]> =>
  (
    await backend.readLong<{ id: string }>(
      NO_TENANT,
      `SELECT message_id AS id FROM ${table} WHERE webhook_id = ? AND message_id < ? ORDER BY message_id LIMIT ?`,
      webhookId,
      before,
      limit,
    )
  ).map(({ id }) => id);

export const deleteDeliveries = (table: string, webhookId: string, through: string): Statement => ({
  sql: `DELETE FROM ${table} WHERE webhook_id = ? AND message_id <= ?`,
  params: [webhookId, through],
});

/** Deletes the deliveries of a deleted endpoint. Checks the deletion: the endpoint may have just been created. */
export const deleteOrphanedDeliveries = (table: string, webhookId: string, through: string): Statement => ({
  sql: `DELETE FROM ${table} WHERE webhook_id = ? AND message_id <= ? AND NOT EXISTS (SELECT 1 FROM webhooks WHERE id = ?)`,
  params: [webhookId, through, webhookId],
});

/** The primary key and the content of a delivery. */
export interface DeliveryBody {
  readonly webhook_id: string;
  readonly message_id: string;
  readonly body: string;
}
/** Deliveries of a tenant after one, in the order of their keys. */
export const bodiesAfter = (
  backend: Backend,
  tenant: number,
  after: Pick<DeliveryBody, 'webhook_id' | 'message_id'>,
  limit: number,
): Promise<Page<DeliveryBody>> =>
  backend.readPage<DeliveryBody>(
    tenant,
    limit,
    `SELECT webhook_id, message_id, body FROM deliveries WHERE tenant = ? AND (webhook_id, message_id) > (?, ?)
      ORDER BY webhook_id, message_id`,
    tenant,
    after.webhook_id,
    after.message_id,
  );

export const replaceBody = (tenant: number, { webhook_id, message_id, body }: DeliveryBody): Statement => ({
  sql: 'UPDATE deliveries SET body = ? WHERE webhook_id = ? AND message_id = ? AND tenant = ?',
  params: [body, webhook_id, message_id, tenant],
});
