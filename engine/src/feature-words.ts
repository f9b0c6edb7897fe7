import { LONG_KNOWN_MS, OFTEN_SEEN } from './features.ts';

/** The features of a model in words a reviewer understands, with the number behind each. */
const WINDOWS: Readonly<Record<string, string>> = {
  '1m': 'in a minute',
  '10m': 'in 10 minutes',
  '1h': 'in an hour',
  '24h': 'in 24 hours',
  '7d': 'in 7 days',
  '30d': 'in 30 days',
};
const KINDS: Readonly<Record<string, string>> = {
  user: 'the user',
  ip: 'the address',
  network: 'the network',
  device: 'the device',
  fingerprint: 'the payment instrument',
  email: 'the e-mail address',
  counterparty: 'the counterparty',
  asn: "the address's provider",
  domain: 'the e-mail domain',
  likeness: 'devices that look like this one',
  country: 'the country',
  place: 'the place',
};
const PLURALS: Readonly<Record<string, string>> = {
  user: 'users',
  ip: 'addresses',
  network: 'networks',
  device: 'devices',
  fingerprint: 'payment instruments',
  email: 'e-mail addresses',
  counterparty: 'counterparties',
  asn: 'providers',
  country: 'countries',
  place: 'places',
};
const COUNTS: Readonly<Record<string, string>> = {
  transactions: 'payments',
  small_transactions: 'payments under $5',
  large_transactions: 'payments large for their user',
  logins: 'logins',
  failed_logins: 'failed logins',
  signups: 'signups',
  changes: 'changes of credentials',
  methods_added: 'payment methods added',
  frauds: 'confirmed frauds',
  legitimates: 'items confirmed to be legitimate',
};
const FLAGS: Readonly<Record<string, string>> = {
  is_event: 'It is an event, not a payment',
  is_login: 'It is a login',
  is_failed: 'It failed',
  is_signup: 'It is a signup',
  is_payout: 'It is a request for a payout',
  is_change: 'It is a change of credentials',
  is_method_added: 'It adds a payment method',
  is_night: 'It is night, UTC',
  is_weekend: 'It is a weekend',
  ip_hosting: 'The address belongs to servers for rent',
  ip_vpn: 'The address belongs to a virtual private network',
  ip_proxy: 'The address is a proxy',
  ip_tor: 'The address is an exit of Tor',
  ip_reserved: 'The address is not on the public internet',
  email_disposable: 'The e-mail domain is for throw-away addresses',
  email_free: 'The e-mail domain gives addresses to anybody',
  ip_country_is_not_billing: 'The address is in another country than the billing address',
  shipping_country_is_not_billing: 'The shipping address is in another country than the billing address',
};

const ALL_KINDS = Object.keys(KINDS).join('|');
const round = (value: number): string =>
  Number.isInteger(value)
    ? String(value)
    : Math.abs(value) >= 100
      ? value.toFixed(0)
      : String(Number(value.toPrecision(2)));
const dollars = (value: number): string => `$${value.toFixed(2)}`;
const percent = (value: number): string => `${round(100 * value)} %`;
const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
  [1000, 'seconds'],
];
const duration = (ms: number): string => {
  const [unit, name] = UNITS.find(([size]) => ms >= 2 * size) ?? [1000, 'seconds'];
  return `${Math.floor(ms / unit)} ${name}`;
};
/** Features stop growing there, so more than that cannot be told. */
const age = (ms: number): string => (ms >= LONG_KNOWN_MS ? `at least ${duration(LONG_KNOWN_MS)}` : duration(ms));
const often = (count: number): string => (count >= OFTEN_SEEN ? `${OFTEN_SEEN} or more` : round(count));

type Say = (value: string) => string;
interface Phrase {
  readonly pattern: RegExp;
  /** From the parts of the name, to how its value is written and said. */
  readonly phrase: (parts: readonly string[]) => {
    readonly write: (value: number) => string;
    readonly say: Say;
    /** What it means that the value is not known, where that can be told. */
    readonly unknown?: string;
  };
}
const kindOf = (kind: string | undefined): string => KINDS[kind ?? ''] ?? String(kind);
const windowOf = (window: string | undefined): string => (window === undefined ? 'ever' : (WINDOWS[window] ?? window));

const PHRASES: readonly Phrase[] = [
  { pattern: /^dollars$/, phrase: () => ({ write: dollars, say: (v) => `The amount is ${v}` }) },
  { pattern: /^hour$/, phrase: () => ({ write: (h) => `${Math.floor(h)}:00`, say: (v) => `The hour is ${v} UTC` }) },
  {
    pattern: /^ip_radius_km$/,
    phrase: () => ({ write: round, say: (v) => `Where the address is, is known to within ${v} km` }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.distinct_(\\w+)\\.(\\w+)$`),
    phrase: ([kind, other, window]) => ({
      write: round,
      say: (v) => `${v} ${PLURALS[other ?? ''] ?? other} of ${kindOf(kind)} ${windowOf(window)}`,
    }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.amount\\.(\\w+)$`),
    phrase: ([kind, window]) => ({
      write: dollars,
      say: (v) => `Payments of ${kindOf(kind)} ${windowOf(window)} come to ${v}`,
    }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.amount_with_this\\.(\\w+)$`),
    phrase: ([kind, window]) => ({
      write: dollars,
      say: (v) => `With this one, payments of ${kindOf(kind)} ${windowOf(window)} come to ${v}`,
    }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.amount_(mean|max)(?:\\.(\\w+))?$`),
    phrase: ([kind, which, window]) => ({
      write: dollars,
      say: (v) => `The ${which === 'max' ? 'largest' : 'mean'} payment of ${kindOf(kind)} ${windowOf(window)} is ${v}`,
    }),
  },
  {
    pattern: new RegExp(`^amount_over_(${ALL_KINDS})\\.amount_(mean|max)(?:\\.(\\w+))?$`),
    phrase: ([kind, which, window]) => ({
      write: round,
      say: (v) =>
        `The amount is ${v} times the ${which === 'max' ? 'largest' : 'mean'} payment of ${kindOf(kind)} ${windowOf(window)}`,
    }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.amount_deviations$`),
    phrase: ([kind]) => ({
      write: round,
      say: (v) => `The amount is ${v} deviations from the mean of ${kindOf(kind)}`,
    }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.amount_deviation$`),
    phrase: ([kind]) => ({ write: dollars, say: (v) => `Payments of ${kindOf(kind)} deviate by ${v} from their mean` }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.fraud_share\\.(\\w+)$`),
    phrase: ([kind, window]) => ({
      write: percent,
      say: (v) => `${v} of what was confirmed of ${kindOf(kind)} ${windowOf(window)} was fraud`,
    }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.(\\w+)_share\\.(\\w+)$`),
    phrase: ([kind, counted, window]) => ({
      write: percent,
      say: (v) =>
        `${v} of the payments of ${kindOf(kind)} ${windowOf(window)} were ${COUNTS[counted ?? ''] ?? counted}`,
    }),
  },
  {
    pattern: /^(ip|network)\.crowd\.(\w+)$/,
    phrase: ([kind, window]) => ({
      write: round,
      say: (v) => `${v} users of ${kindOf(kind)} ${windowOf(window)} beyond those who usually share one`,
    }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.burst\\.(\\w+)$`),
    phrase: ([kind, window]) => ({
      write: percent,
      say: (v) =>
        `${v} of the payments of ${kindOf(kind)} ${window === '1h' ? 'in 24 hours' : 'in 30 days'} were ${windowOf(window)}`,
    }),
  },
  {
    pattern: /^(device|likeness)\.this_token_age_ms$/,
    phrase: ([kind]) => ({
      write: duration,
      say: (v) => `The device token was first seen with ${kindOf(kind)} ${v} ago`,
      unknown: `The device token was never seen with ${kindOf(kind)}, or none was given`,
    }),
  },
  {
    pattern: new RegExp(`^user\\.this_(${ALL_KINDS})_age_ms$`),
    phrase: ([kind]) => ({
      write: age,
      say: (v) => `The user was first seen with ${kindOf(kind)} ${v} ago`,
      unknown: `The user was never seen with ${kindOf(kind)}, or none was given`,
    }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.(age|idle|fraud_age)_ms$`),
    phrase: ([kind, what]) => ({
      write: what === 'idle' ? duration : age,
      say: (v) =>
        what === 'fraud_age'
          ? `The last confirmed fraud of ${kindOf(kind)} became known ${v} ago`
          : `${kindOf(kind).replace(/^./, (first) => first.toUpperCase())} was ${what === 'age' ? 'first' : 'last'} seen ${v} ago`,
    }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.(actions|payments|known_frauds)$`),
    phrase: ([kind, what]) => ({
      write: what === 'known_frauds' ? round : often,
      say: (v) => `${v} ${what === 'known_frauds' ? 'confirmed frauds' : what} of ${kindOf(kind)} so far`,
    }),
  },
  {
    pattern: new RegExp(`^(${ALL_KINDS})\\.(\\w+)\\.(\\w+)$`),
    phrase: ([kind, counted, window]) => ({
      write: round,
      say: (v) => `${v} ${COUNTS[counted ?? ''] ?? counted} of ${kindOf(kind)} ${windowOf(window)}`,
    }),
  },
  {
    pattern: /^user\.travel_km$/,
    phrase: () => ({ write: round, say: (v) => `The user is at least ${v} km from where they were last seen` }),
  },
  {
    pattern: /^user\.travel_ms$/,
    phrase: () => ({ write: duration, say: (v) => `The user was last seen at a place ${v} ago` }),
  },
  {
    pattern: /^user\.travel_speed$/,
    phrase: () => ({
      write: round,
      say: (v) => `The user came from where they were last seen at ${v} km/h or more`,
    }),
  },
];

/** A feature with its value; without one where it is not known, or when only the meaning is wanted. */
export const featureInWords = (name: string, value: number | undefined): string => {
  const flag = FLAGS[name];
  if (flag !== undefined)
    return value === undefined || value === 1 ? flag : `${flag}: ${Number.isNaN(value) ? 'not known' : 'no'}`;
  for (const { pattern, phrase } of PHRASES) {
    const match = pattern.exec(name);
    if (match === null) continue;
    const { write, say, unknown } = phrase(match.slice(1));
    if (value === undefined) return say('…');
    return Number.isNaN(value) ? (unknown ?? `Not known: ${say('…')}`) : say(write(value));
  }
  return value === undefined ? name : `${name} is ${Number.isNaN(value) ? 'not known' : round(value)}`;
};
