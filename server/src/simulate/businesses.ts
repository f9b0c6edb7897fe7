import type { Ranges } from './ranges.ts';

/**
 * Kinds of business in two families. The shipped model learns from training kinds only, and judging kinds only measure
 * it. Each family has its own ranges; judging worlds also have attacks, situations and days that no training world has.
 */
export const TRAINING_WORLDS = [
  'shop',
  'marketplace',
  'bank',
  'cards',
  'digital',
  'rapid',
  'travel',
  'delivery',
  'game',
  'telecom',
  'wholesale',
  'jeweller',
  'mixed',
] as const;
export const JUDGING_WORLDS = [
  'tickets',
  'rides',
  'neobank',
  'remittance',
  'betting',
  'charity',
  'stays',
  'school',
  'pharmacy',
  'agency',
  'tills',
  'crypto',
] as const;
export const WORLDS = [...TRAINING_WORLDS, ...JUDGING_WORLDS] as const;
export type TrainingKind = (typeof TRAINING_WORLDS)[number];
export type JudgingKind = (typeof JUDGING_WORLDS)[number];
export type WorldKind = TrainingKind | JudgingKind;
export type Family = 'training' | 'judging';

export const familyOf = (kind: WorldKind): Family =>
  (JUDGING_WORLDS as readonly string[]).includes(kind) ? 'judging' : 'training';

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

/** Days on which a business looks unlike itself. */
export const SPECIAL_DAYS = [
  'app_update',
  'migration',
  'carrier_move',
  'price_change',
  'holiday_travel',
  'gift_season',
  'on_sale',
  'surge',
  'forced_reset',
  'token_change',
] as const;
export type SpecialDay = (typeof SPECIAL_DAYS)[number];
/** Special days that occur in judging worlds only. */
export const JUDGING_DAYS: readonly SpecialDay[] = ['on_sale', 'surge', 'forced_reset', 'token_change'];

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
  /** Weights of card, wallet, bank and crypto. */
  readonly methods?: readonly [number, number, number, number];
  /** Ranges in which this kind differs from the other kinds of its family. */
  readonly ranges?: Partial<Ranges>;
  /** Special days that are frequent in this kind, with their probability per day. */
  readonly days?: Partial<Record<SpecialDay, number>>;
}
