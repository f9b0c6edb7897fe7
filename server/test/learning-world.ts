import { makeRandom } from '@portcullis/engine';
import { type SimulatedItem, simulate } from '../src/simulate/simulate.ts';
import { type Client, DAY_MS, type Json } from './harness.ts';

/** One request of the history, what it really is, and what it was answered with. */
export interface Sent {
  readonly at: number;
  readonly kind: 'transaction' | 'event';
  readonly body: Record<string, unknown>;
  readonly fraud: boolean;
  /** Fraud of the kind that the model that ships has never seen. */
  readonly isNew: boolean;
}
export interface Answered extends Sent {
  readonly json: Json;
}

const CHANNELS = ['web', 'web', 'app'];
const PRODUCTS = ['book', 'toy', 'food'];
/** How often honest people buy by way of a partner, and gift cards; both at once hardly anybody does. */
const ODD_SHARE = 0.04;
const NEW_SHARE = 0.05;
const FIRST_NEW_DAY = 6;
const PAYMENTS_BEFORE = 2;

/**
 * Sixty days at a shop with attacks of the usual kinds, and of a new one: people with an ordinary past who, once, buy gift cards by way of a partner, with
 * their own device, address and card, for a sum they often pay. Nothing but the two together gives it away. Who did it is not seen again.
 */
export const makeHistory = (seed: number, users: number, days: number, start: number): Sent[] => {
  const random = makeRandom(seed);
  const oneOf = (list: readonly string[]): string => list[Math.floor(random() * list.length)] as string;
  const payments = new Map<string, number>();
  const gone = new Set<string>();
  const sent: Sent[] = [];
  for (const item of simulate({ seed, users, days, start, world: 'shop', attacks: 'all', fraudShare: 0.01 })) {
    const { kind, occurred_at, label, attack: _, ...body } = item as SimulatedItem & { metadata?: unknown };
    const at = Date.parse(occurred_at);
    const { user_id } = body;
    if (gone.has(user_id)) continue;
    if (kind === 'event') {
      sent.push({ at, kind, body, fraud: label === 'fraud', isNew: false });
      continue;
    }
    const before = payments.get(user_id) ?? 0;
    payments.set(user_id, before + 1);
    const isNew =
      label === 'legitimate' &&
      at >= start + FIRST_NEW_DAY * DAY_MS &&
      before >= PAYMENTS_BEFORE &&
      random() < NEW_SHARE;
    if (isNew) gone.add(user_id);
    const metadata = isNew
      ? { channel: 'partner', product: 'gift_card' }
      : {
          channel: random() < ODD_SHARE ? 'partner' : oneOf(CHANNELS),
          product: random() < ODD_SHARE ? 'gift_card' : oneOf(PRODUCTS),
        };
    sent.push({ at, kind, body: { ...body, metadata }, fraud: isNew || label === 'fraud', isNew });
  }
  return sent;
};

const AT_ONCE = 8;

/** Up to eight that come one after the other, of different users: no history depends on which of them is first. */
const batchesOf = (items: readonly Sent[]): Sent[][] => {
  const batches: Sent[][] = [[]];
  for (const item of items) {
    const last = batches.at(-1) as Sent[];
    const isFull = last.length === AT_ONCE || last.some(({ body }) => body.user_id === item.body.user_id);
    if (isFull) batches.push([item]);
    else last.push(item);
  }
  return batches;
};

/** Sends it all at its time, a few at once: each waits for the disk. */
export const send = async (
  api: Client,
  items: readonly Sent[],
  setClock: (at: number) => void,
): Promise<Answered[]> => {
  const answered: Answered[] = [];
  for (const batch of batchesOf(items)) {
    setClock((batch.at(-1) as Sent).at);
    answered.push(
      ...(await Promise.all(
        batch.map(async (item) => {
          const { status, json } = item.kind === 'event' ? await api.act(item.body) : await api.pay(item.body);
          if (status !== 200) throw new Error(JSON.stringify(json));
          return { ...item, json };
        }),
      )),
    );
  }
  return answered;
};

export const isHeld = ({ json }: Answered): boolean => json.decision !== 'allow';

/** How many of some were held, and their share. */
export const shareHeld = (items: readonly Answered[], of: (item: Answered) => boolean): number => {
  const some = items.filter(of);
  return some.filter(isHeld).length / some.length;
};
