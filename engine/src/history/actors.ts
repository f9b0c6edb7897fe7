import type { LabelReason } from '@portcullis/contract';
import { ENTITY_KINDS, type EntityKind, kindIndex, type RELATIONS } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { type Facts, fact } from './facts.ts';

/**
 * Whom a fraud label blames. The person who committed a fraud is mostly not the user whose account or card it was: a
 * label that counted against everything in the item would block the victim, and blame the device they always had. So it
 * counts against what was new to the user at the time.
 */

/** Set beside the kinds if the user is blamed for a payment of their own. Far above the bits of the kinds. */
export const DISPUTE_BIT = 2 ** 30;
if (ENTITY_KINDS.length >= 30) throw new Error('a mask of actors has no room for so many kinds');

const DAY_MS = 24 * 3_600_000;
/** A payment that nobody disputed for this long makes what was used for it the user's own. */
const PAID_MS = 7 * DAY_MS;
/** So does use on several days over this long. */
const USED_MS = 14 * DAY_MS;
const USED_DAYS = 3;
/**
 * An entity that the user has used for this long, or for half the age of the account, cannot belong to a thief who has
 * been paying for only two weeks.
 */
const LONG_MS = 30 * DAY_MS;
/** A payee known to anyone for this long, or for half the age of the business, was not opened for this fraud. */
const ESTABLISHED_MS = 30 * DAY_MS;

const bitOf = (kind: EntityKind): number => 1 << kindIndex[kind];
const pairOf = (kind: (typeof RELATIONS.user)[number]) => ({
  age: fact(`user.this_${kind}_age_ms`),
  paid: fact(`user.this_${kind}_paid_ms`),
  days: fact(`user.this_${kind}_days`),
  vouched: fact(`user.this_${kind}_vouched`),
});
type PairPositions = ReturnType<typeof pairOf>;

/** Things that belong to one person: known fraud with them shows that they are not the user's. */
const PERSONAL: readonly EntityKind[] = ['device', 'fingerprint', 'email', 'shipping'];
const THINGS = (['ip', 'network', 'device', 'fingerprint', 'email', 'likeness', 'shipping'] as const).map((kind) => ({
  kind,
  bit: bitOf(kind),
  pair: pairOf(kind),
  blamed: PERSONAL.includes(kind) ? fact(`${kind}.actor_frauds_known`) : undefined,
  // A telephone is in another network every day, devices of one model share a profile, and gifts go to other addresses.
  isIdentifying: kind === 'device' || kind === 'fingerprint' || kind === 'email',
}));
type Thing = (typeof THINGS)[number];
const COUNTERPARTY = { pair: pairOf('counterparty'), age: fact('counterparty.age_ms') };
const BUSINESS_AGE = fact('account.age_ms');
const USER = {
  age: fact('user.age_ms'),
  actions: fact('user.actions'),
  payments: fact('user.payments'),
  week: fact('user.transactions.7d'),
  month: fact('user.transactions.30d'),
};

const at = (facts: Facts, position: number): number => facts[position] as number;
/** When the user first paid with the entity. Earlier versions of the facts only have the first time they were seen. */
const paidAge = (facts: Facts, { age, paid, days }: PairPositions): number =>
  at(facts, Number.isNaN(at(facts, days)) ? age : paid);

const isOwnPair = (facts: Facts, pair: PairPositions): boolean =>
  paidAge(facts, pair) >= PAID_MS ||
  (at(facts, pair.days) >= USED_DAYS && at(facts, pair.age) >= USED_MS) ||
  at(facts, pair.vouched) > 0;
const isOwn = (facts: Facts, { pair, blamed }: Thing): boolean =>
  isOwnPair(facts, pair) && !(blamed !== undefined && at(facts, blamed) > 0);

/** Whether the user has had a thing for so long that no thief can have brought it. */
const isLongOwn = (facts: Facts, thing: Thing): boolean => {
  const since = Math.max(paidAge(facts, thing.pair) || 0, at(facts, thing.pair.age) || 0);
  const isLong = since >= LONG_MS || 2 * since >= at(facts, USER.age) || at(facts, thing.pair.vouched) > 0;
  return isLong && isOwn(facts, thing);
};

const hasOldPayment = (facts: Facts): boolean =>
  Math.max(at(facts, USER.payments), at(facts, USER.month)) > at(facts, USER.week);
/** An account in its first week, or whose first payment is not a week old. Events alone establish an account by its age. */
const isNewAccount = (facts: Facts, subject: Subject): boolean =>
  at(facts, USER.actions) === 0 ||
  at(facts, USER.age) < PAID_MS ||
  (subject.type === 'transaction' && !hasOldPayment(facts));

/**
 * Reasons that blame the user at once: the account belongs to the person who committed the fraud. A first-party fraud of an
 * established user is a dispute like any other: one can be a mistake.
 */
const BLAMES_USER: ReadonlySet<LabelReason | undefined> = new Set(['mule', 'card_testing'] as const);
/** Reasons that say that the user of an established account is the victim. */
const SPARES_USER: ReadonlySet<LabelReason | undefined> = new Set(['takeover', 'stolen_card'] as const);

const isPresent = ({ hashes }: Subject, kind: EntityKind): boolean => hashes[kindIndex[kind]] !== 0;
/** The things of an item. Earlier versions of the facts say nothing about a shipping address. */
const thingsOf = (subject: Subject, facts: Facts): Thing[] =>
  THINGS.filter(
    ({ kind, pair }) => isPresent(subject, kind) && !(kind === 'shipping' && Number.isNaN(at(facts, pair.days))),
  );

/** The things, and the payee, that were new to the user. */
const newThings = (subject: Subject, facts: Facts, reason: LabelReason | undefined): number => {
  let mask = 0;
  for (const thing of thingsOf(subject, facts)) if (!isOwn(facts, thing)) mask |= thing.bit;
  if (reason === 'stolen_card' && isPresent(subject, 'fingerprint')) mask |= bitOf('fingerprint');
  const isPayeeBlamed = reason === 'mule' || !isOwnPair(facts, COUNTERPARTY.pair);
  return isPayeeBlamed && isPresent(subject, 'counterparty') ? mask | bitOf('counterparty') : mask;
};

/**
 * A payment counts as the user's own only if every identifying entity has long been theirs; otherwise nothing shows who
 * paid.
 */
const isOwnPayment = (subject: Subject, facts: Facts): boolean => {
  const things = thingsOf(subject, facts).filter(({ isIdentifying }) => isIdentifying);
  return things.length > 0 && things.every((thing) => isLongOwn(facts, thing));
};
const isUnidentified = (subject: Subject): boolean => !THINGS.some(({ kind }) => isPresent(subject, kind));
const isPayeeEstablished = (facts: Facts): boolean =>
  at(facts, COUNTERPARTY.age) >= ESTABLISHED_MS || 2 * at(facts, COUNTERPARTY.age) >= at(facts, BUSINESS_AGE);
/** Payments to a new payee who is new to everyone may be a fraud on the user. A new shop alone is nothing unusual. */
const isPayeeSuspect = (subject: Subject, facts: Facts): boolean =>
  isPresent(subject, 'counterparty') && !isOwnPair(facts, COUNTERPARTY.pair) && !isPayeeEstablished(facts);

/** The bits of the user: blamed or not, and whether it is a dispute. */
const userBits = (subject: Subject, facts: Facts, reason: LabelReason | undefined): number => {
  if (BLAMES_USER.has(reason) || isNewAccount(facts, subject)) return bitOf('user');
  if (reason === 'first_party') return bitOf('user') | DISPUTE_BIT;
  if (SPARES_USER.has(reason) || isPayeeSuspect(subject, facts)) return 0;
  if (isOwnPayment(subject, facts)) return bitOf('user') | DISPUTE_BIT;
  return isUnidentified(subject) ? bitOf('user') : 0;
};

/**
 * The kinds of entity that a fraud label of an item blames, from the facts stored with it: a bit for each of
 * ENTITY_KINDS, and DISPUTE_BIT. Networks of a provider and e-mail domains are always blamed: they are compared with their
 * traffic. Without the history of the user nothing else is blamed: the new things are unknown then.
 */
export const actorKinds = (subject: Subject, facts: Facts, reason?: LabelReason): number => {
  const rates = (['asn', 'domain'] as const).reduce(
    (mask, kind) => (isPresent(subject, kind) ? mask | bitOf(kind) : mask),
    0,
  );
  if (Number.isNaN(at(facts, USER.actions)))
    return rates | (BLAMES_USER.has(reason) || reason === 'first_party' ? bitOf('user') : 0);
  return rates | newThings(subject, facts, reason) | userBits(subject, facts, reason);
};
