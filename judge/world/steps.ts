import type { EventType } from '@portcullis/contract';
import type { Customer, Place, PostalAddress } from './customers.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Where a request comes from. */
export interface Session {
  readonly device: string | undefined;
  readonly ip: string;
}

/** The reason that a business would give with the label of a fraud. */
export type LabelReason = 'takeover' | 'stolen_card' | 'first_party';

/** One request of a customer or thief, before it is read as the service reads it. */
export interface Step {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** A legitimate step has none. */
  readonly fraud?: LabelReason;
  /** What the judge counts the step as. A step without a tag is only history. */
  readonly tag?: string;
}
export type Extra = Pick<Step, 'fraud' | 'tag'>;

export interface Payment {
  readonly dollars: number;
  readonly card?: string | undefined;
  readonly payee?: string | undefined;
  readonly email?: string | undefined;
  readonly shipping?: PostalAddress | undefined;
  readonly isRound?: boolean;
}

const roundTo = (value: number, step: number): number => Math.max(step, Math.round(value / step) * step);
/** An amount as people pay it: cents, whole units of weak currencies, or a round sum. */
export const amountOf = (dollars: number, { currency, perDollar }: Customer['country'], isRound = false): number => {
  const value = dollars * perDollar;
  if (isRound) return roundTo(value, 10 ** Math.floor(Math.log10(value)) / 2);
  if (perDollar >= 100) return roundTo(value, currency === 'JPY' ? 10 : 1000);
  return roundTo(Math.round(value * 100) / 100, 0.01);
};

/** A payment in the format of the business. */
export const pay = (
  { business: { sends, method, payees } }: Place,
  at: number,
  customer: Customer,
  { device, ip }: Session,
  payment: Payment,
  extra: Extra = {},
): Step => {
  const { card = customer.cards[0], payee = customer.payees[0], email = customer.email } = payment;
  return {
    at,
    ...extra,
    fields: {
      kind: 'transaction',
      user_id: customer.id,
      amount: Number(amountOf(payment.dollars, customer.country, payment.isRound).toFixed(2)),
      currency: customer.country.currency,
      ip_address: ip,
      ...(device === undefined ? {} : { device_token: device }),
      payment_method: method,
      ...(sends.card && card !== undefined ? { payment_fingerprint: card } : {}),
      ...(sends.payee && payees > 0 && payee !== undefined ? { counterparty_id: payee } : {}),
      ...(sends.email ? { email } : {}),
      ...(sends.postal
        ? { billing_address: customer.address, shipping_address: payment.shipping ?? customer.address }
        : {}),
    },
  };
};

export const event = (
  { business: { sends } }: Place,
  at: number,
  customer: Customer,
  { device, ip }: Session,
  type: EventType,
  extra: Extra & { readonly outcome?: 'failed'; readonly email?: string } = {},
): Step => {
  const { outcome = 'succeeded', email = customer.email, ...rest } = extra;
  return {
    at,
    ...rest,
    fields: {
      kind: 'event',
      user_id: customer.id,
      type,
      outcome,
      ip_address: ip,
      ...(device === undefined ? {} : { device_token: device }),
      ...(sends.email ? { email } : {}),
    },
  };
};
