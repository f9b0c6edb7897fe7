import type { EventRequest, TransactionRequest } from '@portcullis/contract';
import {
  countryNumber,
  eventSubject,
  fact,
  makeFacts,
  type RuleInput,
  type Subject,
  transactionSubject,
} from '@portcullis/engine';

/** A Saturday, at half past nine. */
export const AT = Date.parse('2026-11-14T09:30:00.000Z');

const inputOf = (subject: Subject, known: Readonly<Record<string, number>>, more: Partial<RuleInput>): RuleInput => {
  const facts = makeFacts().fill(Number.NaN);
  for (const [name, value] of Object.entries(known)) facts[fact(name)] = value;
  return { subject, facts, score: 30, modelScore: 20, signals: [], lists: [], ...more };
};

/** A payment as rules see it. */
export const paymentInput = (
  request: Partial<TransactionRequest> = {},
  known: Readonly<Record<string, number>> = {},
  more: Partial<RuleInput> = {},
): RuleInput =>
  inputOf(transactionSubject({ user_id: 'ada', amount: 120, currency: 'EUR', ...request }, AT), known, more);

/** An event as rules see it. */
export const eventInput = (
  request: Partial<EventRequest> = {},
  known: Readonly<Record<string, number>> = {},
  more: Partial<RuleInput> = {},
): RuleInput => inputOf(eventSubject({ user_id: 'ada', type: 'login', ...request }, AT), known, more);

/** A payment with everything that can be asked for. */
export const fullPayment = (): RuleInput =>
  paymentInput(
    {
      ip_address: '198.51.100.24',
      device_token: 'dvc_1',
      email: 'Ada@Example.com',
      payment_method: 'card',
      payment_fingerprint: 'pm_1',
      counterparty_id: 'shop_77',
      billing_address: { line1: '1 Main Street', city: 'Berlin', postal_code: '10115', country: 'DE' },
      shipping_address: { country: 'NG' },
      metadata: { channel: 'web', age: '17', note: '' },
    },
    {
      ip_country: countryNumber('NL'),
      asn: 64500,
      ip_vpn: 1,
      ip_hosting: 0,
      email_free: 0,
      'user.transactions.1h': 6,
      'user.age_ms': 100 * 86_400_000,
    },
    { signals: ['new_device', 'velocity_spike'], lists: ['vip_users'], score: 61, modelScore: 12 },
  );
