import { randomBytes } from 'node:crypto';
import {
  type ErrorDetail,
  NEWEST_API_VERSION,
  type Webhook,
  type WebhookRequest,
  type WebhookType,
  writeTimestamp,
} from '@portcullis/contract';
import type { Caller } from '../access/access.ts';
import type { Seal } from '../access/seal.ts';
import type { Backend, Statement } from '../backend/backend.ts';
import { notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, type NewId, withPrefix } from '../ids.ts';
import { type AddressRules, refuseUrl } from './address.ts';
import { allWebhooks, deleteWebhook, insertOwed, insertWebhook, type WebhookRow, webhooksOf } from './store.ts';

const toWebhook = (row: WebhookRow): Webhook => ({
  webhook_id: withPrefix('webhook', row.id),
  url: row.url,
  events: JSON.parse(row.events) as WebhookType[],
  label: row.label,
  status: row.status,
  created_at: writeTimestamp(row.created_at),
});

/** For each tenant and type, who is to be told. Looked up with every screening, so kept in memory. */
type Subscriptions = Map<number, Map<WebhookType, string[]>>;

const subscriptionsOf = (rows: readonly WebhookRow[]): Subscriptions => {
  const subscriptions: Subscriptions = new Map();
  for (const row of rows) {
    if (row.status !== 'enabled') continue;
    const types = subscriptions.get(row.tenant) ?? new Map<WebhookType, string[]>();
    subscriptions.set(row.tenant, types);
    for (const type of JSON.parse(row.events) as WebhookType[]) types.set(type, [...(types.get(type) ?? []), row.id]);
  }
  return subscriptions;
};

export const makeWebhooks = async (deps: {
  backend: Backend;
  seal: Seal;
  newId: NewId;
  clock: () => number;
  rules: AddressRules;
}) => {
  const { backend, seal, newId, clock } = deps;
  let subscriptions = subscriptionsOf(await allWebhooks(backend));
  const reload = async (): Promise<void> => {
    subscriptions = subscriptionsOf(await allWebhooks(backend));
  };

  /** Told together with the faults of the other members. */
  const urlFaults = ({ url }: { readonly url?: unknown }): ErrorDetail[] => {
    const refusal = typeof url === 'string' ? refuseUrl(url, deps.rules) : undefined;
    return refusal === undefined ? [] : [{ field: 'url', message: refusal }];
  };

  const create = async (call: Call): Promise<Answer> => {
    const { url, events, label = null } = call.body as WebhookRequest;
    const id = newId();
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const row: WebhookRow = {
      id,
      tenant: call.caller.tenant,
      url,
      events: JSON.stringify(events),
      label,
      status: 'enabled',
      sealed_secret: seal.seal(secret, `webhook ${id}`),
      created_at: clock(),
    };
    const answer = call.answer({ ...toWebhook(row), signing_secret: secret });
    await backend.write([insertWebhook(row), ...answer.statements]);
    await reload();
    return answer;
  };

  const remove = async (call: Call): Promise<Answer> => {
    const id = idOf('webhook', call.params.webhook_id as string);
    const answer = call.answer({});
    const outcome =
      id === undefined
        ? undefined
        : await backend.write([...deleteWebhook(call.caller.tenant, id), ...answer.statements]);
    if (!outcome?.written) throw notFound('webhook');
    await reload();
    return answer;
  };

  return {
    urlFaults,
    create,
    remove,
    list: async (call: Call): Promise<Answer> =>
      call.answer({ webhooks: (await webhooksOf(backend, call.caller.tenant)).map(toWebhook) }),
    /** What makes a message owed to everyone subscribed: part of the unit that stores what it tells of. `data` is JSON. */
    owe: (caller: Caller, type: WebhookType, data: string, at: number): Statement[] => {
      const subscribed = subscriptions.get(caller.tenant)?.get(type);
      if (subscribed === undefined) return [];
      const message = newId();
      const head = {
        id: withPrefix('message', message),
        type,
        timestamp: writeTimestamp(at),
        environment: caller.environment,
      };
      const body = `${JSON.stringify({ ...head, api_version: NEWEST_API_VERSION }).slice(0, -1)},"data":${data}}`;
      return subscribed.map((webhookId) =>
        insertOwed(caller.tenant, webhookId, { id: message, type, body, createdAt: at }),
      );
    },
  };
};
export type Webhooks = Awaited<ReturnType<typeof makeWebhooks>>;
