import type { EventRequest, TransactionRequest } from '@portcullis/contract';
import { inDollars, networkOf } from '@portcullis/contract/values';
import { deviceId } from './device-id.ts';
import { kindIndex, RELATED_KINDS } from './entity.ts';
import type { Identify } from './identity.ts';
import { type Knowledge, knowledgeIndex, NO_KNOWLEDGE, UNAVAILABLE } from './lookup-facts.ts';
import { mailboxOf } from './mailbox.ts';
import { placeNumber } from './place.ts';
import { shippingName } from './shipping.ts';

/**
 * The activities that the windows of an entity count. A label counts as `frauds` or `legitimates`. A fraud label also
 * counts as `actor_frauds` in the histories that it blames, and as one of the user's `disputes` if it blames nothing else. The
 * order is stored: append only.
 */
export const ACTIVITIES = [
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
  'actor_frauds',
  'disputes',
] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** Payments below this amount are small. Thieves test stolen cards with small payments. */
export const SMALL_DOLLARS = 5;

interface CommonSubject {
  readonly at: number;
  /** Facts that the server looked up. */
  readonly knowledge: Knowledge;
  /** The key of the identity of each of RELATED_KINDS, 0 if the subject has none. A place or country is a number. */
  readonly hashes: readonly number[];
  /** The check of each identity. */
  readonly checks: readonly number[];
  /** Index into ACTIVITIES, based only on the request. `activityOf` refines it. */
  readonly activity: number;
  /** The amount in US dollars; NaN for an event and for a currency without a rate. */
  readonly dollars: number;
  /** An attempt that failed, such as a login with a wrong password. It proves nothing about who made it. */
  readonly isFailed: boolean;
  /** It happened before it was stored: histories may have newer items. */
  readonly isImported: boolean;
}
export interface TransactionSubject extends CommonSubject {
  readonly type: 'transaction';
  readonly request: TransactionRequest;
}
export interface EventSubject extends CommonSubject {
  readonly type: 'event';
  readonly request: EventRequest;
}
/** A transaction or event at a moment, with everything derived only from the request. */
export type Subject = TransactionSubject | EventSubject;

/** One number for each of RELATED_KINDS. Copies keep room for numbers of 53 bits, which a new array must grow into. */
const NO_NUMBERS = RELATED_KINDS.map(() => 0.5).fill(0);

/** A looked-up number; 0 if it is unknown or unavailable. */
const numberOf = (number: number): number => (number > 0 ? number : 0);

interface Identities {
  readonly hashes: number[];
  readonly checks: number[];
}

const { user, ip: address, network, device, email: mail, asn, domain, likeness, country, place, token } = kindIndex;
const { fingerprint: card, counterparty: payee, shipping, recurring, account } = kindIndex;
/** The tenant is part of every identity, and it has one account. */
const ACCOUNT_NAME = '';

/**
 * Whether the domain of an e-mail address is an entity. Users of free mail providers have nothing in common. Without
 * the list of these providers no domain is one.
 */
const isDomainShared = (isFree: number): boolean => isFree !== 1 && isFree !== UNAVAILABLE;

const identifyNumber = (identify: Identify, kind: number, number: number, { hashes, checks }: Identities): void => {
  if (number > 0) identify(kind, String(number), hashes, checks);
};

const identitiesOf = (
  identify: Identify,
  request: TransactionRequest | EventRequest,
  knowledge: Knowledge,
): Identities => {
  const identities = { hashes: NO_NUMBERS.slice(), checks: NO_NUMBERS.slice() };
  const { hashes, checks } = identities;
  const { ip_address: ip, device_token } = request;
  const email = request.email?.toLowerCase();
  identify(account, ACCOUNT_NAME, hashes, checks);
  identify(user, request.user_id, hashes, checks);
  if (ip !== undefined) {
    identify(address, ip, hashes, checks);
    identify(network, networkOf(ip), hashes, checks);
  }
  if (device_token !== undefined) identify(device, deviceId(device_token), hashes, checks);
  if (email !== undefined) {
    identify(mail, mailboxOf(email), hashes, checks);
    if (isDomainShared(knowledge[knowledgeIndex.email_free] as number))
      identify(domain, email.slice(email.lastIndexOf('@') + 1), hashes, checks);
  }
  identifyNumber(identify, asn, knowledge[knowledgeIndex.asn] as number, identities);
  identifyNumber(identify, likeness, knowledge[knowledgeIndex.device_likeness] as number, identities);
  identifyNumber(identify, token, knowledge[knowledgeIndex.device_token_id] as number, identities);
  // Not chosen by a sender, and read back as numbers from the history of a user.
  hashes[country] = numberOf(knowledge[knowledgeIndex.ip_country] as number);
  hashes[place] = placeNumber(knowledge);
  return identities;
};

export const transactionSubject = (
  identify: Identify,
  request: TransactionRequest,
  at: number,
  knowledge: Knowledge = NO_KNOWLEDGE,
  isImported = false,
): TransactionSubject => {
  const { hashes, checks } = identitiesOf(identify, request, knowledge);
  const { payment_fingerprint, counterparty_id, shipping_address, amount, currency } = request;
  if (payment_fingerprint !== undefined) identify(card, payment_fingerprint, hashes, checks);
  if (counterparty_id !== undefined) {
    identify(payee, counterparty_id, hashes, checks);
    identify(recurring, `${currency} ${amount} ${counterparty_id}`, hashes, checks);
  }
  const shippedTo = shipping_address === undefined ? undefined : shippingName(shipping_address);
  if (shippedTo !== undefined) identify(shipping, shippedTo, hashes, checks);
  const dollars = inDollars(amount, currency);
  const activity = ACTIVITIES.indexOf(dollars < SMALL_DOLLARS ? 'small_transactions' : 'transactions');
  return {
    type: 'transaction',
    at,
    request,
    knowledge,
    hashes,
    checks,
    activity,
    dollars,
    isFailed: false,
    isImported,
  };
};

const eventActivity = (request: EventRequest): Activity => {
  if (request.outcome === 'failed') return request.type === 'login' ? 'failed_logins' : 'other_events';
  switch (request.type) {
    case 'login':
      return 'logins';
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

export const eventSubject = (
  identify: Identify,
  request: EventRequest,
  at: number,
  knowledge: Knowledge = NO_KNOWLEDGE,
  isImported = false,
): EventSubject => {
  const { hashes, checks } = identitiesOf(identify, request, knowledge);
  return {
    type: 'event',
    at,
    request,
    knowledge,
    hashes,
    checks,
    activity: ACTIVITIES.indexOf(eventActivity(request)),
    dollars: Number.NaN,
    isFailed: request.outcome === 'failed',
    isImported,
  };
};

/** The subject of a stored request, as it was when it was screened. */
export const subjectOf = (
  identify: Identify,
  type: Subject['type'],
  request: TransactionRequest | EventRequest,
  at: number,
  knowledge: Knowledge = NO_KNOWLEDGE,
  isImported = false,
): Subject =>
  type === 'transaction'
    ? transactionSubject(identify, request as TransactionRequest, at, knowledge, isImported)
    : eventSubject(identify, request as EventRequest, at, knowledge, isImported);
