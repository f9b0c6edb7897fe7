/** What features say about the user together with an entity of the request: how new it is to them, and what it earned. */
import { nameOfCountry } from '../subject/country-name.ts';
import { kindIndex } from '../subject/entity.ts';
import { duration, plural } from '../words.ts';
import { kindIn, kindName, kindTheme, type NamedKind, paidBy, thisKind } from './feature-vocabulary.ts';
import { LONG_KNOWN_MS } from './features-derived.ts';
import { type Description, type Evidence, factReader, type Phrase, type PhrasePattern } from './phrase.ts';
import { NEW_USER, neverSeen } from './phrases-age.ts';

const DAY_MS = 24 * 3_600_000;

const actionOf = ({ subject }: Evidence): string => (subject.type === 'transaction' ? 'payment' : 'activity');

/** The facts of a pair. Decisions of earlier versions have the age alone. */
const pairFacts = (kind: NamedKind) => {
  const read = (what: string) => factReader(`user.this_${kind}_${what}`);
  return { since: read('age_ms'), payments: read('payments'), vouched: read('vouched'), seen: read('seen') };
};
type PairFacts = ReturnType<typeof pairFacts>;

/** What a pair has earned: ", with 3 payments, 1 confirmed as legitimate". */
const earned = ({ payments, vouched }: PairFacts, { facts }: Evidence): string => {
  const count = payments(facts);
  if (Number.isNaN(count)) return '';
  const confirmed = vouched(facts);
  return `${count === 0 ? ', without a payment' : `, with ${plural(count, 'payment')}`}${confirmed > 0 ? `, ${confirmed} confirmed as legitimate` : ''}`;
};

/** Tells a pair, given how to name it. */
const describePair = (
  pair: PairFacts,
  evidence: Evidence,
  [first, failed, known, brief]: readonly [first: string, failed: string, known: string, brief: string],
): Description => {
  const since = pair.since(evidence.facts);
  if (Number.isNaN(since))
    return { text: pair.seen(evidence.facts) === 1 ? failed : first, brief: `new ${brief}`, side: 1 };
  return {
    text: `${known} ${duration(since)} ago${earned(pair, evidence)}`,
    brief: since < DAY_MS ? `${brief} first used ${duration(since)} ago` : undefined,
    side: since >= LONG_KNOWN_MS ? -1 : 0,
  };
};
const onlyFailed = (where: string): string => `Only failed attempts by this user ${where} so far`;

const [address, network, provider] = [pairFacts('ip'), pairFacts('network'), pairFacts('asn')];
/** The widest part of the network that is new. */
const describeNetwork = (evidence: Evidence): Description => {
  const { facts, subject } = evidence;
  const first = `First ${actionOf(evidence)} by this user`;
  if (subject.hashes[kindIndex.asn] !== 0 && Number.isNaN(provider.since(facts)) && provider.seen(facts) !== 1)
    return { text: `${first} through this internet provider`, brief: 'new internet provider', side: 1 };
  const since = network.since(facts);
  if (!Number.isNaN(since) && Number.isNaN(address.since(facts)))
    return { text: `New IP address in a network that this user first used ${duration(since)} ago` };
  const where = 'from this network';
  return describePair(network, evidence, [
    `${first} ${where}`,
    onlyFailed(where),
    'This user first used this network',
    'network',
  ]);
};

const [country, place] = [pairFacts('country'), pairFacts('place')];
const ipCountry = factReader('ip_country');
/** The country, or the part of it, that is new. */
const describePlace = (evidence: Evidence): Description | undefined => {
  const { facts, subject } = evidence;
  if (subject.hashes[kindIndex.country] === 0) return undefined;
  const name = nameOfCountry(ipCountry(facts));
  const first = `First ${actionOf(evidence)} by this user in`;
  const since = country.since(facts);
  if (Number.isNaN(since)) {
    const text = country.seen(facts) === 1 ? onlyFailed(`in ${name}`) : `${first} ${name}`;
    return { text, brief: `new country (${name})`, side: 1 };
  }
  if (subject.hashes[kindIndex.place] !== 0 && Number.isNaN(place.since(facts)))
    return { text: `${first} this part of ${name}`, brief: `new part of ${name}` };
  return {
    text: `This user was first seen in ${name} ${duration(since)} ago${earned(country, evidence)}`,
    side: since >= LONG_KNOWN_MS ? -1 : 0,
  };
};

interface PairWords {
  readonly topic: string;
  readonly describe: (evidence: Evidence) => Description | undefined;
}
/** The words of a pair with a text of its own. */
const own = (kind: NamedKind, verb: string): PairWords => {
  const pair = pairFacts(kind);
  return {
    topic: `user.${kind}`,
    describe: (evidence) =>
      describePair(pair, evidence, [
        `First ${actionOf(evidence)} by this user ${paidBy(kind)}`,
        onlyFailed(paidBy(kind)),
        `This user first ${verb} ${thisKind(kind)}`,
        kindName(kind),
      ]),
  };
};
const NETWORK: PairWords = { topic: 'user.network', describe: describeNetwork };
const PLACE: PairWords = { topic: 'user.place', describe: describePlace };
const PAYEE = own('counterparty', 'paid');

const profile = pairFacts('likeness');
const SIMILAR = 'from a device that looks like this one';
const describeProfile = (evidence: Evidence): Description =>
  describePair(profile, evidence, [
    `First ${actionOf(evidence)} by this user ${SIMILAR}`,
    onlyFailed(SIMILAR),
    'This user first used a device that looks like this one',
    'device',
  ]);

const [payee, recurring] = [pairFacts('counterparty'), pairFacts('recurring')];
const recurringDays = factReader('user.this_recurring_days');
/** The same amount to the same counterparty again is a subscription or a rent. */
const describeRecurring = (evidence: Evidence): Description | undefined => {
  const { facts } = evidence;
  if (Number.isNaN(payee.since(facts))) return { topic: PAYEE.topic, ...PAYEE.describe(evidence) } as Description;
  const [count, days] = [recurring.payments(facts), recurringDays(facts)];
  if (Number.isNaN(count)) return undefined;
  if (count === 0) return { text: 'First payment of this amount by this user to this counterparty' };
  return {
    text: `The same amount as in ${plural(count, 'payment')} by this user to this counterparty before, on ${plural(days, 'day')}`,
    side: -1,
  };
};

const PAIRS: Readonly<Record<Exclude<NamedKind, 'user' | 'domain' | 'account'>, PairWords>> = {
  ip: NETWORK,
  network: NETWORK,
  asn: NETWORK,
  country: PLACE,
  place: PLACE,
  device: own('device', 'used'),
  likeness: { topic: 'user.device', describe: describeProfile },
  fingerprint: own('fingerprint', 'used'),
  email: own('email', 'used'),
  counterparty: PAYEE,
  shipping: own('shipping', 'used'),
  recurring: { topic: 'user.recurring', describe: describeRecurring },
};
type PairKind = keyof typeof PAIRS;
const isPairKind = (kind: NamedKind): kind is PairKind => kind in PAIRS;

/** The topic of how new an entity is: to its user, or at all. */
export const noveltyTopic = (kind: NamedKind): string => (isPairKind(kind) ? PAIRS[kind].topic : `${kind}.age`);

const userActions = factReader('user.actions');
/** The text for an entity that was never seen before: it is new to its user in any case. */
export const describeNeverSeen = (kind: NamedKind, evidence: Evidence): Description | undefined => {
  if (userActions(evidence.facts) === 0) return NEW_USER;
  const description = isPairKind(kind) ? PAIRS[kind].describe(evidence) : neverSeen(kind);
  return description === undefined ? undefined : { topic: noveltyTopic(kind), theme: kindTheme(kind), ...description };
};

/** "with this device", "in this country". */
const seenWith = (kind: NamedKind): string =>
  `${kind === 'country' || kind === 'place' ? 'in' : 'with'} ${thisKind(kind)}`;
const MEANINGS: Readonly<Record<string, (kind: NamedKind) => string>> = {
  age_ms: (kind) => `Milliseconds since this user was first seen ${seenWith(kind)}`,
  paid_ms: (kind) => `Milliseconds since the first payment by this user ${paidBy(kind)}`,
  seen: (kind) => `1 if this user was seen ${seenWith(kind)} in the last 30 days, even in a failed attempt; else 0`,
  days: (kind) => `Number of days on which this user was seen ${seenWith(kind)}`,
  payments: (kind) => `Number of payments by this user ${paidBy(kind)} so far`,
  vouched: (kind) => `Number of items of this user ${seenWith(kind)} that were confirmed as legitimate`,
};
const pairPhrase = (kind: PairKind, meaning: string): Phrase => {
  const { topic, describe } = PAIRS[kind];
  return { theme: kindTheme(kind), topic, meaning, of: ['user', kind], describe: (_, evidence) => describe(evidence) };
};

const KINDS = Object.keys(PAIRS).join('|');
export const PAIR_PHRASES: readonly PhrasePattern[] = [
  [
    /^user\.other_(device|network|country)_days$/,
    (part) => {
      const kind = kindIn(part) as PairKind;
      return pairPhrase(
        kind,
        `Days since this user was last seen with another ${kindName(kind)}, of those they succeeded with`,
      );
    },
  ],
  [
    new RegExp(`^user\\.this_(${KINDS})_(${Object.keys(MEANINGS).join('|')})$`),
    (kind, what) => pairPhrase(kind as PairKind, (MEANINGS[what] as (typeof MEANINGS)[string])(kind as PairKind)),
  ],
  [
    new RegExp(`^user\\.trust_(${KINDS})$`),
    (kind) =>
      pairPhrase(
        kind as PairKind,
        `The trust that ${thisKind(kind as PairKind)} has earned with this user, from 0 to 1`,
      ),
  ],
];
