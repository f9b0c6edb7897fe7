import { type DeliveriesRetried, type Delivery, type DeliveryList, MAX_RETRIED } from '@portcullis/contract';
import { readTimestamp, writeTimestamp } from '@portcullis/contract/values';
import type { Audit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import type { Seal } from '../secrets/seal.ts';
import { ApiError, invalidRequest, notFound } from '../validation/errors.ts';
import { detailOf } from './delivery-detail.ts';
import {
  type Attempt,
  type DeliveryRow,
  findDelivery,
  listDeliveryRows,
  retryDelivery,
  retryFailed,
  type StoredDelivery,
} from './delivery-store.ts';
import type { WebhookRow } from './store.ts';
import { toWebhook, type Webhooks } from './webhooks.ts';

const DEFAULT_LIMIT = 20;

const toDelivery = (row: DeliveryRow): Delivery => ({
  message_id: withPrefix('message', row.message_id),
  webhook_id: withPrefix('webhook', row.webhook_id),
  type: row.type,
  status: row.status,
  created_at: writeTimestamp(row.created_at),
  // A delivery that is due at once has due time 0; its creation is shown instead.
  next_attempt_at: row.status === 'owed' ? writeTimestamp(Math.max(row.due_at, row.created_at)) : null,
  attempts: (JSON.parse(row.attempts) as Attempt[]).map(({ at, status, ms, error }) => ({
    attempted_at: writeTimestamp(at),
    http_status: status,
    latency_ms: ms,
    error,
  })),
});

const requireEnabled = (row: WebhookRow): void => {
  if (row.status === 'enabled') return;
  throw new ApiError(
    'webhook_disabled',
    'This endpoint is disabled and receives no messages. Enable it with PUT and {"status": "enabled"}.',
  );
};

/** The times of a query or body; undefined where they are not bounded. */
const spanOf = ({ from, until }: { readonly from?: string | undefined; readonly until?: string | undefined }) => ({
  from: from === undefined ? undefined : readTimestamp(from),
  until: until === undefined ? undefined : readTimestamp(until),
});

/** Handlers that list, retry and test the deliveries of an endpoint. */
export const makeDeliveryRoutes = (deps: {
  backend: Backend;
  audit: Pick<Audit, 'write'>;
  webhooks: Webhooks;
  seal: Seal;
  clock: () => number;
}) => {
  const { backend, audit, webhooks, seal, clock } = deps;

  const list = async (call: Call<'listDeliveries'>): Promise<Answer> => {
    const { id, tenant } = await webhooks.find(call);
    const { status, type, from, until, limit = DEFAULT_LIMIT, before } = call.query;
    const messageId = before === undefined ? undefined : idOf('message', before);
    if (before !== undefined && messageId === undefined) {
      throw invalidRequest([{ field: 'before', message: 'must be the `message_id` of a delivery' }]);
    }
    const filter = { status, type, ...spanOf({ from, until }), before: messageId };
    const { rows, hasMore } = await listDeliveryRows(backend, tenant, id, filter, limit);
    const deliveries: DeliveryList = { deliveries: rows.map(toDelivery), has_more: hasMore };
    return call.answer(deliveries);
  };

  const requireDelivery = async ({ tenant, id }: WebhookRow, message: string): Promise<StoredDelivery> => {
    const messageId = idOf('message', message);
    const row = messageId === undefined ? undefined : await findDelivery(backend, tenant, id, messageId);
    if (row === undefined) throw notFound('delivery');
    return row;
  };

  const get = async (call: Call<'getDelivery'>): Promise<Answer> => {
    const webhook = await webhooks.find(call);
    const row = await requireDelivery(webhook, call.params.message_id);
    return call.answer(detailOf(seal, webhook, row, toDelivery(row)));
  };

  /** Makes the oldest failed deliveries pending again, in one unit with one audit entry. */
  const retryAll = async (call: Call<'retryDeliveries'>): Promise<Answer> => {
    const webhook = await webhooks.find(call);
    requireEnabled(webhook);
    const { tenant, id } = webhook;
    const { status, ...span } = call.body;
    const { rows, hasMore } = await listDeliveryRows(
      backend,
      tenant,
      id,
      { status, ...spanOf(span) },
      MAX_RETRIED,
      'ASC',
    );
    const retried: DeliveriesRetried = { retried: rows.length, more: hasMore };
    const answer = call.answer(retried);
    const change = {
      action: 'webhook.deliveries_retried',
      target: withPrefix('webhook', id),
      before: null,
      after: { ...call.body, retried: rows.length },
    };
    const messages = rows.map(({ message_id }) => message_id);
    await audit.write(call.caller, change, [...retryFailed(tenant, id, messages), ...answer.statements]);
    webhooks.sendTo(id);
    return answer;
  };

  const retry = async (call: Call<'retryDelivery'>): Promise<Answer> => {
    const webhook = await webhooks.find(call);
    const row = await requireDelivery(webhook, call.params.message_id);
    requireEnabled(webhook);
    const now = clock();
    const retried = toDelivery({ ...row, status: 'owed', due_at: now });
    const answer = call.answer(retried);
    const change = {
      action: 'delivery.retried',
      target: retried.message_id,
      before: { webhook_id: retried.webhook_id, status: row.status },
      after: { webhook_id: retried.webhook_id, status: retried.status },
    };
    const { written } = await audit.write(call.caller, change, [
      retryDelivery(webhook.tenant, webhook.id, row.message_id),
      ...answer.statements,
    ]);
    if (!written) throw notFound('delivery');
    webhooks.sendTo(webhook.id);
    return answer;
  };

  const test = async (call: Call<'testWebhook'>): Promise<Answer> => {
    const webhook = await webhooks.find(call);
    requireEnabled(webhook);
    const now = clock();
    const data = JSON.stringify(toWebhook(webhook, now));
    const { messageId, statement } = webhooks.enqueueFor(webhook.id, call.caller, 'webhook.test', data, now);
    const delivery = toDelivery({
      webhook_id: webhook.id,
      message_id: messageId,
      type: 'webhook.test',
      created_at: now,
      status: 'owed',
      due_at: now,
      attempts: '[]',
    });
    const answer = call.answer(delivery);
    const { message_id } = delivery;
    const change = { action: 'webhook.tested', target: delivery.webhook_id, before: null, after: { message_id } };
    const { written } = await audit.write(call.caller, change, [statement, ...answer.statements]);
    if (!written) throw notFound('webhook');
    webhooks.sendTo(webhook.id);
    return answer;
  };

  return { list, get, retry, retryAll, test };
};
export type DeliveryRoutes = ReturnType<typeof makeDeliveryRoutes>;
