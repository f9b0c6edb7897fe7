import type { EventRequest, EventType, TransactionRequest } from '@portcullis/contract';
import type { PostalAddress } from './names.ts';
import type { Card, Counterparty, Person } from './people.ts';
import type { Draw } from './random.ts';
import type { Category, World } from './world.ts';

/** One request of a simulated caller, with its time and label. `attack` is set on fraud only, for measurements. */
export type SimulatedItem = (
  | ({ kind: 'transaction'; occurred_at: string } & TransactionRequest)
  | ({ kind: 'event'; occurred_at: string } & EventRequest)
) & { label: 'fraud' | 'legitimate'; attack?: string };

/** The device and address of an action. */
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

/** Collects items in the format of this world's caller and returns them day by day. Holds future days only. */
export const makeOutput = (world: World, draw: Draw) => {
  const days = new Map<number, Entry[]>();
  const fraudCounts = new Map<string, number>();
  const count = { all: 0, fraud: 0 };
  let lastDayTaken = -1;
  const { sends, missing, metadata } = world;
  const isPresent = (isSent: boolean): boolean => isSent && (missing === 0 || !draw.chance(missing));
  const addressOf = (address: PostalAddress): PostalAddress =>
    world.onlyCountry ? { country: address.country } : address;

  const add = (at: number, item: SimulatedItem, attack: string | undefined): boolean => {
    const time = Math.floor(at / world.granularityMs) * world.granularityMs;
    const day = Math.floor((time - world.start) / DAY_MS);
    if (day <= lastDayTaken || day >= world.days) return false;
    item.label = attack === undefined ? 'legitimate' : 'fraud';
    if (attack !== undefined) {
      item.attack = attack;
      count.fraud++;
      fraudCounts.set(attack, (fraudCounts.get(attack) ?? 0) + 1);
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

  /** Writes a payment. False if its day was already returned or after the end of the simulation. */
  const pay = (at: number, person: Person, { device, ip }: Session, payment: Payment, attack?: string): boolean => {
    const { card, counterparty, category = counterparty.category, billing = person.billing, shipping } = payment;
    const item: Record<string, unknown> = {
      kind: 'transaction',
      occurred_at: '',
      user_id: person.id,
      amount: payment.amount,
      currency: person.currency,
    };
    if (ip !== undefined && isPresent(sends.ip)) item.ip_address = ip;
    if (device !== undefined && isPresent(sends.device)) item.device_token = device;
    if (isPresent(sends.method)) item.payment_method = card.method;
    if (isPresent(sends.fingerprint)) item.payment_fingerprint = card.fingerprint;
    if (isPresent(sends.counterparty)) item.counterparty_id = counterparty.id;
    if (isPresent(sends.email)) item.email = person.email;
    if (isPresent(sends.billing)) item.billing_address = addressOf(billing);
    if (isPresent(sends.shipping)) item.shipping_address = addressOf(shipping ?? billing);
    if (metadata.length > 0) item.metadata = metadataOf(category);
    return add(at, item as unknown as SimulatedItem, attack);
  };

  /** Writes an event. False if this caller does not send such events, or if its day is not open. */
  const event = (
    at: number,
    person: Person,
    { device, ip }: Session,
    type: EventType,
    outcome: 'succeeded' | 'failed' = 'succeeded',
    attack?: string,
  ): boolean => {
    if (!world.events.has(type)) return false;
    const item: Record<string, unknown> = { kind: 'event', occurred_at: '', user_id: person.id, type, outcome };
    if (ip !== undefined && isPresent(sends.ip)) item.ip_address = ip;
    if (device !== undefined && isPresent(sends.device)) item.device_token = device;
    if (isPresent(sends.email)) item.email = person.email;
    return add(at, item as unknown as SimulatedItem, attack);
  };

  /** Returns all items of one day in time order, once. Later writes to that day are refused. */
  const takeDay = (day: number): SimulatedItem[] => {
    const entries = days.get(day) ?? [];
    days.delete(day);
    lastDayTaken = day;
    entries.sort((a, b) => a.at - b.at);
    return entries.map(({ at, item }) => {
      item.occurred_at = new Date(at).toISOString();
      return item;
    });
  };
  return { pay, event, takeDay, count, fraudCounts };
};
export type Output = ReturnType<typeof makeOutput>;
