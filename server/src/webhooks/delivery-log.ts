import { type Delivery, type DeliveryList, type DeliveryQuery, writeTimestamp } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import { ApiError, invalidRequest, notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, withPrefix } from '../ids.ts';
import { type Attempt, type DeliveryRow, findDelivery, listDeliveryRows, oweAgain } from './delivery-store.ts';
import type { WebhookRow } from './store.ts';
import { toWebhook, type Webhooks } from './webhooks.ts';

const DEFAULT_LIMIT = 20;

const toDelivery = (row: DeliveryRow): Delivery => ({
  message_id: withPrefix('message', row.message_id),
  webhook_id: withPrefix('webhook', row.webhook_id),
  type: row.type,
  status: row.status,
  created_at: writeTimestamp(row.created_at),
  // What is due at once was so when it was made.
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
    'This endpoint is disabled: nothing is sent to it. Enable it with PUT and {"status": "enabled"}.',
  );
};

/** What was and is to be sent to an endpoint, for people. */
export const makeDeliveryLog = (deps: { backend: Backend; webhooks: Webhooks; clock: () => number }) => {
  const { backend, webhooks, clock } = deps;

  const list = async (call: Call): Promise<Answer> => {
    const { id, tenant } = await webhooks.find(call);
    const { status, limit = DEFAULT_LIMIT, before } = call.query as DeliveryQuery;
    const messageId = before === undefined ? undefined : idOf('message', before);
    if (before !== undefined && messageId === undefined) {
      throw invalidRequest([{ field: 'before', message: 'must be the `message_id` of a delivery' }]);
    }
    const rows = await listDeliveryRows(backend, tenant, id, { status, before: messageId }, limit + 1);
    const deliveries: DeliveryList = {
      deliveries: rows.slice(0, limit).map(toDelivery),
      has_more: rows.length > limit,
    };
    return call.answer(deliveries);
  };

  const retry = async (call: Call): Promise<Answer> => {
    const webhook = await webhooks.find(call);
    const messageId = idOf('message', call.params.message_id as string);
    const row =
      messageId === undefined ? undefined : await findDelivery(backend, webhook.tenant, webhook.id, messageId);
    if (row === undefined) throw notFound('delivery');
    requireEnabled(webhook);
    const now = clock();
    const answer = call.answer({
      ...toDelivery({ ...row, status: 'owed', due_at: now }),
    });
    const { written } = await backend.write([
      oweAgain(webhook.tenant, webhook.id, row.message_id),
      ...answer.statements,
    ]);
    if (!written) throw notFound('delivery');
    webhooks.sendTo(webhook.id);
    return answer;
  };

  const test = async (call: Call): Promise<Answer> => {
    const webhook = await webhooks.find(call);
    requireEnabled(webhook);
    const now = clock();
    const data = JSON.stringify(toWebhook(webhook));
    const { messageId, statement } = webhooks.oweTo(webhook.id, call.caller, 'webhook.test', data, now);
    const answer = call.answer(
      toDelivery({
        webhook_id: webhook.id,
        message_id: messageId,
        type: 'webhook.test',
        created_at: now,
        status: 'owed',
        due_at: now,
        attempts: '[]',
      }),
    );
    const { written } = await backend.write([statement, ...answer.statements]);
    if (!written) throw notFound('webhook');
    webhooks.sendTo(webhook.id);
    return answer;
  };

  return { list, retry, test };
};
export type DeliveryLog = ReturnType<typeof makeDeliveryLog>;
