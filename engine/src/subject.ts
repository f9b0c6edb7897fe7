import { type EventRequest, inDollars, networkOf, type TransactionRequest } from '@portcullis/contract';
import { deviceId, hash53 } from './entity.ts';
import { type Knowledge, knownIndex, NO_KNOWLEDGE, UNAVAILABLE } from './knowledge.ts';
import { placeNumber } from './place.ts';

/** What is counted in the windows of an entity; frauds and legitimates when a label becomes known. The order is stored: append only. */
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
  'large_transactions',
] as const;
export type Counted = (typeof COUNTED)[number];

/** A payment this small is what a thief tries a stolen card with. */
export const SMALL_DOLLARS = 5;

interface Common {
  readonly at: number;
  /** What the server found out about it. */
  readonly knowledge: Knowledge;
  /** For each of RELATED_KINDS the number it is known by, 0 where there is none. */
  readonly hashes: readonly number[];
  /** Index into COUNTED, as far as the request alone tells: see `countedAs`. */
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

const hashOf = (value: string | undefined): number => (value === undefined ? 0 : hash53(value));
/** What is known and can be followed; else 0. */
const numberOf = (known: number): number => (known > 0 ? known : 0);

/** A domain where anybody gets an address says nothing about those who have one there. Where nobody can tell which are such, none is followed. */
const domainHash = (email: string, isFree: number): number =>
  isFree === 1 || isFree === UNAVAILABLE ? 0 : hash53(email.slice(email.lastIndexOf('@') + 1));

const hashesOf = (
  request: TransactionRequest | EventRequest,
  knowledge: Knowledge,
  fingerprint?: string,
  counterparty?: string,
): number[] => {
  const { ip_address: ip, device_token: token } = request;
  const email = request.email?.toLowerCase();
  return [
    hash53(request.user_id),
    hashOf(ip),
    ip === undefined ? 0 : hash53(networkOf(ip)),
    token === undefined ? 0 : hash53(deviceId(token)),
    hashOf(fingerprint),
    hashOf(email),
    hashOf(counterparty),
    numberOf(knowledge[knownIndex.asn] as number),
    email === undefined ? 0 : domainHash(email, knowledge[knownIndex.email_free] as number),
    numberOf(knowledge[knownIndex.device_likeness] as number),
    numberOf(knowledge[knownIndex.ip_country] as number),
    placeNumber(knowledge),
    numberOf(knowledge[knownIndex.device_token_id] as number),
  ];
};

export const transactionSubject = (
  request: TransactionRequest,
  at: number,
  knowledge: Knowledge = NO_KNOWLEDGE,
): TransactionSubject => {
  const hashes = hashesOf(request, knowledge, request.payment_fingerprint, request.counterparty_id);
  const dollars = inDollars(request.amount, request.currency);
  const counted = COUNTED.indexOf(dollars < SMALL_DOLLARS ? 'small_transactions' : 'transactions');
  return { type: 'transaction', at, request, knowledge, hashes, counted, dollars };
};

const eventCounted = (request: EventRequest): Counted => {
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

export const eventSubject = (request: EventRequest, at: number, knowledge: Knowledge = NO_KNOWLEDGE): EventSubject => {
  const hashes = hashesOf(request, knowledge);
  return {
    type: 'event',
    at,
    request,
    knowledge,
    hashes,
    counted: COUNTED.indexOf(eventCounted(request)),
    dollars: Number.NaN,
  };
};

/** The subject of a request that was stored, as it was when it was screened. */
export const subjectOf = (
  type: Subject['type'],
  request: TransactionRequest | EventRequest,
  at: number,
  knowledge: Knowledge = NO_KNOWLEDGE,
): Subject =>
  type === 'transaction'
    ? transactionSubject(request as TransactionRequest, at, knowledge)
    : eventSubject(request as EventRequest, at, knowledge);
