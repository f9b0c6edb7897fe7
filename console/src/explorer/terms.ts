import type { ScreeningQuery } from '@portcullis/client';
import {
  makeReadAll,
  makeReadTerm,
  readAny,
  readCountry,
  readDollars,
  readOneIn,
  readScore,
  type Term,
} from '../parts/terms.ts';

export type Parameter = Exclude<keyof ScreeningQuery, 'from' | 'until' | 'limit' | 'before' | 'type'>;

const DECISIONS = ['allow', 'review', 'block'];
const LABELS = ['fraud', 'legitimate', 'none'];
const OUTCOMES = ['succeeded', 'failed'];
const EVENT_TYPES = [
  'login',
  'signup',
  'password_reset',
  'password_change',
  'email_change',
  'phone_change',
  'address_change',
  'mfa_change',
  'payment_method_added',
  'payout_request',
  'logout',
  'other',
];
const readSignal = (value: string): string | undefined => (/^[a-z0-9_.]{1,128}$/.test(value) ? value : undefined);
const readCurrency = (value: string): string | undefined =>
  /^[a-z]{3}$/i.test(value) ? value.toUpperCase() : undefined;

/** Every filter of the API, by its name. */
export const TERMS: readonly Term<Parameter>[] = [
  {
    word: 'decision:',
    example: 'decision:block',
    parameter: 'decision',
    read: readOneIn(DECISIONS),
    hint: 'Decision in force',
    values: DECISIONS,
  },
  {
    word: 'label:',
    example: 'label:fraud',
    parameter: 'label',
    read: readOneIn(LABELS),
    hint: 'Fraud, legitimate or none',
    values: LABELS,
  },
  { word: 'score>', example: 'score>60', parameter: 'score_min', read: readScore, hint: 'At least this score' },
  { word: 'score<', example: 'score<80', parameter: 'score_max', read: readScore, hint: 'At most this score' },
  {
    word: 'usd>',
    example: 'usd>500',
    parameter: 'usd_min',
    read: readDollars,
    hint: 'At least this amount in US dollars',
  },
  {
    word: 'usd<',
    example: 'usd<50',
    parameter: 'usd_max',
    read: readDollars,
    hint: 'At most this amount in US dollars',
  },
  {
    word: 'country:',
    example: 'country:NG',
    parameter: 'country',
    read: readCountry,
    hint: 'Country of the IP address',
  },
  { word: 'signal:', example: 'signal:new_device', parameter: 'signal', read: readSignal, hint: 'Active signal' },
  {
    word: 'user_id:',
    also: ['user:'],
    example: 'user_id:user_1842',
    parameter: 'user_id',
    read: readAny,
    hint: 'Your id of the user',
  },
  { word: 'email:', example: 'email:ada@example.com', parameter: 'email', read: readAny, hint: 'An e-mail address' },
  {
    word: 'email_domain:',
    example: 'email_domain:example.com',
    parameter: 'email_domain',
    read: readAny,
    hint: 'Domain of the e-mail address',
  },
  {
    word: 'ip_address:',
    also: ['ip:'],
    example: 'ip_address:198.51.100.7',
    parameter: 'ip_address',
    read: readAny,
    hint: 'An IP address',
  },
  {
    word: 'network:',
    example: 'network:198.51.100.0/24',
    parameter: 'network',
    read: readAny,
    hint: 'Network of the IP address',
  },
  {
    word: 'device_token:',
    also: ['device:'],
    example: 'device_token:dvc_8f14e45f',
    parameter: 'device_token',
    read: readAny,
    hint: 'A device',
  },
  {
    word: 'payment_fingerprint:',
    also: ['card:'],
    example: 'payment_fingerprint:pm_6d41aa',
    parameter: 'payment_fingerprint',
    read: readAny,
    hint: 'A card, account or wallet',
  },
  {
    word: 'counterparty_id:',
    also: ['counterparty:'],
    example: 'counterparty_id:shop_77',
    parameter: 'counterparty_id',
    read: readAny,
    hint: 'Who was paid',
  },
  {
    word: 'currency:',
    example: 'currency:EUR',
    parameter: 'currency',
    read: readCurrency,
    hint: 'Currency of payments',
  },
  {
    word: 'event_type:',
    also: ['event:'],
    example: 'event_type:login',
    parameter: 'event_type',
    read: readOneIn(EVENT_TYPES),
    hint: 'Type of events',
    values: EVENT_TYPES,
  },
  {
    word: 'outcome:',
    example: 'outcome:failed',
    parameter: 'outcome',
    read: readOneIn(OUTCOMES),
    hint: 'Outcome of events',
    values: OUTCOMES,
  },
  { word: 'rule:', example: 'rule:rule_…', parameter: 'rule', read: readAny, hint: 'A live rule that matched' },
  {
    word: 'model_version:',
    also: ['model:'],
    example: 'model_version:mdl_base',
    parameter: 'model_version',
    read: readAny,
    hint: 'The model that gave the score',
  },
  {
    word: 'text:',
    example: 'text:gift card',
    parameter: 'text',
    read: readAny,
    hint: 'Text in any value that was sent',
  },
];

/** Filters that take the permission to read personal data. */
export const PERSONAL: readonly Parameter[] = [
  'email',
  'email_domain',
  'ip_address',
  'network',
  'device_token',
  'payment_fingerprint',
  'text',
];

/** What a value without a word is: an e-mail address, an IP address, or else a user. */
const plainOf = (text: string): string => {
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return `email:${text}`;
  if (/^(?:\d{1,3}\.){3}\d{1,3}$|^[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:]*$/i.test(text)) return `ip_address:${text}`;
  return `user_id:${text}`;
};
export const readTerm = makeReadTerm(TERMS, plainOf);
export const readTerms = makeReadAll(TERMS, readTerm);
