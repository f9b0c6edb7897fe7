import { NEWEST_API_VERSION, type WebhookType, writeTimestamp } from '@portcullis/contract';
import type { Caller } from '../access/access.ts';
import type { Backend, Statement } from '../backend/backend.ts';
import { type NewId, withPrefix } from '../ids.ts';
import { insertOwed } from './delivery-store.ts';
import type { DeliveryWorker } from './delivery-worker.ts';
import { allWebhooks } from './store.ts';

/** Whose message it is. */
export type Owner = Pick<Caller, 'tenant' | 'environment'>;

/** For each tenant and type, who is to be told. Looked up with every screening, so kept in memory. */
type Subscribed = Map<number, Map<WebhookType, string[]>>;

const readSubscribed = async (backend: Backend): Promise<Subscribed> => {
  const subscribed: Subscribed = new Map();
  for (const row of await allWebhooks(backend)) {
    if (row.status !== 'enabled') continue;
    const types = subscribed.get(row.tenant) ?? new Map<WebhookType, string[]>();
    subscribed.set(row.tenant, types);
    for (const type of JSON.parse(row.events) as WebhookType[]) {
      const ids = types.get(type);
      if (ids === undefined) types.set(type, [row.id]);
      else ids.push(row.id);
    }
  }
  return subscribed;
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

/** What is stored within this time is sent off together: a worker woken for each commit would take the processor from the next. */
const GATHER_MS = 10;

/** Who is to be told what: makes messages owed, and has them sent once they are stored. */
export const makeSubscriptions = async (deps: { backend: Backend; worker: DeliveryWorker; newId: NewId }) => {
  const { backend, worker, newId } = deps;
  let subscribed = await readSubscribed(backend);
  const woken = new Set<string>();

  const wakeSoon = (webhookId: string): void => {
    if (woken.size === 0) {
      setTimeout(() => {
        worker.wake([...woken]);
        woken.clear();
      }, GATHER_MS).unref();
    }
    woken.add(webhookId);
  };

  return {
    reload: async (): Promise<void> => {
      subscribed = await readSubscribed(backend);
    },
    /** What makes a message owed to everyone subscribed: part of the unit that stores what it tells of. `data` is JSON. */
    owe: (owner: Owner, type: WebhookType, data: string, at: number): Statement[] => {
      const ids = subscribed.get(owner.tenant)?.get(type);
      if (ids === undefined) return [];
      const message = newId();
      const body = bodyOf(message, owner, type, data, at);
      return ids.map((id) => insertOwed(owner.tenant, id, { id: message, type, body, createdAt: at }));
    },
    /** The same for one endpoint, subscribed or not. */
    oweTo: (webhookId: string, owner: Owner, type: WebhookType, data: string, at: number) => {
      const messageId = newId();
      const body = bodyOf(messageId, owner, type, data, at);
      const message = { id: messageId, type, body, createdAt: at };
      return { messageId, statement: { ...insertOwed(owner.tenant, webhookId, message), expect: 1 } };
    },
    /** To be called when what was owed to the tenant's endpoints is stored: it is sent now instead of being found later. */
    send: ({ tenant }: Owner): void => {
      const types = subscribed.get(tenant);
      if (types !== undefined) for (const ids of types.values()) for (const id of ids) wakeSoon(id);
    },
    sendTo: wakeSoon,
  };
};
export type Subscriptions = Awaited<ReturnType<typeof makeSubscriptions>>;
