import { type EventRequest, inDollars, networkOf, type TransactionRequest } from '@portcullis/contract';
import { deviceId, hash53 } from './entity.ts';

/** What is counted in the windows of an entity; the last two when a label becomes known. The order is stored: append only. */
export const COUNTED = [
  'transactions',
  'small_transactions',
  'logins',
  'failed_logins',
  'signups',
  'changes',
  'methods_added',
  'other_events',
  'frauds',
  'legitimates',
] as const;
export type Counted = (typeof COUNTED)[number];

/** A payment this small is what a thief tries a stolen card with. */
export const SMALL_DOLLARS = 5;

interface Common {
  readonly at: number;
  /** One value for each of ENTITY_KINDS, undefined where the request names none. */
  readonly entities: readonly (string | undefined)[];
  /** `hash53` of each, 0 where there is none. */
  readonly hashes: readonly number[];
  /** Index into COUNTED. */
  readonly counted: number;
  /** The amount in US dollars; NaN for an event and where no rate exists. */
  readonly dollars: number;
}
export interface TransactionSubject extends Common {
  readonly type: 'transaction';
  readonly request: TransactionRequest;
}
export interface EventSubject extends Common {
  readonly type: 'event';
  readonly request: EventRequest;
}
/** A transaction or event at a moment, with everything that follows from the request alone. */
export type Subject = TransactionSubject | EventSubject;

const entitiesOf = (request: TransactionRequest | EventRequest, fingerprint?: string, counterparty?: string) => {
  const ip = request.ip_address;
  return [
    request.user_id,
    ip,
    ip === undefined ? undefined : networkOf(ip),
    request.device_token === undefined ? undefined : deviceId(request.device_token),
    fingerprint,
    request.email?.toLowerCase(),
    counterparty,
  ];
};

const hashOf = (value: string | undefined): number => (value === undefined ? 0 : hash53(value));
const hashesOf = (entities: readonly (string | undefined)[]): number[] => entities.map(hashOf);

export const transactionSubject = (request: TransactionRequest, at: number): TransactionSubject => {
  const entities = entitiesOf(request, request.payment_fingerprint, request.counterparty_id);
  const dollars = inDollars(request.amount, request.currency);
  const counted = COUNTED.indexOf(dollars < SMALL_DOLLARS ? 'small_transactions' : 'transactions');
  return { type: 'transaction', at, request, entities, hashes: hashesOf(entities), counted, dollars };
};

const countedAs = (request: EventRequest): Counted => {
  switch (request.type) {
    case 'login':
      return request.outcome === 'failed' ? 'failed_logins' : 'logins';
    case 'signup':
      return 'signups';
    case 'payment_method_added':
      return 'methods_added';
    case 'password_reset':
    case 'password_change':
    case 'email_change':
    case 'phone_change':
    case 'address_change':
    case 'mfa_change':
      return 'changes';
    default:
      return 'other_events';
  }
};

export const eventSubject = (request: EventRequest, at: number): EventSubject => {
  const entities = entitiesOf(request);
  const counted = COUNTED.indexOf(countedAs(request));
  return { type: 'event', at, request, entities, hashes: hashesOf(entities), counted, dollars: Number.NaN };
};

/** The subject of a request that was stored, as it was when it was screened. */
export const subjectOf = (type: Subject['type'], request: TransactionRequest | EventRequest, at: number): Subject =>
  type === 'transaction'
    ? transactionSubject(request as TransactionRequest, at)
    : eventSubject(request as EventRequest, at);
