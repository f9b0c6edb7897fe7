import type { DeliveryStatus } from '@portcullis/contract';
import type { Seal } from '../access/seal.ts';
import type { Backend } from '../backend/backend.ts';
import { makeNote } from '../changes/changes.ts';
import { withPrefix } from '../ids.ts';
import { dueDeliveries, lease, nextDue, type Owed, owedToAll, settle, withAttempt, withDue } from './delivery-store.ts';
import { makePace, type Pace } from './pace.ts';
import { DISABLE_AFTER_MS, retryAfterMs } from './schedule.ts';
import type { Exchange, Sender } from './send.ts';
import { type SigningKey, signedHeaders, signingKey } from './sign.ts';
import { allWebhooks, disableFailing, secretContext, setFailing, type WebhookRow } from './store.ts';

/** Longer than an exchange may take and its outcome be stored; what was under way in a crash waits so long. */
const LEASE_MS = 20_000;
/** Leased but not begun within this is given up: another may have it by the time it would have been sent. */
const BEGIN_WITHIN_MS = 8000;
const MOST_UNDER_WAY = 1024;
/** Endpoints that do not answer quickly may hold no more than this together: however many hang, there is room for those that do. */
const MOST_SLOW = MOST_UNDER_WAY / 2;
/** An endpoint gets this part of what is left, so that something is left for the next one. */
const SHARE = 4;
const TICK_MS = 100;
/** What this worker was not told of, because another process stored it, it finds by looking. */
const LOOK_EVERY_MS = 500;
/** Whoever changes endpoints says so; this is for when that is missed. */
const REFRESH_EVERY_MS = 5000;
/** After a fault of the store, so that a full disk does not fill the log too. */
const AFTER_FAULT_MS = 1000;
const KEPT_ATTEMPTS = 20;
/** An endpoint that fails again is told of no sooner: one that takes every second message would fill the log. */
const TELL_AGAIN_MS = 60_000;

interface Endpoint {
  row: WebhookRow;
  key: SigningKey;
  previousKey: SigningKey | undefined;
  readonly pace: Pace;
  /** Leased, not begun. */
  readonly leased: Owed[];
  underWay: number;
  leasing: boolean;
  /** When there may be something due; what is told while leasing counts. */
  dueAt: number;
  /** What was reported last. */
  told: 'failing' | 'recovered';
  toldAt: number;
}

export interface DeliveryReport {
  readonly outcome: (status: DeliveryStatus) => void;
  readonly failing: (webhookId: string, error: string) => void;
  readonly recovered: (webhookId: string) => void;
  readonly disabled: (webhookId: string) => void;
  /** The store could not be read or written: tried again a moment later. */
  readonly fault: (error: unknown) => void;
}

/** Sends what is owed: leases due deliveries, makes the exchanges, and stores what became of them. */
export const makeDeliveries = (deps: {
  backend: Backend;
  seal: Seal;
  sender: Sender;
  clock: () => number;
  report: DeliveryReport;
  random?: () => number;
}) => {
  const { backend, seal, sender, clock, report, random = Math.random } = deps;
  // Not the name of any process: that of this thread must read anew, too.
  const note = makeNote('deliveries', clock);
  const endpoints = new Map<string, Endpoint>();
  let underWay = 0;
  let slowUnderWay = 0;
  /** Exchanges whose outcome is not stored yet, and leases being taken. */
  let unsettled = 0;
  let stopped = false;
  /** What is still under way is not waited for any more. */
  let givenUp = false;
  let lookAt = 0;
  let refreshAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let idle: (() => void) | undefined;

  const keysOf = ({ row, key, previousKey }: Endpoint, now: number): SigningKey[] =>
    previousKey !== undefined && now < (row.previous_until ?? 0) ? [key, previousKey] : [key];

  const open = (row: WebhookRow, sealed: Uint8Array): SigningKey =>
    signingKey(seal.open(sealed, secretContext(row.id)));
  const take = (row: WebhookRow): void => {
    const known = endpoints.get(row.id);
    // Opening takes longer than all the rest, and secrets seldom change.
    if (known !== undefined && Buffer.compare(known.row.sealed_secret, row.sealed_secret) === 0) {
      known.row = row;
      return;
    }
    const key = open(row, row.sealed_secret);
    const previousKey = row.sealed_previous_secret === null ? undefined : open(row, row.sealed_previous_secret);
    if (known !== undefined) Object.assign(known, { row, key, previousKey });
    else {
      const told = row.failing_since === null ? 'recovered' : 'failing';
      const fresh = { pace: makePace(), leased: [], underWay: 0, leasing: false, dueAt: 0, toldAt: 0 };
      endpoints.set(row.id, { row, key, previousKey, told, ...fresh });
    }
  };
  /** Free for others at once, and no attempt counted. */
  const release = (endpoint: Endpoint, owed: Owed): Promise<unknown> =>
    backend.write([settle(endpoint.row.id, owed, { status: 'owed', dueAt: 0, attempts: owed.attempts })]);
  const drop = (endpoint: Endpoint): void => {
    endpoints.delete(endpoint.row.id);
    endpoint.leased.length = 0;
  };

  const tell = (endpoint: Endpoint, error: string | null, now: number): void => {
    if (error === null ? endpoint.told === 'recovered' : endpoint.told === 'failing') return;
    if (error !== null && now - endpoint.toldAt < TELL_AGAIN_MS) return;
    endpoint.told = error === null ? 'recovered' : 'failing';
    endpoint.toldAt = now;
    if (error === null) report.recovered(endpoint.row.id);
    else report.failing(endpoint.row.id, error);
  };

  /** The endpoint's own state changes seldom; most outcomes leave it as it is. */
  const noteOutcome = async (endpoint: Endpoint, { error }: Exchange, now: number): Promise<void> => {
    const { id, tenant, failing_since: since } = endpoint.row;
    tell(endpoint, error, now);
    if ((error === null) !== (since === null)) {
      const failingSince = error === null ? null : now;
      endpoint.row = { ...endpoint.row, failing_since: failingSince };
      await backend.write([setFailing(id, since, failingSince)]);
    } else if (since !== null && now - since >= DISABLE_AFTER_MS && endpoints.get(id) === endpoint) {
      const { written } = await backend.write([disableFailing(id, since), ...note(tenant, 'webhooks')]);
      if (!written) return;
      drop(endpoint);
      report.disabled(id);
    }
  };

  const store = async (endpoint: Endpoint, owed: Owed, beganAt: number, exchange: Exchange): Promise<void> => {
    const attempts = withAttempt(owed, beganAt, exchange);
    const now = clock();
    const wait = exchange.error === null ? undefined : retryAfterMs(attempts.length, random());
    const status = exchange.error === null ? 'delivered' : wait === undefined ? 'failed' : 'owed';
    const dueAt = now + (wait ?? 0);
    await backend.write([
      settle(endpoint.row.id, owed, { status, dueAt, attempts: JSON.stringify(attempts.slice(-KEPT_ATTEMPTS)) }),
    ]);
    if (status === 'owed') endpoint.dueAt = Math.min(endpoint.dueAt, dueAt);
    await noteOutcome(endpoint, exchange, now);
    report.outcome(status);
  };

  const exchange = async (endpoint: Endpoint, owed: Owed): Promise<void> => {
    const beganAt = clock();
    const messageId = withPrefix('message', owed.message_id);
    const headers = signedHeaders(messageId, owed.body, beganAt, keysOf(endpoint, beganAt));
    const isSlow = !endpoint.pace.isQuick();
    endpoint.underWay++;
    underWay++;
    if (isSlow) slowUnderWay++;
    const made = await sender.send(endpoint.row.url, headers, owed.body);
    endpoint.underWay--;
    underWay--;
    if (isSlow) slowUnderWay--;
    // Ended by us: a receiver that may have taken it has not failed, and its last attempt was not this.
    if (givenUp && made.error !== null) return void (await release(endpoint, owed));
    if (made.error === null) endpoint.pace.succeeded(made.tookMs, endpoint.leased.length > 0);
    else endpoint.pace.failed();
    advance(endpoint);
    await store(endpoint, owed, beganAt, made);
  };
  /** Has `stop` wait for it. */
  const track = (work: Promise<void>): void => {
    unsettled++;
    work.catch(report.fault).finally(() => {
      unsettled--;
      if (unsettled === 0) idle?.();
    });
  };

  const hasRoom = ({ pace, underWay: own }: Endpoint): boolean => {
    const left = MOST_UNDER_WAY - underWay;
    const leftToIt = pace.isQuick() ? left : Math.min(left, MOST_SLOW - slowUnderWay);
    return own < pace.limit() && own < leftToIt / SHARE;
  };

  /** Begins what is leased and leases what is due, as far as there is room. */
  const advance = (endpoint: Endpoint): void => {
    if (stopped || endpoints.get(endpoint.row.id) !== endpoint) return;
    while (endpoint.leased.length > 0 && hasRoom(endpoint)) {
      const owed = endpoint.leased.shift() as Owed;
      if (owed.due_at - clock() > LEASE_MS - BEGIN_WITHIN_MS) track(exchange(endpoint, owed));
    }
    const isFew = endpoint.leased.length < endpoint.pace.toLease() / 2;
    if (isFew && !endpoint.leasing && endpoint.dueAt <= clock()) track(leaseDue(endpoint));
  };

  const leaseDue = async (endpoint: Endpoint): Promise<void> => {
    endpoint.leasing = true;
    const { id } = endpoint.row;
    try {
      const now = clock();
      const wanted = endpoint.pace.toLease();
      // Whoever tells of more from here on sets it back.
      endpoint.dueAt = Number.POSITIVE_INFINITY;
      const due = await dueDeliveries(backend, id, now, wanted);
      const until = now + LEASE_MS;
      const outcomes = await Promise.all(due.map((owed) => backend.write([lease(id, owed, until)])));
      const leased = due.filter((_, index) => outcomes[index]?.written).map((owed) => ({ ...owed, due_at: until }));
      if (endpoint.leased.length === 0 && due.length === wanted) endpoint.pace.ranDry();
      if (endpoints.get(id) === endpoint) endpoint.leased.push(...leased);
      const next = due.length === wanted ? 0 : ((await nextDue(backend, id)) ?? Number.POSITIVE_INFINITY);
      endpoint.dueAt = Math.min(endpoint.dueAt, next);
    } catch (error) {
      endpoint.dueAt = clock() + AFTER_FAULT_MS;
      throw error;
    } finally {
      endpoint.leasing = false;
      advance(endpoint);
    }
  };

  /** Reads the endpoints anew. Resolves when nothing begins any more that they, as they are now, do not want. */
  const refresh = async (): Promise<void> => {
    const rows = (await allWebhooks(backend)).filter(({ status }) => status === 'enabled');
    const enabled = new Set(rows.map(({ id }) => id));
    for (const endpoint of endpoints.values()) if (!enabled.has(endpoint.row.id)) drop(endpoint);
    for (const row of rows) {
      try {
        take(row);
      } catch (error) {
        // Its secret does not open. The others must not go without for that.
        report.fault(new Error(`the secret of wh_${row.id} cannot be opened`, { cause: error }));
      }
    }
  };

  const wakeAll = (): void => {
    for (const endpoint of endpoints.values()) endpoint.dueAt = 0;
  };
  /** Something is owed to the endpoint, and stored. */
  const wake = (webhookId: string): void => {
    const endpoint = endpoints.get(webhookId);
    if (endpoint === undefined) return;
    endpoint.dueAt = 0;
    advance(endpoint);
  };
  const tick = async (): Promise<void> => {
    try {
      if (clock() >= refreshAt) {
        refreshAt = clock() + REFRESH_EVERY_MS;
        await refresh();
        wakeAll();
      }
      if (clock() >= lookAt) {
        lookAt = clock() + LOOK_EVERY_MS;
        for (const id of await withDue(backend, clock())) wake(id);
      }
      for (const endpoint of endpoints.values()) advance(endpoint);
    } catch (error) {
      report.fault(error);
    }
    if (!stopped) timer = setTimeout(tick, TICK_MS);
  };

  return {
    start: tick,
    refresh,
    wakeAll,
    wake,
    /** How much is owed to those that are enabled, and when the oldest of it was made. */
    owed: () => owedToAll(backend, endpoints.keys()),
    /** Begins nothing more and waits for what is under way, at most so long. */
    stop: async (graceMs: number): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      if (unsettled > 0) {
        await new Promise<void>((resolve) => {
          const grace = setTimeout(resolve, graceMs);
          idle = () => {
            clearTimeout(grace);
            resolve();
          };
        });
      }
      givenUp = true;
      await Promise.all(
        [...endpoints.values()].flatMap((endpoint) => endpoint.leased.splice(0).map((owed) => release(endpoint, owed))),
      );
    },
  };
};
export type Deliveries = ReturnType<typeof makeDeliveries>;
