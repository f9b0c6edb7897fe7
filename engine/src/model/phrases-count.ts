/** What features say about how often something happened, and to how many different users or things. */
import type { EventType, Theme } from '@portcullis/contract';
import { money } from '../subject/money.ts';
import { SMALL_DOLLARS } from '../subject/subject.ts';
import { countOf, plural } from '../words.ts';
import {
  ALL_KINDS,
  distinctNoun,
  isShort,
  kindIn,
  kindName,
  kindNouns,
  kindTheme,
  type NamedKind,
  ofOther,
  paidBy,
  spanText,
  thisKind,
  windowText,
} from './feature-vocabulary.ts';
import { ORDINARY_CROWD } from './features-derived.ts';
import { type Description, type Evidence, factReader, ifKnown, type Phrase, type PhrasePattern } from './phrase.ts';
import { noveltyTopic } from './phrases-pair.ts';

interface Counted {
  readonly topic: string;
  readonly theme: (kind: NamedKind) => Theme;
  /** For the page of reference. */
  readonly many: string;
  /** Whether the item is one of them itself. It is not counted yet, so those that are counted came earlier. */
  readonly isOne: (evidence: Evidence) => boolean;
  /** One and many of them, in a sentence. */
  readonly nouns: (evidence: Evidence) => readonly [one: string, many: string];
  /** By whom, or with what: "by this user". */
  readonly by: (kind: NamedKind) => string;
  /** Whether none of them speaks for the user, and some against. */
  readonly isBad: boolean;
  /** How many within a window are worth a word in a summary, and that word. */
  readonly notable: (window: string) => number;
  readonly brief: (count: number, kind: NamedKind, window: string) => string;
}

const isPerson = (kind: NamedKind): boolean => kind === 'user' || kind === 'email';
const simple = (
  topic: string,
  theme: Theme | ((kind: NamedKind) => Theme),
  [one, many]: readonly [string, string],
  more: Partial<Counted> = {},
): Counted => ({
  topic,
  theme: typeof theme === 'string' ? () => theme : theme,
  many,
  isOne: () => false,
  nouns: () => [one, many],
  by: paidBy,
  isBad: true,
  notable: () => 1,
  brief: (count, kind, window) => `${plural(count, one, many)}${ofOther(kind)} in ${spanText(window)}`,
  ...more,
});
/** An ordinary customer makes fewer payments in each window. */
const MANY_PAYMENTS: Readonly<Record<string, number>> = { '1m': 2, '10m': 3, '1h': 5, '24h': 10 };

const isPayment = ({ subject }: Evidence): boolean => subject.type === 'transaction';
const isEventOf = ({ subject }: Evidence, type: EventType): boolean =>
  subject.type === 'event' && subject.request.type === type;

const COUNTED: Readonly<Record<string, Counted>> = {
  // This payment is not among those counted, and is one more.
  transactions: simple('pace', 'pace', ['payment', 'payments'], {
    isBad: false,
    isOne: isPayment,
    notable: (window) => MANY_PAYMENTS[window] ?? Number.POSITIVE_INFINITY,
    brief: (count, kind, window) => `${count + 1} payments${ofOther(kind)} in ${spanText(window)}`,
  }),
  small_transactions: simple('small', 'pace', ['', 'payments under $5'], {
    nouns: ({ subject }) => {
      const limit = money(subject, SMALL_DOLLARS);
      return [`payment under ${limit}`, `payments under ${limit}`];
    },
    isOne: ({ subject }) => subject.dollars < SMALL_DOLLARS,
    notable: () => 3,
    brief: (count, kind, window) => `${count} small payments${ofOther(kind)} in ${spanText(window)}`,
  }),
  large_transactions: simple(
    'large',
    (kind) => (kind === 'counterparty' ? 'links' : 'money'),
    ['unusually large payment', 'unusually large payments'],
    { notable: () => 2, isOne: isPayment },
  ),
  logins: simple('logins', 'account', ['login', 'logins'], {
    isBad: false,
    isOne: (evidence) => isEventOf(evidence, 'login'),
    notable: () => 10,
  }),
  failed_logins: simple(
    'failed_logins',
    (kind) => (isPerson(kind) ? 'account' : 'links'),
    ['failed login', 'failed logins'],
    // Somebody else may have tried.
    {
      by: (kind) => (kind === 'user' ? 'for this user' : paidBy(kind)),
      isOne: (evidence) => isEventOf(evidence, 'login') && evidence.subject.isFailed,
    },
  ),
  signups: simple('signups', 'links', ['signup', 'signups'], {
    isOne: (evidence) => isEventOf(evidence, 'signup'),
    notable: () => 2,
  }),
  changes: simple('changes', 'account', ['credential change', 'credential changes'], {
    brief: (_, __, window) => `within ${spanText(window)} of a credential change`,
  }),
  methods_added: simple('methods_added', 'account', ['payment method added', 'payment methods added'], {
    brief: (_, __, window) => `payment method added within ${spanText(window)}`,
  }),
};

/** "earlier payments" on a payment, and "payments" on a login. */
const nounsIn = (counted: Counted, evidence: Evidence): readonly [one: string, many: string] => {
  const [one, many] = counted.nouns(evidence);
  return counted.isOne(evidence) ? [`earlier ${one}`, `earlier ${many}`] : [one, many];
};

const countPhrase = (kind: NamedKind, counted: Counted, window: string): Phrase => {
  const payments = factReader(`${kind}.payments`);
  return {
    theme: counted.theme(kind),
    // An e-mail address nearly always has one user, whose pace it is.
    topic: `${kind === 'email' && counted.topic === 'pace' ? 'user' : kind}.${counted.topic}`,
    meaning: `Number of ${counted.many} ${counted.by(kind)} ${windowText(window)}`,
    of: [kind],
    describe: ifKnown((count, evidence) => {
      if (counted === COUNTED.transactions && payments(evidence.facts) === 0)
        return { topic: noveltyTopic(kind), theme: kindTheme(kind), text: `No payments ${paidBy(kind)} so far` };
      return {
        text: `${countOf(count, ...nounsIn(counted, evidence))} ${counted.by(kind)} ${windowText(window)}`,
        brief: count >= counted.notable(window) && isShort(window) ? counted.brief(count, kind, window) : undefined,
        side: counted.isBad ? (count > 0 ? 1 : -1) : 0,
      };
    }),
  };
};

/** "3 of 4 earlier payments in the last 24 hours were made in the last hour"; "the only earlier payment" of one. */
const partText = (some: number, total: number, where: string, what: string): string => {
  if (total === 1) return `The only earlier payment ${where} was ${some === 0 ? 'not ' : ''}${what}`;
  return `${some === 0 ? 'None' : some} of ${plural(total, 'earlier payment')} ${where} ${some === 1 ? 'was' : 'were'} ${what}`;
};
/** A share as counts. */
const partPhrase = (
  kind: NamedKind,
  [topic, theme]: readonly [topic: string, theme: Theme],
  [part, whole, window]: readonly [part: string, whole: string, window: string],
  [meaning, what]: readonly [meaning: string, what: (evidence: Evidence) => string],
): Phrase => {
  const [some, all] = [factReader(part), factReader(whole)];
  return {
    theme,
    topic: `${kind}.${topic}`,
    meaning,
    of: [kind],
    describe: ifKnown((value, evidence) => {
      const where = `${paidBy(kind)} ${windowText(window)}`;
      const text = partText(some(evidence.facts), all(evidence.facts), where, what(evidence));
      return { text, side: topic !== 'pace' && value === 0 ? -1 : 0 };
    }),
  };
};

const sharePhrases: readonly PhrasePattern[] = [
  [
    new RegExp(`^(${ALL_KINDS})\\.(small|large)_transactions_share\\.(\\w+)$`),
    (part, size, window) => {
      const kind = kindIn(part);
      const counted = COUNTED[`${size}_transactions`] as Counted;
      const was = size === 'small' ? 'under $5' : 'unusually large for their user';
      return partPhrase(
        kind,
        [counted.topic, counted.theme(kind)],
        [`${kind}.${size}_transactions.${window}`, `${kind}.transactions.${window}`, window],
        [
          `The share of the payments ${paidBy(kind)} ${windowText(window)} that were ${was}`,
          ({ subject }) =>
            size === 'small' ? `under ${money(subject, SMALL_DOLLARS)}` : 'unusually large for their user',
        ],
      );
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.burst\\.(\\w+)$`),
    (part, window) => {
      const kind = kindIn(part);
      const whole = window === '1h' ? '24h' : '30d';
      const made = `made ${windowText(window)}`;
      return partPhrase(
        kind,
        ['pace', 'pace'],
        [`${kind}.transactions.${window}`, `${kind}.transactions.${whole}`, whole],
        [`The share of the payments ${paidBy(kind)} ${windowText(whole)} that were ${made}`, () => made],
      );
    },
  ],
];

const isLocation = (kind: NamedKind): boolean => kind === 'country' || kind === 'place';
/** From this many different ones on, a number is worth a word in a summary. */
const MANY = 3;
const describeOtherUsers = (kind: NamedKind, seen: number, window: string): Description => {
  const others = plural(seen, 'other user');
  return {
    text: `${others} of ${thisKind(kind)} ${windowText(window)}`,
    brief: isShort(window) ? `${kindName(kind)} of ${seen === 1 ? 'another user' : others}` : undefined,
    side: isPersonal(kind) ? 1 : 0,
  };
};
/** Whether a thing mostly belongs to one person. */
const isPersonal = (kind: NamedKind): boolean => kind === 'device' || kind === 'fingerprint' || kind === 'email';

const distinctPhrase = (kind: NamedKind, other: NamedKind, window: string, crowd?: number): Phrase => {
  const nouns = distinctNoun(kind, other);
  const count = factReader(`${kind}.distinct_${other}.${window}`);
  const isHere = factReader(`user.this_${kind}_seen`);
  return {
    theme: kind === 'user' ? kindTheme(other) : 'links',
    topic: `${kind}.distinct_${other}`,
    meaning: `Number of ${nouns[1]} ${windowText(window)}${crowd === undefined ? '' : ` above the usual ${crowd}`}`,
    of: [kind],
    describe: ifKnown((_, { facts }) => {
      const seen = count(facts);
      // Of a device that this user never used before, all users are others.
      if (other === 'user' && seen > 0 && isHere(facts) === 0) return describeOtherUsers(kind, seen, window);
      const named = kind === 'user' ? plural(seen, ...kindNouns(other)) : plural(seen, ...nouns);
      return {
        text: isLocation(other)
          ? `This user was seen in ${plural(seen, ...kindNouns(other))} ${windowText(window)}`
          : `${countOf(seen, ...nouns)} ${windowText(window)}`,
        brief: seen >= MANY && isShort(window) ? `${named} in ${spanText(window)}` : undefined,
        side: seen <= 1 ? -1 : 0,
      };
    }),
  };
};

export const COUNT_PHRASES: readonly PhrasePattern[] = [
  ...sharePhrases,
  [
    new RegExp(`^(${ALL_KINDS})\\.distinct_(${ALL_KINDS})\\.(\\w+)$`),
    (kind, other, window) => distinctPhrase(kindIn(kind), kindIn(other), window),
  ],
  [
    /^(ip|network)\.crowd\.(\w+)$/,
    (kind, window) => distinctPhrase(kindIn(kind), 'user', window, ORDINARY_CROWD[kind as 'ip' | 'network']),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.(${Object.keys(COUNTED).join('|')})\\.(\\w+)$`),
    (kind, counted, window) => countPhrase(kindIn(kind), COUNTED[counted] as Counted, window),
  ],
];
