import { randomBytes } from 'node:crypto';
import {
  type ErrorDetail,
  type Webhook,
  type WebhookChange,
  type WebhookRequest,
  type WebhookType,
  writeTimestamp,
} from '@portcullis/contract';
import type { Seal } from '../access/seal.ts';
import type { Backend } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import { notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, type NewId, withPrefix } from '../ids.ts';
import { type AddressRules, refuseUrl } from './address.ts';
import type { DeliveryWorker } from './delivery-worker.ts';
import {
  allWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  replaceSecret,
  secretContext,
  updateWebhook,
  type WebhookRow,
  webhooksOf,
} from './store.ts';
import { makeSubscriptions } from './subscriptions.ts';

/** How long a secret still signs after it was replaced. */
const ROTATION_MS = 24 * 3_600_000;

export const toWebhook = (row: WebhookRow): Webhook => ({
  webhook_id: withPrefix('webhook', row.id),
  url: row.url,
  events: JSON.parse(row.events) as WebhookType[],
  label: row.label,
  status: row.status,
  failing_since: row.failing_since === null ? null : writeTimestamp(row.failing_since),
  created_at: writeTimestamp(row.created_at),
});

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export const makeWebhooks = async (deps: {
  backend: Backend;
  seal: Seal;
  worker: DeliveryWorker;
  note: Note;
  newId: NewId;
  clock: () => number;
  rules: AddressRules;
}) => {
  const { backend, seal, worker, note, newId, clock } = deps;
  const subscriptions = await makeSubscriptions({ backend, worker, newId });
  if ((await allWebhooks(backend)).length > 0) await worker.refresh();

  /** From here on screenings and the worker know the endpoints as they are stored now. */
  const changed = async (): Promise<void> => {
    await subscriptions.reload();
    await worker.refresh();
  };

  /** Told together with the faults of the other members. */
  const urlFaults = ({ url }: { readonly url?: unknown }): ErrorDetail[] => {
    const refusal = typeof url === 'string' ? refuseUrl(url, deps.rules) : undefined;
    return refusal === undefined ? [] : [{ field: 'url', message: refusal }];
  };

  const find = async (call: Call): Promise<WebhookRow> => {
    const id = idOf('webhook', call.params.webhook_id as string);
    const row = id === undefined ? undefined : await findWebhook(backend, call.caller.tenant, id);
    if (row === undefined) throw notFound('webhook');
    return row;
  };

  const create = async (call: Call): Promise<Answer> => {
    const { url, events, label = null } = call.body as WebhookRequest;
    const id = newId();
    const secret = newSecret();
    const row: WebhookRow = {
      id,
      tenant: call.caller.tenant,
      url,
      events: JSON.stringify(events),
      label,
      status: 'enabled',
      sealed_secret: seal.seal(secret, secretContext(id)),
      created_at: clock(),
      failing_since: null,
      sealed_previous_secret: null,
      previous_until: null,
    };
    const answer = call.answer({ ...toWebhook(row), signing_secret: secret });
    await backend.write([insertWebhook(row), ...note(row.tenant, 'webhooks'), ...answer.statements]);
    await changed();
    return answer;
  };

  const change = async (call: Call): Promise<Answer> => {
    const { url, events, label, status } = call.body as WebhookChange;
    // Again only when another change came between reading and writing.
    for (;;) {
      const before = await find(call);
      const row: WebhookRow = {
        ...before,
        url: url ?? before.url,
        events: events === undefined ? before.events : JSON.stringify(events),
        label: label ?? before.label,
        status: status ?? before.status,
        failing_since: status === 'enabled' ? null : before.failing_since,
      };
      const answer = call.answer(toWebhook(row));
      const { written } = await backend.write([
        updateWebhook(before, row),
        ...note(row.tenant, 'webhooks'),
        ...answer.statements,
      ]);
      if (!written) continue;
      await changed();
      return answer;
    }
  };

  const rotateSecret = async (call: Call): Promise<Answer> => {
    // Again only when another rotation came between reading and writing.
    for (;;) {
      const row = await find(call);
      const secret = newSecret();
      const answer = call.answer({ ...toWebhook(row), signing_secret: secret });
      const sealed = seal.seal(secret, secretContext(row.id));
      const { written } = await backend.write([
        replaceSecret(row, sealed, clock() + ROTATION_MS),
        ...note(row.tenant, 'webhooks'),
        ...answer.statements,
      ]);
      if (!written) continue;
      await changed();
      return answer;
    }
  };

  const remove = async (call: Call): Promise<Answer> => {
    const row = await find(call);
    const answer = call.answer({});
    const { written } = await backend.write([
      deleteWebhook(row.tenant, row.id),
      ...note(row.tenant, 'webhooks'),
      ...answer.statements,
    ]);
    if (!written) throw notFound('webhook');
    await changed();
    return answer;
  };

  return {
    urlFaults,
    find,
    create,
    change,
    rotateSecret,
    remove,
    get: async (call: Call): Promise<Answer> => call.answer(toWebhook(await find(call))),
    list: async (call: Call): Promise<Answer> =>
      call.answer({ webhooks: (await webhooksOf(backend, call.caller.tenant)).map(toWebhook) }),
    /** Another process changed endpoints, or a worker disabled one. */
    refresh: changed,
    owe: subscriptions.owe,
    oweTo: subscriptions.oweTo,
    send: subscriptions.send,
    sendTo: subscriptions.sendTo,
  };
};
export type Webhooks = Awaited<ReturnType<typeof makeWebhooks>>;
