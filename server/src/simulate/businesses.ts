/** Kinds of business. `mixed` combines properties of all others. */
export const WORLDS = ['shop', 'marketplace', 'bank', 'cards', 'digital', 'rapid', 'mixed'] as const;
export type WorldKind = (typeof WORLDS)[number];

/** Optional fields of a request that a caller may send. */
export const FIELDS = [
  'ip',
  'device',
  'method',
  'fingerprint',
  'counterparty',
  'email',
  'billing',
  'shipping',
] as const;
export type Field = (typeof FIELDS)[number];

export interface BusinessProfile {
  /** Probability that a caller sends each field, in the order of FIELDS. */
  readonly sends: readonly number[];
  /** Probability that a caller sends events. */
  readonly events: number;
  /** Range of the median payment in dollars. */
  readonly dollars: readonly [number, number];
  /** Range of payments per day of the median user. */
  readonly rate: readonly [number, number];
  /** Counterparties per user, and their minimum number. */
  readonly counterparties: readonly [number, number];
  /** Share of users who pay very often, and share of users that are programs. */
  readonly rapid: readonly [number, number];
  readonly subscriptions: number;
}

export const BUSINESS_PROFILES: Readonly<Record<Exclude<WorldKind, 'mixed'>, BusinessProfile>> = {
  shop: {
    sends: [0.9, 0.75, 0.8, 0.85, 0.35, 0.85, 0.75, 0.6],
    events: 0.75,
    dollars: [12, 160],
    rate: [0.02, 0.25],
    counterparties: [0, 1],
    rapid: [0.001, 0],
    subscriptions: 0.1,
  },
  marketplace: {
    sends: [0.9, 0.8, 0.8, 0.85, 0.95, 0.85, 0.6, 0.6],
    events: 0.85,
    dollars: [8, 90],
    rate: [0.04, 0.5],
    counterparties: [0.15, 60],
    rapid: [0.004, 0.001],
    subscriptions: 0.05,
  },
  bank: {
    sends: [0.85, 0.75, 0.8, 0.7, 0.97, 0.4, 0.1, 0.02],
    events: 0.85,
    dollars: [25, 250],
    rate: [0.1, 1.2],
    counterparties: [0.8, 150],
    rapid: [0.003, 0.001],
    subscriptions: 0.6,
  },
  cards: {
    sends: [0.15, 0.1, 0.5, 0.4, 0.97, 0.1, 0.15, 0.02],
    events: 0.1,
    dollars: [10, 80],
    rate: [0.4, 3],
    counterparties: [0.6, 100],
    rapid: [0.004, 0],
    subscriptions: 0.4,
  },
  digital: {
    sends: [0.9, 0.75, 0.8, 0.8, 0.4, 0.85, 0.3, 0.05],
    events: 0.8,
    dollars: [2, 25],
    rate: [0.08, 1.2],
    counterparties: [0.01, 1],
    rapid: [0.01, 0.001],
    subscriptions: 0.5,
  },
  rapid: {
    sends: [0.8, 0.6, 0.7, 0.7, 0.7, 0.5, 0.2, 0.1],
    events: 0.6,
    dollars: [3, 60],
    rate: [0.3, 3],
    counterparties: [0.05, 3],
    rapid: [0.08, 0.01],
    subscriptions: 0.4,
  },
};
