import { COUNTRIES, CURRENCIES } from '@portcullis/contract/values';
import { closestName } from '../runtime/closest-name.ts';

/**
 * Names that other APIs use for our fields. `card` is left out: a suggestion must not invite card numbers.
 * `closestName` finds misspellings.
 */
const FIELD_ALIASES: Readonly<Record<string, readonly string[]>> = {
  account_id: ['user_id'],
  address: ['billing_address', 'ip_address'],
  address1: ['line1'],
  address2: ['line2'],
  analyst: ['analyst_id'],
  attributes: ['metadata'],
  beneficiary: ['counterparty_id'],
  billing: ['billing_address'],
  card_id: ['payment_fingerprint'],
  card_token: ['payment_fingerprint'],
  comment: ['notes'],
  comments: ['notes'],
  country_code: ['country'],
  currency_code: ['currency'],
  custom: ['metadata'],
  custom_attributes: ['metadata'],
  customer: ['user_id'],
  customer_id: ['user_id'],
  device: ['device_token'],
  device_fingerprint: ['device_token'],
  device_id: ['device_token'],
  email_address: ['email'],
  end: ['end_date', 'until'],
  event: ['type'],
  event_type: ['type', 'events'],
  event_types: ['events'],
  fingerprint: ['device_token', 'payment_fingerprint'],
  from: ['start_date', 'since'],
  ip: ['ip_address'],
  ip_addr: ['ip_address'],
  mail: ['email'],
  merchant: ['counterparty_id'],
  merchant_id: ['counterparty_id'],
  method: ['payment_method'],
  page_size: ['limit'],
  payee: ['counterparty_id'],
  payee_id: ['counterparty_id'],
  payment_token: ['payment_fingerprint'],
  payment_type: ['payment_method'],
  per_page: ['limit'],
  postcode: ['postal_code'],
  price: ['amount'],
  province: ['state'],
  recipient_id: ['counterparty_id'],
  region: ['state'],
  remote_ip: ['ip_address'],
  reviewer: ['analyst_id'],
  reviewer_id: ['analyst_id'],
  shipping: ['shipping_address'],
  skip: ['offset'],
  start: ['start_date', 'from'],
  street: ['line1'],
  tags: ['metadata'],
  to: ['end_date', 'until'],
  total: ['amount'],
  user: ['user_id'],
  value: ['amount'],
  zip: ['postal_code'],
  zip_code: ['postal_code'],
};

/** The field a caller most likely meant by an unknown name, if any. */
export const suggestField = (name: string, known: readonly string[]): string | undefined => {
  const wanted = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  const aliases = Object.hasOwn(FIELD_ALIASES, wanted) ? (FIELD_ALIASES[wanted] ?? []) : [];
  return aliases.find((alias) => known.includes(alias)) ?? closestName(name, known);
};

/** Wrong country codes in common use, and the three-letter codes of the countries that send most requests. */
const COUNTRY_CODES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'UK=GB EN=GB EL=GR USA=US GBR=GB DEU=DE GER=DE FRA=FR ESP=ES ITA=IT NLD=NL BEL=BE AUT=AT CHE=CH POL=PL PRT=PT SWE=SE NOR=NO ' +
    'DNK=DK FIN=FI IRL=IE CZE=CZ GRC=GR ROU=RO HUN=HU CAN=CA MEX=MX BRA=BR ARG=AR CHL=CL COL=CO AUS=AU NZL=NZ JPN=JP CHN=CN ' +
    'IND=IN KOR=KR SGP=SG IDN=ID THA=TH VNM=VN PHL=PH MYS=MY TUR=TR ISR=IL ARE=AE SAU=SA EGY=EG ZAF=ZA NGA=NG KEN=KE UKR=UA RUS=RU'
  )
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
);

/** Symbols and nicknames of currencies. Withdrawn codes have no suggestion: the amount would have to be converted. */
const CURRENCY_CODES: Readonly<Record<string, string>> = {
  '€': 'EUR',
  $: 'USD',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  EURO: 'EUR',
  EUROS: 'EUR',
  US$: 'USD',
  USDOLLAR: 'USD',
  DOLLAR: 'USD',
  DOLLARS: 'USD',
  POUND: 'GBP',
  POUNDS: 'GBP',
  STG: 'GBP',
  YEN: 'JPY',
  RMB: 'CNY',
  YUAN: 'CNY',
  RUPEE: 'INR',
};

type Codes = ReadonlyMap<string, string>;

/** English names such as `GERMANY`, from the data that the runtime carries. */
const withNames = (
  codes: Readonly<Record<string, string>>,
  known: Iterable<string>,
  type: 'region' | 'currency',
): Codes => {
  const names = new Intl.DisplayNames(['en'], { type, fallback: 'none' });
  return new Map([
    ...[...known].map((code): [string, string] => [names.of(code)?.toUpperCase() ?? code, code]),
    ...Object.entries(codes),
  ]);
};

let tables: Readonly<Record<string, Codes>> | undefined;
/** Made at the first invalid code: most processes never need them. */
const codeTables = (): Readonly<Record<string, Codes>> => {
  tables ??= {
    country: withNames(COUNTRY_CODES, COUNTRIES, 'region'),
    currency: withNames(CURRENCY_CODES, CURRENCIES, 'currency'),
  };
  return tables;
};

/** The code a caller most likely meant by an invalid country or currency, if any. */
export const suggestCode = (field: string, value: unknown): string | undefined => {
  if (typeof value !== 'string' || value.length > 64 || (field !== 'country' && field !== 'currency')) return undefined;
  return codeTables()[field]?.get(value.trim().toUpperCase());
};
