import { withPrefix } from '../runtime/ids.ts';
import { type DeliveryDependencies, type DeliveryState, type Endpoint, makeDeliveryState } from './delivery-state.ts';
import {
  bringForward,
  countPendingOfAll,
  dueDeliveries,
  lastDue,
  lease,
  nextDue,
  type PendingDelivery,
  settle,
  withAttempt,
  withDue,
} from './delivery-store.ts';
import { recordHealth, refreshEndpoints, signingKeysOf } from './endpoints.ts';
import { MAX_RETRY_AFTER_MS, retryAfterMs } from './retry-schedule.ts';
import type { Exchange } from './send.ts';
import { signedHeaders } from './sign.ts';

/** Longer than an exchange and the storing of its outcome take. Deliveries in flight during a crash wait this long. */
const LEASE_MS = 20_000;
/** A leased delivery not started within this time is left until its lease ends: the lease could end while it is sent. */
const START_WITHIN_MS = 8000;
const MAX_IN_FLIGHT = 1024;
/** Limit for all endpoints together that had no recent fast answer: hanging endpoints leave room for healthy ones. */
const MAX_SLOW_IN_FLIGHT = MAX_IN_FLIGHT / 2;
/**
 * Limit of deliveries of an endpoint that are sent and whose outcome is not yet stored, or twice its concurrency limit if
 * that is more. A crash sends them all a second time, and without this limit a slow disk would let them pile up.
 */
const MAX_UNSTORED = 32;
/** An endpoint may use 1/SHARE of the free slots, so that some are left for the next one. */
const SHARE = 4;
const TICK_MS = 100;
/** How often the worker looks for deliveries that another process stored. */
const POLL_EVERY_MS = 500;
/** A process that changes endpoints announces it; this refresh covers a missed announcement. */
const REFRESH_EVERY_MS = 5000;
/** Pause after an error of the store, so that a full disk does not fill the log too. */
const AFTER_ERROR_MS = 1000;
const MAX_STORED_ATTEMPTS = 20;

/** Returns a lease: the delivery is due at once, and no attempt is counted. */
const release = ({ backend }: DeliveryState, endpoint: Endpoint, delivery: PendingDelivery): Promise<unknown> =>
  backend.write([settle(endpoint.row.id, delivery, { status: 'owed', dueAt: 0, attempts: delivery.attempts })]);

const storeOutcome = async (
  state: DeliveryState,
  endpoint: Endpoint,
  delivery: PendingDelivery,
  startedAt: number,
  exchange: Exchange,
): Promise<void> => {
  const attempts = withAttempt(delivery, startedAt, exchange);
  const now = state.clock();
  const wait = exchange.error === null ? undefined : retryAfterMs(attempts.length, state.random());
  const status = exchange.error === null ? 'delivered' : wait === undefined ? 'failed' : 'owed';
  const dueAt = now + (wait ?? 0);
  await state.backend.write([
    settle(endpoint.row.id, delivery, {
      status,
      dueAt,
      attempts: JSON.stringify(attempts.slice(-MAX_STORED_ATTEMPTS)),
    }),
  ]);
  if (status === 'owed') endpoint.dueAt = Math.min(endpoint.dueAt, dueAt);
  await recordHealth(state, endpoint, exchange, now);
  state.report.outcome(status);
};

const sendAndStore = async (state: DeliveryState, endpoint: Endpoint, delivery: PendingDelivery): Promise<void> => {
  const startedAt = state.clock();
  const messageId = withPrefix('message', delivery.message_id);
  const headers = signedHeaders(messageId, delivery.body, startedAt, signingKeysOf(endpoint, startedAt));
  const isSlow = !endpoint.concurrency.isFast();
  endpoint.inFlight++;
  state.inFlight++;
  if (isSlow) state.slowInFlight++;
  const exchange = await state.sender.send(endpoint.row.url, headers, delivery.body);
  endpoint.inFlight--;
  state.inFlight--;
  if (isSlow) state.slowInFlight--;
  // This worker aborted the exchange: the receiver has not failed, so no attempt is counted.
  if (state.isGraceOver && exchange.error !== null) return void (await release(state, endpoint, delivery));
  if (exchange.error === null) endpoint.concurrency.succeeded(exchange.tookMs, endpoint.leased.length > 0);
  else endpoint.concurrency.failed();
  advance(state, endpoint);
  await storeOutcome(state, endpoint, delivery, startedAt, exchange);
};

const deliver = async (state: DeliveryState, endpoint: Endpoint, delivery: PendingDelivery): Promise<void> => {
  endpoint.unstored++;
  try {
    await sendAndStore(state, endpoint, delivery);
  } finally {
    endpoint.unstored--;
    advance(state, endpoint);
  }
};

/** Makes `stop` wait for `work`, and reports its error. */
const track = (state: DeliveryState, work: Promise<void>): void => {
  state.unsettled++;
  work.catch(state.report.error).finally(() => {
    state.unsettled--;
    if (state.unsettled === 0) state.onIdle?.();
  });
};

const hasFreeSlot = (state: DeliveryState, { concurrency, inFlight, unstored }: Endpoint): boolean => {
  if (unstored >= Math.max(MAX_UNSTORED, 2 * concurrency.limit())) return false;
  const free = MAX_IN_FLIGHT - state.inFlight;
  const freeForIt = concurrency.isFast() ? free : Math.min(free, MAX_SLOW_IN_FLIGHT - state.slowInFlight);
  return inFlight < concurrency.limit() && inFlight < freeForIt / SHARE;
};

const leaseDue = async (state: DeliveryState, endpoint: Endpoint): Promise<void> => {
  const { backend, clock } = state;
  endpoint.isLeasing = true;
  const { id } = endpoint.row;
  try {
    const now = clock();
    const wanted = endpoint.concurrency.leaseSize();
    // A wake-up from here on sets it back to 0.
    endpoint.dueAt = Number.POSITIVE_INFINITY;
    const due = await dueDeliveries(backend, id, now, wanted);
    const until = now + LEASE_MS;
    const outcomes = await Promise.all(due.map((delivery) => backend.write([lease(id, delivery, until)])));
    const leased = due
      .filter((_, index) => outcomes[index]?.written)
      .map((delivery) => ({ ...delivery, due_at: until }));
    if (endpoint.leased.length === 0 && due.length === wanted) endpoint.concurrency.leasedTooFew();
    if (state.endpoints.get(id) === endpoint) endpoint.leased.push(...leased);
    const next = due.length === wanted ? 0 : ((await nextDue(backend, id)) ?? Number.POSITIVE_INFINITY);
    endpoint.dueAt = Math.min(endpoint.dueAt, next);
  } catch (error) {
    endpoint.dueAt = clock() + AFTER_ERROR_MS;
    throw error;
  } finally {
    endpoint.isLeasing = false;
    advance(state, endpoint);
  }
};

/** Starts leased deliveries and leases due ones, as far as there are free slots. */
const advance = (state: DeliveryState, endpoint: Endpoint): void => {
  if (state.isStopped || state.endpoints.get(endpoint.row.id) !== endpoint) return;
  while (endpoint.leased.length > 0 && hasFreeSlot(state, endpoint)) {
    const delivery = endpoint.leased.shift() as PendingDelivery;
    if (delivery.due_at - state.clock() > LEASE_MS - START_WITHIN_MS) track(state, deliver(state, endpoint, delivery));
  }
  const isLow = endpoint.leased.length < endpoint.concurrency.leaseSize() / 2;
  if (isLow && !endpoint.isLeasing && endpoint.dueAt <= state.clock()) track(state, leaseDue(state, endpoint));
};

const wakeAll = ({ endpoints }: DeliveryState): void => {
  for (const endpoint of endpoints.values()) endpoint.dueAt = 0;
};

const wake = (state: DeliveryState, webhookId: string): void => {
  const endpoint = state.endpoints.get(webhookId);
  if (endpoint === undefined) return;
  endpoint.dueAt = 0;
  advance(state, endpoint);
};

/**
 * If the clock was ahead and has been corrected, deliveries may be scheduled months in the future. They become due at
 * once.
 */
const bringForwardFarFuture = async ({ backend, clock, endpoints }: DeliveryState): Promise<void> => {
  const latest = clock() + MAX_RETRY_AFTER_MS + LEASE_MS;
  for (const id of endpoints.keys())
    if (((await lastDue(backend, id)) ?? 0) > latest) await backend.write([bringForward(id, latest)]);
};

/** Also true if the clock was set back; otherwise nothing would run until it catches up. */
const isTime = (next: number, everyMs: number, now: number): boolean => now >= next || next - now > everyMs;

const tick = async (state: DeliveryState): Promise<void> => {
  const { backend, clock } = state;
  try {
    if (isTime(state.refreshAt, REFRESH_EVERY_MS, clock())) {
      state.refreshAt = clock() + REFRESH_EVERY_MS;
      await refreshEndpoints(state);
      await bringForwardFarFuture(state);
      wakeAll(state);
    }
    if (isTime(state.pollAt, POLL_EVERY_MS, clock())) {
      state.pollAt = clock() + POLL_EVERY_MS;
      for (const id of await withDue(backend, clock())) wake(state, id);
    }
    for (const endpoint of state.endpoints.values()) advance(state, endpoint);
  } catch (error) {
    state.report.error(error);
  }
  if (!state.isStopped) state.timer = setTimeout(tick, TICK_MS, state);
};

/** Starts nothing more, waits up to `graceMs` for deliveries in flight, then returns every lease. */
const stop = async (state: DeliveryState, graceMs: number): Promise<void> => {
  state.isStopped = true;
  clearTimeout(state.timer);
  if (state.unsettled > 0) {
    await new Promise<void>((resolve) => {
      const grace = setTimeout(resolve, graceMs);
      state.onIdle = () => {
        clearTimeout(grace);
        resolve();
      };
    });
  }
  state.isGraceOver = true;
  await Promise.all(
    [...state.endpoints.values()].flatMap((endpoint) =>
      endpoint.leased.splice(0).map((delivery) => release(state, endpoint, delivery)),
    ),
  );
};

/** The delivery worker: leases due deliveries, sends them, and stores the outcomes. */
export const makeDeliveries = (dependencies: DeliveryDependencies) => {
  const state = makeDeliveryState(dependencies);
  return {
    start: () => tick(state),
    refresh: () => refreshEndpoints(state),
    wakeAll: () => wakeAll(state),
    /** To be called once a delivery for the endpoint is stored. */
    wake: (webhookId: string) => wake(state, webhookId),
    /** Number of pending deliveries of enabled endpoints, and the id of the oldest. */
    countPending: () => countPendingOfAll(state.backend, state.endpoints.keys()),
    stop: (graceMs: number) => stop(state, graceMs),
  };
};
export type Deliveries = ReturnType<typeof makeDeliveries>;
