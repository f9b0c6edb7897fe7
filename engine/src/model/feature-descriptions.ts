/** The features of a model as sentences for a fraud analyst. */
import { FLAG_TEXTS, type FlagText } from './feature-flags.ts';
import {
  ALL_KINDS,
  age,
  capitalize,
  countText,
  distinctText,
  dollars,
  duration,
  kindName,
  often,
  paidBy,
  percent,
  round,
  seenWith,
  shareText,
  thisKind,
  windowText,
} from './feature-vocabulary.ts';
import { ORDINARY_CROWD } from './features-derived.ts';

interface Phrase {
  /** Names the value, for a page of reference. */
  readonly meaning: string;
  readonly sentence: (value: number) => string;
  /** Replaces "Unknown: …" where an unknown value has a clearer text. */
  readonly unknown?: string;
}
type MakePhrase = (...parts: (string | undefined)[]) => Phrase;

const extreme = (which: string | undefined): string => (which === 'max' ? 'largest' : 'mean');
const within = (window: string | undefined): string => (window === undefined ? '' : ` ${windowText(window)}`);

const amountPhrases: readonly (readonly [pattern: RegExp, phrase: MakePhrase])[] = [
  [
    new RegExp(`^(${ALL_KINDS})\\.amount\\.(\\w+)$`),
    (kind, window) => {
      const rest = `paid ${paidBy(kind)} ${windowText(window)}`;
      return { meaning: `Amount ${rest}, in US dollars`, sentence: (value) => `${dollars(value)} ${rest}` };
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.amount_with_this\\.(\\w+)$`),
    (kind, window) => {
      const rest = `paid ${paidBy(kind)} ${windowText(window)}, including this payment`;
      return { meaning: `Amount ${rest}, in US dollars`, sentence: (value) => `${dollars(value)} ${rest}` };
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.amount_(mean|max)(?:\\.(\\w+))?$`),
    (kind, which, window) => {
      const noun = `${extreme(which)} payment ${paidBy(kind)}${within(window)}`;
      return {
        meaning: `The ${noun}, in US dollars`,
        sentence: (value) => `The ${noun} is ${dollars(value)}`,
      };
    },
  ],
  [
    new RegExp(`^amount_over_(${ALL_KINDS})\\.amount_(mean|max)(?:\\.(\\w+))?$`),
    (kind, which, window) => {
      const noun = `the ${extreme(which)} payment ${paidBy(kind)}${within(window)}`;
      return {
        meaning: `The amount divided by ${noun}`,
        sentence: (value) => `The amount is ${round(value)} times ${noun}`,
      };
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.amount_deviations$`),
    (kind) => ({
      meaning: `Standard deviations between the amount and the mean payment ${paidBy(kind)}`,
      sentence: (value) =>
        `The amount is ${round(Math.abs(value))} standard deviations ${value < 0 ? 'below' : 'above'} the mean payment ${paidBy(kind)}`,
    }),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.amount_deviation$`),
    (kind) => ({
      meaning: `The standard deviation of payments ${paidBy(kind)}, in US dollars`,
      sentence: (value) => `The standard deviation of payments ${paidBy(kind)} is ${dollars(value)}`,
    }),
  ],
];

const sharePhrases: readonly (readonly [pattern: RegExp, phrase: MakePhrase])[] = [
  [
    new RegExp(`^(${ALL_KINDS})\\.fraud_share\\.(\\w+)$`),
    (kind, window) => {
      const rest = `of the items labelled ${windowText(window)} for ${thisKind(kind)} were fraud`;
      return {
        meaning: `The share ${rest.replace('were', 'that were')}`,
        sentence: (value) => `${percent(value)} ${rest}`,
      };
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.(\\w+)_share\\.(\\w+)$`),
    (kind, counted, window) => {
      const noun = `of the payments ${paidBy(kind)} ${windowText(window)}`;
      return {
        meaning: `The share ${noun} that ${shareText(counted)}`,
        sentence: (value) => `${percent(value)} ${noun} ${shareText(counted)}`,
      };
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.burst\\.(\\w+)$`),
    (kind, window) => {
      const noun = `of the payments ${paidBy(kind)} ${windowText(window === '1h' ? '24h' : '30d')}`;
      return {
        meaning: `The share ${noun} that were made ${windowText(window)}`,
        sentence: (value) => `${percent(value)} ${noun} were made ${windowText(window)}`,
      };
    },
  ],
];

const countPhrases: readonly (readonly [pattern: RegExp, phrase: MakePhrase])[] = [
  [
    new RegExp(`^(${ALL_KINDS})\\.distinct_(\\w+)\\.(\\w+)$`),
    (kind, other, window) => ({
      meaning: `Number of ${distinctText(kind, other, undefined)} ${windowText(window)}`,
      sentence: (value) => `${round(value)} ${distinctText(kind, other, value)} ${windowText(window)}`,
    }),
  ],
  [
    /^(ip|network)\.crowd\.(\w+)$/,
    (kind, window) => {
      const usual = ORDINARY_CROWD[kind as 'ip' | 'network'];
      const noun = `${distinctText(kind, 'user', undefined)} ${windowText(window)}`;
      return {
        meaning: `Number of ${noun} above the usual ${usual}`,
        sentence: (value) =>
          value > 0
            ? `${round(value + usual)} ${noun}; up to ${usual} are usual`
            : `At most ${usual} ${noun}, which is usual`,
      };
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.(actions|payments)$`),
    (kind, counted) => ({
      meaning: `Number of ${counted} ${paidBy(kind)} so far`,
      sentence: (value) => `${often(value)} ${value === 1 ? counted?.slice(0, -1) : counted} ${paidBy(kind)} so far`,
    }),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.known_frauds$`),
    (kind) => ({
      meaning: `Number of ${countText(kind, 'frauds')} so far`,
      sentence: (value) => `${round(value)} ${countText(kind, 'frauds', value)} so far`,
    }),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.(\\w+)\\.(\\w+)$`),
    (kind, counted, window) => ({
      meaning: `Number of ${countText(kind, counted)} ${windowText(window)}`,
      sentence: (value) => `${round(value)} ${countText(kind, counted, value)} ${windowText(window)}`,
    }),
  ],
];

const agePhrases: readonly (readonly [pattern: RegExp, phrase: MakePhrase])[] = [
  [
    /^(device|likeness)\.this_token_age_ms$/,
    (kind) => ({
      meaning: `Milliseconds since the device token was first seen with ${thisKind(kind)}`,
      sentence: (value) => `The device token was first seen with ${thisKind(kind)} ${duration(value)} ago`,
      unknown: `The device token was never seen with ${thisKind(kind)}, or none was sent`,
    }),
  ],
  [
    new RegExp(`^user\\.this_(${ALL_KINDS})_age_ms$`),
    (kind) => ({
      meaning: `Milliseconds since this user was first seen ${seenWith(kind)}`,
      sentence: (value) => `This user was first seen ${seenWith(kind)} ${age(value)} ago`,
      unknown: `This user was never seen ${seenWith(kind)}, or the ${kindName(kind)} is unknown`,
    }),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.(age|idle)_ms$`),
    (kind, which) => {
      const [moment, write] = which === 'age' ? (['first', age] as const) : (['last', duration] as const);
      return {
        meaning: `Milliseconds since ${thisKind(kind)} was ${moment} seen`,
        sentence: (value) => `${capitalize(thisKind(kind))} was ${moment} seen ${write(value)} ago`,
      };
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.fraud_age_ms$`),
    (kind) => ({
      meaning: `Milliseconds since the last fraud involving ${thisKind(kind)} was confirmed`,
      sentence: (value) => `The last fraud involving ${thisKind(kind)} was confirmed ${age(value)} ago`,
    }),
  ],
];

const otherPhrases: readonly (readonly [pattern: RegExp, phrase: MakePhrase])[] = [
  [
    /^dollars$/,
    () => ({ meaning: 'The amount in US dollars', sentence: (value) => `The amount is ${dollars(value)}` }),
  ],
  [
    /^hour$/,
    () => ({
      meaning: 'The hour of the day (UTC), with its fraction',
      sentence: (value) => `The hour is ${Math.floor(value)}:00 UTC`,
    }),
  ],
  [
    /^ip_radius_km$/,
    () => ({
      meaning: 'Accuracy of the location of the IP address, in km',
      sentence: (value) => `The location of the IP address is accurate to ${round(value)} km`,
    }),
  ],
  [
    /^user\.travel_km$/,
    () => ({
      meaning: 'Least distance from the last known location of this user, in km',
      sentence: (value) => `At least ${round(value)} km from the last known location of this user`,
    }),
  ],
  [
    /^user\.travel_ms$/,
    () => ({
      meaning: 'Milliseconds since the last known location of this user',
      sentence: (value) => `The last known location of this user is from ${duration(value)} ago`,
    }),
  ],
  [
    /^user\.travel_speed$/,
    () => ({
      meaning: 'Least speed from the last known location of this user, in km/h',
      sentence: (value) => `At least ${round(value)} km/h from the last known location of this user`,
    }),
  ],
];

/** The first pattern that matches counts: more specific patterns stand first. */
const PHRASES = [...otherPhrases, ...agePhrases, ...amountPhrases, ...sharePhrases, ...countPhrases];

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const describeFlag = ({ yes, no }: FlagText, value: number | undefined): string => {
  if (value === undefined) return yes;
  if (Number.isNaN(value)) return `Unknown whether ${lowerFirst(yes)}`;
  return value === 1 ? yes : no;
};

const phraseOf = (name: string): Phrase | undefined => {
  for (const [pattern, phrase] of PHRASES) {
    const match = pattern.exec(name);
    if (match !== null) return phrase(...match.slice(1));
  }
  return undefined;
};

/** A sentence for a feature with its value, which is NaN if unknown. Without a value, the meaning of the feature. */
export const describeFeature = (name: string, value: number | undefined): string => {
  const flag = FLAG_TEXTS[name];
  if (flag !== undefined) return describeFlag(flag, value);
  const phrase = phraseOf(name);
  if (phrase === undefined)
    return value === undefined ? name : `${name} is ${Number.isNaN(value) ? 'unknown' : round(value)}`;
  if (value === undefined) return phrase.meaning;
  return Number.isNaN(value) ? (phrase.unknown ?? `Unknown: ${lowerFirst(phrase.meaning)}`) : phrase.sentence(value);
};
