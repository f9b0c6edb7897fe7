import type { EventRequest, EventType, TransactionRequest } from '@portcullis/contract';
import type { Draw } from './draw.ts';
import type { PostalAddress } from './names.ts';
import type { Card, Counterparty, Person } from './people.ts';
import type { Category, World } from './world.ts';

/** How a caller would have sent it, when it happened, and what it was. `attack` is for measuring and stands on fraud alone. */
export type SimulatedItem = (
  | ({ kind: 'transaction'; occurred_at: string } & TransactionRequest)
  | ({ kind: 'event'; occurred_at: string } & EventRequest)
) & { label: 'fraud' | 'legitimate'; attack?: string };

/** With which device and from which address someone acts. */
export interface Session {
  readonly device: string | undefined;
  readonly ip: string | undefined;
}
export interface Payment {
  readonly amount: number;
  readonly card: Card;
  readonly counterparty: Counterparty;
  readonly category?: Category;
  readonly billing?: PostalAddress;
  readonly shipping?: PostalAddress;
}
interface Entry {
  readonly at: number;
  readonly item: SimulatedItem;
}

export const DAY_MS = 86_400_000;

/** Takes down what happens, shaped as this world's caller sends it, and gives it back day by day. Holds only what is still to come. */
export const makeJournal = (world: World, draw: Draw) => {
  const days = new Map<number, Entry[]>();
  const fraudsOf = new Map<string, number>();
  const count = { all: 0, fraud: 0 };
  let taken = -1;
  const { sends, missing, metadata } = world;
  const there = (sent: boolean): boolean => sent && (missing === 0 || !draw.chance(missing));
  const addressOf = (address: PostalAddress): PostalAddress =>
    world.onlyCountry ? { country: address.country } : address;

  const put = (at: number, item: SimulatedItem, attack: string | undefined): boolean => {
    const time = Math.floor(at / world.granularityMs) * world.granularityMs;
    const day = Math.floor((time - world.start) / DAY_MS);
    if (day <= taken || day >= world.days) return false;
    item.label = attack === undefined ? 'legitimate' : 'fraud';
    if (attack !== undefined) {
      item.attack = attack;
      count.fraud++;
      fraudsOf.set(attack, (fraudsOf.get(attack) ?? 0) + 1);
    }
    count.all++;
    const entries = days.get(day);
    if (entries === undefined) days.set(day, [{ at: time, item }]);
    else entries.push({ at: time, item });
    return true;
  };
  const metadataOf = (category: Category): Record<string, string> => {
    const values: Record<string, string> = {};
    for (const key of metadata)
      values[key] =
        key === 'category' ? category.name : key === 'channel' ? draw.pickEarly(['web', 'app', 'phone']) : draw.hex(8);
    return values;
  };

  /** False when that is after the end of this world. */
  const pay = (at: number, who: Person, { device, ip }: Session, payment: Payment, attack?: string): boolean => {
    const { card, counterparty, category = counterparty.category, billing = who.billing, shipping } = payment;
    const item: Record<string, unknown> = {
      kind: 'transaction',
      occurred_at: '',
      user_id: who.id,
      amount: payment.amount,
      currency: who.currency,
    };
    if (ip !== undefined && there(sends.ip)) item.ip_address = ip;
    if (device !== undefined && there(sends.device)) item.device_token = device;
    if (there(sends.method)) item.payment_method = card.method;
    if (there(sends.fingerprint)) item.payment_fingerprint = card.fingerprint;
    if (there(sends.counterparty)) item.counterparty_id = counterparty.id;
    if (there(sends.email)) item.email = who.email;
    if (there(sends.billing)) item.billing_address = addressOf(billing);
    if (there(sends.shipping)) item.shipping_address = addressOf(shipping ?? billing);
    if (metadata.length > 0) item.metadata = metadataOf(category);
    return put(at, item as unknown as SimulatedItem, attack);
  };

  /** False when this world's caller does not tell of such events, or ends before. */
  const event = (
    at: number,
    who: Person,
    { device, ip }: Session,
    type: EventType,
    outcome: 'succeeded' | 'failed' = 'succeeded',
    attack?: string,
  ): boolean => {
    if (!world.events.has(type)) return false;
    const item: Record<string, unknown> = { kind: 'event', occurred_at: '', user_id: who.id, type, outcome };
    if (ip !== undefined && there(sends.ip)) item.ip_address = ip;
    if (device !== undefined && there(sends.device)) item.device_token = device;
    if (there(sends.email)) item.email = who.email;
    return put(at, item as unknown as SimulatedItem, attack);
  };

  /** All of one day in the order of time. A day is taken once, after all that could still happen in it was written. */
  const take = (day: number): SimulatedItem[] => {
    const entries = days.get(day) ?? [];
    days.delete(day);
    taken = day;
    entries.sort((a, b) => a.at - b.at);
    return entries.map(({ at, item }) => {
      item.occurred_at = new Date(at).toISOString();
      return item;
    });
  };
  return { pay, event, take, count, fraudsOf };
};
export type Journal = ReturnType<typeof makeJournal>;
