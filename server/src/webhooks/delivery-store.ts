import type { DeliveryStatus, WebhookType } from '@portcullis/contract';
import type { Backend, Statement, Value } from '../backend/backend.ts';
import type { Exchange } from './send.ts';

/** One try, as it is kept: short names, because there is one in nearly every row. */
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
/** What a worker needs to send one. */
export interface Owed {
  readonly message_id: string;
  readonly body: string;
  readonly due_at: number;
  readonly attempts: string;
}

const COLUMNS = 'webhook_id, message_id, type, created_at, status, due_at, attempts';

/** Due from the beginning of time: what is new is due whatever the clocks of the one who writes and the one who sends say. */
const AT_ONCE = 0;

const OWE = `INSERT INTO deliveries (webhook_id, message_id, tenant, type, body, created_at, status, due_at, attempts)
  SELECT id, ?, tenant, ?, ?, ?, 'owed', ${AT_ONCE}, '[]' FROM webhooks WHERE id = ? AND tenant = ? AND status = 'enabled'`;

/** Written only while the endpoint exists and is enabled: one deleted since it was looked up is owed nothing. */
export const insertOwed = (
  tenant: number,
  webhookId: string,
  message: { id: string; type: WebhookType; body: string; createdAt: number },
): Statement => ({
  sql: OWE,
  params: [message.id, message.type, message.body, message.createdAt, webhookId, tenant],
});

export interface DeliveryFilter {
  readonly status: DeliveryStatus | undefined;
  readonly before: string | undefined;
}

export const listDeliveryRows = (
  backend: Backend,
  tenant: number,
  webhookId: string,
  { status, before }: DeliveryFilter,
  limit: number,
): Promise<DeliveryRow[]> => {
  const conditions = ['webhook_id = ?', 'tenant = ?'];
  const params: Value[] = [webhookId, tenant];
  if (status !== undefined) {
    conditions.push('status = ?');
    params.push(status);
  }
  if (before !== undefined) {
    conditions.push('message_id < ?');
    params.push(before);
  }
  return backend.read<DeliveryRow>(
    `SELECT ${COLUMNS} FROM deliveries WHERE ${conditions.join(' AND ')} ORDER BY message_id DESC LIMIT ?`,
    ...params,
    limit,
  );
};

export const findDelivery = async (
  backend: Backend,
  tenant: number,
  webhookId: string,
  messageId: string,
): Promise<DeliveryRow | undefined> =>
  (
    await backend.read<DeliveryRow>(
      `SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? AND message_id = ? AND tenant = ?`,
      webhookId,
      messageId,
      tenant,
    )
  )[0];

/** Owed once more, at once. An attempt under way then ends without a say: it was made under another due time. */
export const oweAgain = (tenant: number, webhookId: string, messageId: string): Statement => ({
  sql: `UPDATE deliveries SET status = 'owed', due_at = ${AT_ONCE} WHERE webhook_id = ? AND message_id = ? AND tenant = ?`,
  params: [webhookId, messageId, tenant],
  expect: 1,
});

export const dueDeliveries = (backend: Backend, webhookId: string, now: number, limit: number): Promise<Owed[]> =>
  backend.read<Owed>(
    `SELECT message_id, body, due_at, attempts FROM deliveries
      WHERE webhook_id = ? AND status = 'owed' AND due_at <= ? ORDER BY due_at, message_id LIMIT ?`,
    webhookId,
    now,
    limit,
  );

/** The endpoints that something is due to: one look for each at the index of what is owed. */
export const withDue = async (backend: Backend, now: number): Promise<string[]> =>
  (
    await backend.read<{ id: string }>(
      `SELECT id FROM webhooks w WHERE status = 'enabled'
        AND EXISTS (SELECT 1 FROM deliveries WHERE webhook_id = w.id AND status = 'owed' AND due_at <= ?)`,
      now,
    )
  ).map(({ id }) => id);

/** When the endpoint's next delivery is due; undefined when nothing is owed to it. */
export const nextDue = async (backend: Backend, webhookId: string): Promise<number | undefined> =>
  (
    await backend.read<{ due: number | null }>(
      "SELECT MIN(due_at) AS due FROM deliveries WHERE webhook_id = ? AND status = 'owed'",
      webhookId,
    )
  )[0]?.due ?? undefined;

/**
 * Takes a delivery until a moment: nobody finds it due before. Refused to all but one of those who saw it due, and to all when its
 * endpoint is gone. Whoever took it and ended without a word has lost it when the moment comes.
 */
export const lease = (webhookId: string, owed: Owed, until: number): Statement => ({
  sql: `UPDATE deliveries SET due_at = ? WHERE webhook_id = ? AND message_id = ? AND status = 'owed' AND due_at = ?
    AND EXISTS (SELECT 1 FROM webhooks WHERE id = ? AND status = 'enabled')`,
  params: [until, webhookId, owed.message_id, owed.due_at, webhookId],
  expect: 1,
});

/** What became of an attempt, told by the one who holds the lease. */
export const settle = (
  webhookId: string,
  leased: Owed,
  outcome: { status: DeliveryStatus; dueAt: number; attempts: string },
): Statement => ({
  sql: `UPDATE deliveries SET status = ?, due_at = ?, attempts = ?
    WHERE webhook_id = ? AND message_id = ? AND status = 'owed' AND due_at = ?`,
  params: [outcome.status, outcome.dueAt, outcome.attempts, webhookId, leased.message_id, leased.due_at],
});

/** How much is owed to an endpoint, and the oldest of it. */
export const owedTo = async (backend: Backend, webhookId: string): Promise<{ count: number; oldest: string | null }> =>
  (
    await backend.read<{ count: number; oldest: string | null }>(
      "SELECT COUNT(*) AS count, MIN(message_id) AS oldest FROM deliveries WHERE webhook_id = ? AND status = 'owed'",
      webhookId,
    )
  )[0] ?? { count: 0, oldest: null };
/** The attempts so far, and the one that was just made. */
export const withAttempt = (owed: Owed, at: number, { httpStatus, tookMs, error }: Exchange): Attempt[] => [
  ...(JSON.parse(owed.attempts) as Attempt[]),
  { at, status: httpStatus, ms: Math.round(tookMs), error },
];

/** How much is owed to these together, and the id of the oldest of it. */
export const owedToAll = async (
  backend: Backend,
  webhookIds: Iterable<string>,
): Promise<{ count: number; oldestId: string | null }> => {
  let count = 0;
  let oldestId: string | null = null;
  for (const id of webhookIds) {
    const owed = await owedTo(backend, id);
    count += owed.count;
    if (owed.oldest !== null && (oldestId === null || owed.oldest < oldestId)) oldestId = owed.oldest;
  }
  return { count, oldestId };
};

/** The endpoint, deleted or not, that comes after another among those with deliveries. */
export const nextWithDeliveries = async (backend: Backend, after: string): Promise<string | undefined> =>
  (
    await backend.read<{ id: string | null }>(
      'SELECT MIN(webhook_id) AS id FROM deliveries WHERE webhook_id > ?',
      after,
    )
  )[0]?.id ?? undefined;

/** The oldest of an endpoint's deliveries, before a message. */
export const oldestDeliveries = async (
  backend: Backend,
  webhookId: string,
  before: string,
  limit: number,
): Promise<string[]> =>
  (
    await backend.read<{ id: string }>(
      'SELECT message_id AS id FROM deliveries WHERE webhook_id = ? AND message_id < ? ORDER BY message_id LIMIT ?',
      webhookId,
      before,
      limit,
    )
  ).map(({ id }) => id);

export const deleteDeliveries = (webhookId: string, through: string): Statement => ({
  sql: 'DELETE FROM deliveries WHERE webhook_id = ? AND message_id <= ?',
  params: [webhookId, through],
});

/** Only where the endpoint is gone, which is asked as it is done: one that was not there a moment ago may have been made since, and be owed something. */
export const deleteOfGone = (webhookId: string, through: string): Statement => ({
  sql: `DELETE FROM deliveries WHERE webhook_id = ? AND message_id <= ? AND NOT EXISTS (SELECT 1 FROM webhooks WHERE id = ?)`,
  params: [webhookId, through, webhookId],
});
