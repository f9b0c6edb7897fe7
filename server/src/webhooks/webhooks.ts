import { randomBytes } from 'node:crypto';
import type { ErrorDetail, Webhook, WebhookType } from '@portcullis/contract';
import { MAX_COUNTED_DELIVERIES, MAX_WEBHOOKS, writeTimestamp } from '@portcullis/contract/values';
import type { Audit } from '../audit/audit.ts';
import type { Backend, Outcome, Statement, Unit } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import type { Answer, AnyCall, Call, CallWith } from '../http/route.ts';
import { idOf, type NewId, withPrefix } from '../runtime/ids.ts';
import type { Seal } from '../secrets/seal.ts';
import { ApiError, notFound } from '../validation/errors.ts';
import { type AddressRules, refuseUrl } from './address-policy.ts';
import { countPendingOf } from './delivery-store.ts';
import type { DeliveryWorker } from './delivery-thread-host.ts';
import {
  allWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  replaceSecret,
  resealSecrets,
  secretContext,
  updateWebhook,
  type WebhookRow,
  webhooksOf,
} from './store.ts';
import { makeSubscriptions } from './subscriptions.ts';

/** How long a replaced secret still signs. */
const ROTATION_MS = 24 * 3_600_000;

export const toWebhook = (row: WebhookRow, now: number): Webhook => ({
  webhook_id: withPrefix('webhook', row.id),
  url: row.url,
  events: JSON.parse(row.events) as WebhookType[],
  label: row.label,
  status: row.status,
  failing_since: row.failing_since === null ? null : writeTimestamp(row.failing_since),
  previous_secret_until:
    row.previous_until === null || row.previous_until <= now ? null : writeTimestamp(row.previous_until),
  created_at: writeTimestamp(row.created_at),
});

/** Evidence of the secret key: whether any signing secret can be decrypted. */
export const opensSigningSecrets = async (backend: Backend, seal: Seal): Promise<boolean | undefined> => {
  const rows = await allWebhooks(backend);
  const opens = ({ id, sealed_secret }: WebhookRow): boolean => {
    try {
      return seal.open(sealed_secret, secretContext(id)) !== '';
    } catch {
      return false;
    }
  };
  return rows.length === 0 ? undefined : rows.some(opens);
};

/** Seals all signing secrets with the current version of the data key. Returns how many it changed. */
export const resealSigningSecrets = async (backend: Backend, seal: Seal): Promise<number> => {
  let changed = 0;
  for (const row of await allWebhooks(backend)) {
    const context = secretContext(row.id);
    const secret = seal.reseal(row.sealed_secret, context);
    const previous = row.sealed_previous_secret && seal.reseal(row.sealed_previous_secret, context);
    if (!secret && !previous) continue;
    const { written } = await backend.write([
      resealSecrets(row, secret?.sealed ?? row.sealed_secret, previous?.sealed ?? row.sealed_previous_secret),
    ]);
    // A rotation of this endpoint came first. Its new secret has the current version; the previous one is sealed next.
    if (!written) return changed + (await resealSigningSecrets(backend, seal));
    changed++;
  }
  return changed;
};

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export const makeWebhooks = async (deps: {
  backend: Backend;
  audit: Pick<Audit, 'write'>;
  seal: Seal;
  worker: DeliveryWorker;
  note: Note;
  newId: NewId;
  clock: () => number;
  rules: AddressRules;
}) => {
  const { backend, audit, seal, worker, note, newId, clock } = deps;
  const subscriptions = await makeSubscriptions({ backend, worker, newId });
  if ((await allWebhooks(backend)).length > 0) await worker.refresh();

  /** Once it resolves, screenings and the worker use the endpoints as stored now. */
  const reload = async (tenant: number): Promise<void> => {
    await subscriptions.reload(tenant);
    await worker.refresh();
  };

  /** Errors of the URL, returned together with the errors of the other fields. */
  const urlErrors = ({ url }: { readonly url?: unknown }): ErrorDetail[] => {
    const refusal = typeof url === 'string' ? refuseUrl(url, deps.rules) : undefined;
    return refusal === undefined ? [] : [{ field: 'url', message: refusal }];
  };

  const find = async (call: CallWith<'webhook_id'>): Promise<WebhookRow> => {
    const id = idOf('webhook', call.params.webhook_id);
    const row = id === undefined ? undefined : await findWebhook(backend, call.caller.tenant, id);
    if (row === undefined) throw notFound('webhook');
    return row;
  };

  /** Writes a change with its audit entry and its announcement to other processes. */
  const store = (
    { caller }: AnyCall,
    action: string,
    { before, after }: { readonly before?: Webhook; readonly after?: Webhook },
    statement: Statement,
    more: Unit,
  ): Promise<Outcome> => {
    const target = ((after ?? before) as Webhook).webhook_id;
    const change = { action, target, before: before ?? null, after: after ?? null };
    return audit.write(caller, change, [statement, ...note(caller.tenant, 'webhooks'), ...more]);
  };

  const create = async (call: Call<'createWebhook'>): Promise<Answer> => {
    const { url, events, label = null } = call.body;
    const id = newId();
    const secret = newSecret();
    const now = clock();
    const row: WebhookRow = {
      id,
      tenant: call.caller.tenant,
      url,
      events: JSON.stringify(events),
      label,
      status: 'enabled',
      sealed_secret: seal.seal(secret, secretContext(id)),
      created_at: now,
      failing_since: null,
      sealed_previous_secret: null,
      previous_until: null,
    };
    const answer = call.answer({ ...toWebhook(row, now), signing_secret: secret });
    const insert = insertWebhook(row, MAX_WEBHOOKS);
    const { written } = await store(call, 'webhook.created', { after: toWebhook(row, now) }, insert, answer.statements);
    if (!written) {
      const message = `An account can have at most ${MAX_WEBHOOKS} webhook endpoints in an environment. Delete one first.`;
      throw new ApiError('limit_reached', message);
    }
    await reload(row.tenant);
    return answer;
  };

  const change = async (call: Call<'changeWebhook'>): Promise<Answer> => {
    const { url, events, label, status } = call.body;
    // Repeats only if another change came between reading and writing.
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
      const now = clock();
      const answer = call.answer(toWebhook(row, now));
      const change = { before: toWebhook(before, now), after: toWebhook(row, now) };
      const update = updateWebhook(before, row);
      const { written } = await store(call, 'webhook.changed', change, update, answer.statements);
      if (!written) continue;
      await reload(row.tenant);
      return answer;
    }
  };

  const rotateSecret = async (call: Call<'rotateWebhookSecret'>): Promise<Answer> => {
    // Repeats only if another rotation came between reading and writing.
    for (;;) {
      const row = await find(call);
      const secret = newSecret();
      const sealed = seal.seal(secret, secretContext(row.id));
      const now = clock();
      const until = now + ROTATION_MS;
      const change = { before: toWebhook(row, now), after: toWebhook({ ...row, previous_until: until }, now) };
      const answer = call.answer({ ...change.after, signing_secret: secret });
      const replace = replaceSecret(row, sealed, until);
      const { written } = await store(call, 'webhook.secret_rotated', change, replace, answer.statements);
      if (!written) continue;
      await reload(row.tenant);
      return answer;
    }
  };

  const remove = async (call: Call<'deleteWebhook'>): Promise<Answer> => {
    const row = await find(call);
    const answer = call.answer({});
    const deletion = deleteWebhook(row.tenant, row.id);
    const { written } = await store(
      call,
      'webhook.deleted',
      { before: toWebhook(row, clock()) },
      deletion,
      answer.statements,
    );
    if (!written) throw notFound('webhook');
    await reload(row.tenant);
    return answer;
  };

  return {
    urlErrors,
    find,
    create,
    change,
    rotateSecret,
    remove,
    get: async (call: Call<'getWebhook'>): Promise<Answer> => call.answer(toWebhook(await find(call), clock())),
    list: async (call: Call<'listWebhooks'>): Promise<Answer> =>
      call.answer({ webhooks: (await webhooksOf(backend, call.caller.tenant)).map((row) => toWebhook(row, clock())) }),
    /** Number of pending deliveries of a tenant's enabled endpoints, counted up to a limit. */
    countPending: (tenant: number): Promise<number> => countPendingOf(backend, tenant, MAX_COUNTED_DELIVERIES),
    /** To be called when another process changed endpoints, or a worker disabled one. */
    refresh: reload,
    isSubscribed: subscriptions.isSubscribed,
    enqueue: subscriptions.enqueue,
    enqueueFor: subscriptions.enqueueFor,
    send: subscriptions.send,
    sendTo: subscriptions.sendTo,
  };
};
export type Webhooks = Awaited<ReturnType<typeof makeWebhooks>>;
