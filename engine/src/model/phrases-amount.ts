/** What features say about the amount of a payment, and about amounts paid before. */
import { money } from '../subject/money.ts';
import { times } from '../words.ts';
import { ALL_KINDS, kindIn, type NamedKind, ofOther, paidBy, windowText } from './feature-vocabulary.ts';
import { factReader, ifKnown, type Phrase, type PhrasePattern } from './phrase.ts';

/** Users mostly pay with one instrument, so the amounts of both are one topic. */
const isPayer = (kind: NamedKind): boolean => kind === 'user' || kind === 'fingerprint';
const topicFor = (kind: NamedKind, topic: string): string => (isPayer(kind) ? topic : `${kind}.${topic}`);

/** From this many times the usual on, an amount is worth a word; below the second, it is an ordinary one. */
const NOTABLE = 1.5;
const ORDINARY = 1.25;

/** Compares the amount with the mean payment of an entity, whichever feature stands for it. */
const amountPhrase = (kind: NamedKind, meaning: string): Phrase => {
  const [payments, mean] = [factReader(`${kind}.payments`), factReader(`${kind}.amount_mean`)];
  return {
    theme: 'money',
    topic: topicFor(kind, 'amount'),
    meaning,
    of: [kind],
    describesFirst: kind === 'user',
    describe: (_, { facts, subject }) => {
      if (Number.isNaN(subject.dollars)) return undefined;
      const amount = money(subject, subject.dollars);
      if (payments(facts) === 0)
        return { text: `First payment ${paidBy(kind)}, of ${amount}`, brief: `first payment${ofOther(kind)}`, side: 1 };
      const ratio = subject.dollars / mean(facts);
      if (!Number.isFinite(ratio)) return undefined;
      const usual = `the usual payment ${paidBy(kind)} (${money(subject, mean(facts))})`;
      if (ratio >= NOTABLE)
        return {
          text: `${amount}, ${times(ratio)} ${usual}`,
          brief: `amount ${times(ratio)} the usual${ofOther(kind)}`,
          side: 1,
        };
      if (ratio < 1 / NOTABLE) return { text: `${amount}, less than ${usual}`, side: -1 };
      return { text: `${amount}, close to ${usual}`, side: ratio < ORDINARY ? -1 : 0 };
    },
  };
};

const extreme = (which: string): string => (which === 'max' ? 'largest' : 'mean');
const within = (window: string | undefined): string => (window === undefined ? '' : ` ${windowText(window)}`);

/** A sum is a reason of its own if payments before add this share to the amount. */
const NOTABLE_SHARE = 0.25;
/** The sum of payments within a window. */
const sumPhrase = (kind: NamedKind, window: string, ending: string): Phrase => {
  const rest = `paid ${paidBy(kind)} ${windowText(window)}${ending}`;
  const amount = amountPhrase(kind, '');
  return {
    theme: 'money',
    topic: topicFor(kind, 'spent'),
    meaning: `Amount ${rest}, in US dollars`,
    of: [kind],
    describe: ifKnown((value, evidence) => {
      const { subject } = evidence;
      if (ending !== '' && value < (1 + NOTABLE_SHARE) * subject.dollars) {
        const description = amount.describe(value, evidence);
        return description === undefined ? undefined : { topic: amount.topic, ...description };
      }
      return { text: `${value === 0 ? 'Nothing' : money(subject, value)} ${rest}` };
    }),
  };
};

export const AMOUNT_PHRASES: readonly PhrasePattern[] = [
  [/^dollars$/, () => amountPhrase('user', 'The amount in US dollars')],
  [new RegExp(`^(${ALL_KINDS})\\.amount\\.(\\w+)$`), (kind, window) => sumPhrase(kindIn(kind), window, '')],
  [
    new RegExp(`^(${ALL_KINDS})\\.amount_with_this\\.(\\w+)$`),
    (kind, window) => sumPhrase(kindIn(kind), window, ', including this payment'),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.amount_(mean|max)(?:\\.(\\w+))?$`),
    (part, which, window) => {
      const kind = kindIn(part);
      return amountPhrase(kind, `The ${extreme(which)} payment ${paidBy(kind)}${within(window)}, in US dollars`);
    },
  ],
  [
    new RegExp(`^amount_over_(${ALL_KINDS})\\.amount_(mean|max)(?:\\.(\\w+))?$`),
    (part, which, window) => {
      const kind = kindIn(part);
      return amountPhrase(kind, `The amount divided by the ${extreme(which)} payment ${paidBy(kind)}${within(window)}`);
    },
  ],
  [
    new RegExp(`^amount_over_(${ALL_KINDS})\\.amount_mean_before_24h$`),
    (part) => {
      const kind = kindIn(part);
      const meaning = `The amount divided by the mean payment ${paidBy(kind)} so far, without the last 24 hours`;
      return amountPhrase(kind, meaning);
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.amount_deviations$`),
    (part) => {
      const kind = kindIn(part);
      return amountPhrase(kind, `Standard deviations between the amount and the mean payment ${paidBy(kind)}`);
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.amount_deviation$`),
    (part) => {
      const kind = kindIn(part);
      return amountPhrase(kind, `The standard deviation of payments ${paidBy(kind)}, in US dollars`);
    },
  ],
];
