import type { WebhookType } from '@portcullis/contract';
import { NEWEST_API_VERSION, writeTimestamp } from '@portcullis/contract/values';
import type { Backend, Statement } from '../backend/backend.ts';
import type { Caller } from '../http/caller.ts';
import { type NewId, withPrefix } from '../runtime/ids.ts';
import { serializeByKey } from '../runtime/serialize-by-key.ts';
import { insertDelivery } from './delivery-store.ts';
import type { DeliveryWorker } from './delivery-thread-host.ts';
import { allWebhooks, type WebhookRow, webhooksOf } from './store.ts';

/** The account and environment of a message. */
export type Owner = Pick<Caller, 'tenant' | 'environment'>;

/** Endpoint ids by tenant and message type. In memory, because every screening looks them up. */
type SubscriptionIndex = Map<number, Map<WebhookType, string[]>>;

const addSubscription = (index: SubscriptionIndex, row: WebhookRow): void => {
  if (row.status !== 'enabled') return;
  const types = index.get(row.tenant) ?? new Map<WebhookType, string[]>();
  index.set(row.tenant, types);
  for (const type of JSON.parse(row.events) as WebhookType[]) {
    const ids = types.get(type);
    if (ids === undefined) types.set(type, [row.id]);
    else ids.push(row.id);
  }
};

const bodyOf = (messageId: string, owner: Owner, type: WebhookType, data: string, at: number): string => {
  const head = {
    id: withPrefix('message', messageId),
    type,
    timestamp: writeTimestamp(at),
    environment: owner.environment,
    api_version: NEWEST_API_VERSION,
  };
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`;
};

/** Wake-ups within this time are combined: waking the worker for each commit would delay the next commit. */
const GATHER_MS = 10;

/** Queues messages for the subscribed endpoints, and wakes the delivery worker once they are stored. */
export const makeSubscriptions = async (deps: { backend: Backend; worker: DeliveryWorker; newId: NewId }) => {
  const { backend, worker, newId } = deps;
  const index: SubscriptionIndex = new Map();
  for (const row of await allWebhooks(backend)) addSubscription(index, row);
  const reloads = serializeByKey<number>();
  const toWake = new Set<string>();

  const sendTo = (webhookId: string): void => {
    if (toWake.size === 0) {
      setTimeout(() => {
        worker.wake([...toWake]);
        toWake.clear();
      }, GATHER_MS).unref();
    }
    toWake.add(webhookId);
  };

  return {
    /** One reload of a tenant at a time: an older result must not replace a newer one. */
    reload: (tenant: number): Promise<void> =>
      reloads(tenant, async () => {
        const rows = await webhooksOf(backend, tenant);
        index.delete(tenant);
        for (const row of rows) addSubscription(index, row);
      }),
    isSubscribed: ({ tenant }: Owner, type: WebhookType): boolean => index.get(tenant)?.has(type) === true,
    /**
     * The statements that queue a message for every subscribed endpoint. They belong in the write that stores the
     * subject of the message. `data` is JSON.
     */
    enqueue: (owner: Owner, type: WebhookType, data: string, at: number): Statement[] => {
      const ids = index.get(owner.tenant)?.get(type);
      if (ids === undefined) return [];
      const message = newId();
      const body = bodyOf(message, owner, type, data, at);
      return ids.map((id) => insertDelivery(owner.tenant, id, { id: message, type, body, createdAt: at }));
    },
    /** The same for one endpoint, whatever it is subscribed to. */
    enqueueFor: (webhookId: string, owner: Owner, type: WebhookType, data: string, at: number) => {
      const messageId = newId();
      const body = bodyOf(messageId, owner, type, data, at);
      const message = { id: messageId, type, body, createdAt: at };
      return { messageId, statement: { ...insertDelivery(owner.tenant, webhookId, message), expect: 1 } };
    },
    /** To be called after the queued messages are stored: the worker sends them now instead of at its next poll. */
    send: ({ tenant }: Owner): void => {
      const types = index.get(tenant);
      if (types !== undefined) for (const ids of types.values()) for (const id of ids) sendTo(id);
    },
    sendTo,
  };
};
export type Subscriptions = Awaited<ReturnType<typeof makeSubscriptions>>;
