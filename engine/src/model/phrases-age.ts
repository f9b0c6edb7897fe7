/** What features say about how long something has been known. */
import { capitalize, countOf, duration, inTheLast, spanOf } from '../words.ts';
import { ALL_KINDS, kindIn, kindName, kindTheme, type NamedKind, paidBy, thisKind } from './feature-vocabulary.ts';
import { LONG_KNOWN_MS } from './features-derived.ts';
import { type Description, factReader, ifKnown, type Phrase, type PhrasePattern } from './phrase.ts';

const DAY_MS = 24 * 3_600_000;

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Addresses and networks are often new, so that a new one can be either. */
const OFTEN_NEW: readonly NamedKind[] = ['ip', 'network', 'asn', 'domain'];
export const NEW_USER: Description = {
  topic: 'user.age',
  theme: 'account',
  text: 'First time this user is seen',
  brief: 'new user',
  side: 1,
};

export const neverSeen = (kind: NamedKind): Description => ({
  text: `First time ${thisKind(kind)} is seen`,
  brief: `${kindName(kind)} never seen before`,
  side: OFTEN_NEW.includes(kind) ? 0 : 1,
});

const agePhrase = (kind: NamedKind, meaning: string): Phrase => {
  const [age, payments] = [factReader(`${kind}.age_ms`), factReader(`${kind}.payments`)];
  return {
    theme: kindTheme(kind),
    topic: `${kind}.age`,
    meaning,
    of: [kind],
    describe: (_, { facts }) => {
      const ms = age(facts);
      if (Number.isNaN(ms)) return kind === 'user' ? NEW_USER : neverSeen(kind);
      const paid = lowerFirst(countOf(payments(facts), 'payment'));
      return {
        text: `${capitalize(thisKind(kind))} was first seen ${duration(ms)} ago, with ${paid} so far`,
        brief: ms < DAY_MS ? `${kindName(kind)} first seen ${duration(ms)} ago` : undefined,
        side: ms >= LONG_KNOWN_MS ? -1 : 0,
      };
    },
  };
};

export const AGE_PHRASES: readonly PhrasePattern[] = [
  [
    /^(device|likeness)\.this_token_age_ms$/,
    (part) => {
      const kind = kindIn(part);
      return {
        theme: 'device',
        topic: 'device.token',
        meaning: `Milliseconds since the device token was first seen with ${thisKind(kind)}`,
        of: [kind],
        describe: ifKnown((ms) => ({ text: `This device token was first used ${duration(ms)} ago` })),
      };
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.(actions|payments)$`),
    (kind, counted) => agePhrase(kindIn(kind), `Number of ${counted} ${paidBy(kindIn(kind))} so far`),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.payments_before_24h$`),
    (kind) =>
      agePhrase(
        kindIn(kind),
        `Number of payments ${paidBy(kindIn(kind))} so far, without those of the last 24 hours, up to 30`,
      ),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.age_ms$`),
    (kind) => agePhrase(kindIn(kind), `Milliseconds since ${thisKind(kindIn(kind))} was first seen`),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.known_ms$`),
    (kind) =>
      agePhrase(
        kindIn(kind),
        `Milliseconds since ${thisKind(kindIn(kind))} was first seen, less an hour, up to 30 days; 0 without a payment`,
      ),
  ],
  [
    /^user\.seen_ms$/,
    () => agePhrase('user', 'Milliseconds since this user was first seen, less an hour, up to 30 days'),
  ],
  [
    /^user\.change_age_ms$/,
    () => ({
      theme: 'account',
      topic: 'user.changes',
      meaning: 'Milliseconds since the last credential change by this user, unknown if there was none in 30 days',
      of: ['user'],
      describe: ifKnown((ms) => ({ text: `Last credential change by this user ${inTheLast(spanOf(ms))}`, side: 1 })),
    }),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.idle_ms$`),
    (part) => {
      const kind = kindIn(part);
      return {
        theme: kindTheme(kind),
        topic: `${kind}.idle`,
        meaning: `Milliseconds since ${thisKind(kind)} was last seen`,
        of: [kind],
        describe: ifKnown((ms) => ({
          text: `${capitalize(thisKind(kind))} was last seen ${duration(ms)} ago`,
          brief: kind === 'user' && ms >= LONG_KNOWN_MS ? `first activity in ${duration(ms)}` : undefined,
        })),
      };
    },
  ],
];
