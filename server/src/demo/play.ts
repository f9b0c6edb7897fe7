import { setTimeout as sleep } from 'node:timers/promises';
import { makeProgress } from '../runtime/progress-bar.ts';
import type { SimulatedItem } from '../simulate/output.ts';
import type { Agenda } from './agenda.ts';
import type { Api } from './api.ts';
import type { DemoClock } from './clock.ts';
import type { People, Screened } from './people.ts';

/** Requests at once. The service would answer more, but in the past a batch has one time. */
const BATCH = 16;
const BATCH_MS = 10 * 60_000;

interface Shop {
  readonly api: Api;
  readonly clock: DemoClock;
  readonly agenda: Agenda;
  readonly people: People;
  /** Cases from this time on are left open. */
  readonly openFrom: number;
}

const timeOf = ({ occurred_at }: SimulatedItem): number => Date.parse(occurred_at);

/** Sends an item as the shop would: without its label, and without the name of its attack. */
const screen = async ({ api, people, openFrom }: Shop, item: SimulatedItem): Promise<void> => {
  const { kind, occurred_at: _, label: __, label_reason: ___, attack: ____, ...request } = item;
  const path = kind === 'transaction' ? '/v1/transactions/screen' : '/v1/events';
  people.react(item, timeOf(item), await api.post<Screened>(path, request), openFrom);
};

/** Whether an item can be sent beside those of a batch: about the same time, and another user, whose items have an order. */
const fits = (batch: readonly SimulatedItem[], item: SimulatedItem): boolean =>
  batch.length < BATCH &&
  timeOf(item) - timeOf(batch[0] ?? item) < BATCH_MS &&
  batch.every(({ user_id }) => user_id !== item.user_id);

const sendBatch = async (shop: Shop, batch: readonly SimulatedItem[]): Promise<void> => {
  const at = timeOf(batch[0] as SimulatedItem);
  await shop.agenda.runUntil(at, shop.clock.moveTo);
  shop.clock.moveTo(at);
  await Promise.all(batch.map((item) => screen(shop, item)));
};

export interface Played {
  readonly items: number;
  readonly frauds: number;
  /** The first item of the future. */
  readonly next: SimulatedItem | undefined;
}

/** Plays the items from `start` until now, as fast as the service answers. */
export const playPast = async (shop: Shop, items: Iterator<SimulatedItem>, start: number): Promise<Played> => {
  const now = Date.now();
  const progress = makeProgress('playing a month of the shop', now - start);
  let batch: SimulatedItem[] = [];
  let [count, frauds] = [0, 0];
  let next = items.next();
  for (; !next.done && timeOf(next.value) < now; next = items.next()) {
    if (!fits(batch, next.value)) {
      await sendBatch(shop, batch);
      progress.at(timeOf(next.value) - start);
      batch = [];
    }
    batch.push(next.value);
    count++;
    if (next.value.label === 'fraud') frauds++;
  }
  if (batch.length > 0) await sendBatch(shop, batch);
  await shop.agenda.runUntil(now, shop.clock.moveTo);
  progress.end();
  return { items: count, frauds, next: next.done ? undefined : next.value };
};

/** Sends the items of the future when their time comes, until the signal ends it. */
export const playOn = async (
  shop: Shop,
  first: SimulatedItem | undefined,
  items: Iterator<SimulatedItem>,
  signal: AbortSignal,
): Promise<void> => {
  for (let item = first; item !== undefined; ) {
    await sleep(Math.max(0, timeOf(item) - Date.now()), undefined, { signal });
    await shop.agenda.runUntil(Date.now(), () => {});
    await screen(shop, item);
    const next = items.next();
    item = next.done ? undefined : next.value;
  }
};
