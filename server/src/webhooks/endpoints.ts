import { writeTimestamp } from '@portcullis/contract/values';
import { actor } from '../audit/audit.ts';
import { withPrefix } from '../runtime/ids.ts';
import { makeConcurrency } from './concurrency.ts';
import type { DeliveryState, Endpoint } from './delivery-state.ts';
import { DISABLE_AFTER_MS } from './retry-schedule.ts';
import type { Exchange } from './send.ts';
import { type SigningKey, signingKey } from './sign.ts';
import { allWebhooks, disableFailing, secretContext, setFailing, type WebhookRow } from './store.ts';

/** Minimum time between two reports that an endpoint fails. One that fails every second message would fill the log. */
const REPORT_AGAIN_MS = 60_000;

const openKey = ({ seal }: DeliveryState, row: WebhookRow, sealed: Uint8Array): SigningKey =>
  signingKey(seal.open(sealed, secretContext(row.id)));

/** Adds or updates an endpoint. Throws if its secret cannot be decrypted. */
const loadEndpoint = (state: DeliveryState, row: WebhookRow): void => {
  const known = state.endpoints.get(row.id);
  // Decrypting a secret costs more than the rest of the refresh, and secrets seldom change.
  if (known !== undefined && Buffer.compare(known.row.sealed_secret, row.sealed_secret) === 0) {
    known.row = row;
    return;
  }
  const key = openKey(state, row, row.sealed_secret);
  const previousKey = row.sealed_previous_secret === null ? undefined : openKey(state, row, row.sealed_previous_secret);
  if (known !== undefined) {
    Object.assign(known, { row, key, previousKey });
    return;
  }
  state.endpoints.set(row.id, {
    row,
    key,
    previousKey,
    concurrency: makeConcurrency(),
    leased: [],
    inFlight: 0,
    unstored: 0,
    isLeasing: false,
    dueAt: 0,
    reportedHealth: row.failing_since === null ? 'recovered' : 'failing',
    reportedAt: 0,
  });
};

const dropEndpoint = ({ endpoints }: DeliveryState, endpoint: Endpoint): void => {
  endpoints.delete(endpoint.row.id);
  endpoint.leased.length = 0;
};

/** Reloads the endpoints. Once it resolves, no delivery starts for an endpoint that was deleted or disabled before. */
export const refreshEndpoints = async (state: DeliveryState): Promise<void> => {
  const rows = (await allWebhooks(state.backend)).filter(({ status }) => status === 'enabled');
  const enabled = new Set(rows.map(({ id }) => id));
  for (const endpoint of state.endpoints.values()) if (!enabled.has(endpoint.row.id)) dropEndpoint(state, endpoint);
  for (const row of rows) {
    try {
      loadEndpoint(state, row);
    } catch (error) {
      // One secret that cannot be decrypted must not stop deliveries to the other endpoints.
      state.report.error(new Error(`the secret of wh_${row.id} cannot be decrypted`, { cause: error }));
    }
  }
};

/** The keys to sign with: both during a rotation. */
export const signingKeysOf = ({ row, key, previousKey }: Endpoint, now: number): SigningKey[] =>
  previousKey !== undefined && now < (row.previous_until ?? 0) ? [key, previousKey] : [key];

const reportHealth = ({ report }: DeliveryState, endpoint: Endpoint, error: string | null, now: number): void => {
  if (error === null ? endpoint.reportedHealth === 'recovered' : endpoint.reportedHealth === 'failing') return;
  if (error !== null && now - endpoint.reportedAt < REPORT_AGAIN_MS) return;
  endpoint.reportedHealth = error === null ? 'recovered' : 'failing';
  endpoint.reportedAt = now;
  if (error === null) report.recovered(endpoint.row.id);
  else report.failing(endpoint.row.id, error);
};

/** Stores since when an endpoint fails, and disables it after 5 days. Most outcomes write nothing. */
export const recordHealth = async (
  state: DeliveryState,
  endpoint: Endpoint,
  { error }: Exchange,
  now: number,
): Promise<void> => {
  const { audit, backend, endpoints, note, report, isClockCertain } = state;
  const { id, tenant, failing_since: since } = endpoint.row;
  reportHealth(state, endpoint, error, now);
  if ((error === null) !== (since === null)) {
    const failingSince = error === null ? null : now;
    endpoint.row = { ...endpoint.row, failing_since: failingSince };
    await backend.write([setFailing(id, since, failingSince)]);
  } else if (since !== null && now - since >= DISABLE_AFTER_MS && endpoints.get(id) === endpoint && isClockCertain()) {
    const before = { status: 'enabled', failing_since: writeTimestamp(since) };
    const change = {
      action: 'webhook.disabled',
      target: withPrefix('webhook', id),
      before,
      after: { ...before, status: 'disabled' },
    };
    const unit = [disableFailing(id, since), ...note(tenant, 'webhooks')];
    const { written } = await audit.write(actor('webhook_worker', tenant), change, unit);
    if (!written) return;
    dropEndpoint(state, endpoint);
    report.disabled(id);
  }
};
