/** Words for the parts of a feature's name, and formats of its value. */
import type { RelatedKind } from '../subject/entity.ts';
import { LONG_KNOWN_MS, OFTEN_SEEN } from './features.ts';

const WINDOWS: Readonly<Record<string, string>> = {
  '1m': 'in the last minute',
  '10m': 'in the last 10 minutes',
  '1h': 'in the last hour',
  '24h': 'in the last 24 hours',
  '7d': 'in the last 7 days',
  '30d': 'in the last 30 days',
};
export const windowText = (window: string | undefined): string => WINDOWS[window ?? ''] ?? String(window);

interface KindWords {
  readonly name: string;
  readonly plural: string;
  /** As in "payments by this user". */
  readonly pays: string;
  /** As in "devices used by this user". */
  readonly uses: string;
}
const KINDS: Readonly<Record<Exclude<RelatedKind, 'token'>, KindWords>> = {
  user: { name: 'user', plural: 'users', pays: 'by', uses: 'by' },
  ip: { name: 'IP address', plural: 'IP addresses', pays: 'from', uses: 'from' },
  network: { name: 'network', plural: 'networks', pays: 'from', uses: 'from' },
  device: { name: 'device', plural: 'devices', pays: 'from', uses: 'from' },
  fingerprint: { name: 'payment instrument', plural: 'payment instruments', pays: 'with', uses: 'with' },
  email: { name: 'e-mail address', plural: 'e-mail addresses', pays: 'with', uses: 'with' },
  counterparty: { name: 'counterparty', plural: 'counterparties', pays: 'to', uses: 'at' },
  asn: { name: 'internet provider', plural: 'internet providers', pays: 'from', uses: 'from' },
  domain: { name: 'e-mail domain', plural: 'e-mail domains', pays: 'with', uses: 'with' },
  likeness: { name: 'device profile', plural: 'device profiles', pays: 'from', uses: 'from' },
  country: { name: 'country', plural: 'countries', pays: 'from', uses: 'from' },
  place: { name: 'place', plural: 'places', pays: 'from', uses: 'from' },
};
export const ALL_KINDS = Object.keys(KINDS).join('|');

const wordsOf = (kind: string | undefined): KindWords =>
  KINDS[kind as keyof typeof KINDS] ?? { name: String(kind), plural: String(kind), pays: 'of', uses: 'with' };
export const kindName = (kind: string | undefined): string => wordsOf(kind).name;
export const thisKind = (kind: string | undefined): string => `this ${kindName(kind)}`;
const isLocation = (kind: string | undefined): boolean => kind === 'country' || kind === 'place';
/** "with this device", "in this country". */
export const seenWith = (kind: string | undefined): string => `${isLocation(kind) ? 'in' : 'with'} ${thisKind(kind)}`;
/** "by this user", "to this counterparty". */
export const paidBy = (kind: string | undefined): string => `${wordsOf(kind).pays} ${thisKind(kind)}`;
/** "devices used by this user", "users of this device". */
export const distinctText = (
  kind: string | undefined,
  other: string | undefined,
  count: number | undefined,
): string => {
  const { name, plural } = wordsOf(other);
  const noun = count === 1 ? name : plural;
  if (other === 'user') return `${noun} of ${thisKind(kind)}`;
  if (other === 'counterparty') return `${noun} paid ${paidBy(kind)}`;
  if (isLocation(other)) return `${noun} of ${thisKind(kind)}`;
  return `${noun} used ${wordsOf(kind).uses} ${thisKind(kind)}`;
};

const COUNTS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  transactions: ['payment', 'payments'],
  small_transactions: ['payment under $5', 'payments under $5'],
  large_transactions: ['unusually large payment', 'unusually large payments'],
  logins: ['login', 'logins'],
  failed_logins: ['failed login', 'failed logins'],
  signups: ['signup', 'signups'],
  changes: ['change of credentials', 'changes of credentials'],
  methods_added: ['payment method added', 'payment methods added'],
  frauds: ['confirmed fraud', 'confirmed frauds'],
  legitimates: ['item confirmed as legitimate', 'items confirmed as legitimate'],
};
const LABELLED = /^(?:frauds|legitimates)$/;
/** "payments by this user", "confirmed frauds involving this device". */
export const countText = (kind: string | undefined, counted = '', count?: number): string => {
  const [one, many] = COUNTS[counted] ?? [counted, counted];
  const noun = count === 1 ? one : many;
  return LABELLED.test(counted) ? `${noun} involving ${thisKind(kind)}` : `${noun} ${paidBy(kind)}`;
};
/** "were under $5". */
export const shareText = (counted: string | undefined): string =>
  counted === 'small_transactions'
    ? 'were under $5'
    : counted === 'large_transactions'
      ? 'were unusually large for their user'
      : `were ${counted}`;

export const round = (value: number): string =>
  Number.isInteger(value)
    ? String(value)
    : Math.abs(value) >= 100
      ? value.toFixed(0)
      : String(Number(value.toPrecision(2)));
export const dollars = (value: number): string => `$${value.toFixed(2)}`;
export const percent = (value: number): string => `${round(100 * value)} %`;

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
  [1000, 'seconds'],
];
export const duration = (ms: number): string => {
  const [unit, name] = UNITS.find(([size]) => ms >= 2 * size) ?? [1000, 'seconds'];
  return `${Math.floor(ms / unit)} ${name}`;
};
/** Ages are capped at LONG_KNOWN_MS, so a larger age is unknown. */
export const age = (ms: number): string => (ms >= LONG_KNOWN_MS ? `at least ${duration(LONG_KNOWN_MS)}` : duration(ms));
/** Counts of actions are capped at OFTEN_SEEN, so a larger count is unknown. */
export const often = (count: number): string => (count >= OFTEN_SEEN ? `${OFTEN_SEEN} or more` : round(count));

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
