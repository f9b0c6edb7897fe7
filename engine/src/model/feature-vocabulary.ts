/** Words for the parts of a feature's name. */
import type { Theme } from '@portcullis/contract';
import type { EntityKind, RelatedKind } from '../subject/entity.ts';
import { inTheLast } from '../words.ts';

const WINDOWS: Readonly<Record<string, string>> = {
  '1m': 'a minute',
  '10m': '10 minutes',
  '1h': 'an hour',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
};
/** "an hour", "24 hours". */
export const spanText = (window: string): string => WINDOWS[window] ?? window;
/** "in the last hour", "in the last 24 hours". */
export const windowText = (window: string): string => inTheLast(spanText(window));
/** Whether a number within a window can be called a burst. */
export const isShort = (window: string): boolean => window !== '7d' && window !== '30d';

interface KindWords {
  readonly name: string;
  readonly plural: string;
  /** As in "payments by this user". */
  readonly pays: string;
  /** As in "devices used by this user". */
  readonly uses: string;
  readonly theme: Theme;
}
const words = (name: string, plural: string, theme: Theme, pays: string, uses = pays): KindWords => ({
  name,
  plural,
  pays,
  uses,
  theme,
});
export type NamedKind = Exclude<RelatedKind, 'token'>;
const KINDS: Readonly<Record<NamedKind, KindWords>> = {
  user: words('user', 'users', 'account', 'by'),
  ip: words('IP address', 'IP addresses', 'place', 'from'),
  network: words('network', 'networks', 'place', 'from'),
  device: words('device', 'devices', 'device', 'from'),
  fingerprint: words('payment instrument', 'payment instruments', 'money', 'with'),
  email: words('e-mail address', 'e-mail addresses', 'account', 'with'),
  counterparty: words('counterparty', 'counterparties', 'money', 'to', 'at'),
  asn: words('internet provider', 'internet providers', 'place', 'from'),
  domain: words('e-mail domain', 'e-mail domains', 'account', 'with'),
  likeness: words('device profile', 'device profiles', 'device', 'from'),
  shipping: words('shipping address', 'shipping addresses', 'place', 'to'),
  account: words('business', 'businesses', 'account', 'of'),
  country: words('country', 'countries', 'place', 'from'),
  place: words('place', 'places', 'place', 'from'),
  recurring: words('payee and amount', 'payees and amounts', 'money', 'with'),
};
export const ALL_KINDS = Object.keys(KINDS).join('|');
/** A matched part of a name that one of ALL_KINDS matched. */
export const kindIn = (part: string): NamedKind & EntityKind => part as NamedKind & EntityKind;

export const kindName = (kind: NamedKind): string => KINDS[kind].name;
export const kindTheme = (kind: NamedKind): Theme => KINDS[kind].theme;
export const thisKind = (kind: NamedKind): string => `this ${kindName(kind)}`;
/** "by this user", "to this counterparty". */
export const paidBy = (kind: NamedKind): string => `${KINDS[kind].pays} ${thisKind(kind)}`;
/** The same in a summary, which is about a user anyway: "", " to this counterparty". */
export const ofOther = (kind: NamedKind): string => (kind === 'user' ? '' : ` ${paidBy(kind)}`);

/** "devices used by this user", "users of this device", after a number of them. */
export const distinctNoun = (kind: NamedKind, other: NamedKind): readonly [one: string, many: string] => {
  const { name, plural } = KINDS[other];
  const relation =
    other === 'counterparty'
      ? `paid ${paidBy(kind)}`
      : other === 'user' || other === 'country' || other === 'place'
        ? `of ${thisKind(kind)}`
        : `used ${KINDS[kind].uses} ${thisKind(kind)}`;
  return [`${name} ${relation}`, `${plural} ${relation}`];
};
export const kindNouns = (kind: NamedKind): readonly [one: string, many: string] => [
  KINDS[kind].name,
  KINDS[kind].plural,
];
