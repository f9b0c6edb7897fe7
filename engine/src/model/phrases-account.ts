/** What features say about the caller's whole business, and how an amount compares with all of its payments. */
import { money } from '../subject/money.ts';
import { countOf, duration, times } from '../words.ts';
import { LONG_KNOWN_MS } from './features-derived.ts';
import { factReader, ifKnown, type Phrase, type PhrasePattern } from './phrase.ts';

const [age, payments] = [factReader('account.age_ms'), factReader('account.payments')];
const typical = factReader('account.amount_typical');

const historyPhrase = (meaning: string): Phrase => ({
  theme: 'account',
  topic: 'account.age',
  meaning,
  of: ['account'],
  describesFirst: true,
  describe: (_, { facts }) => {
    const ms = age(facts);
    if (Number.isNaN(ms)) return { text: 'First item of this business' };
    // How long a business has been here says something about an item only while little else is known.
    if (ms >= LONG_KNOWN_MS) return undefined;
    return {
      text: `The history of this business began ${duration(ms)} ago. ${countOf(payments(facts), 'payment')} so far`,
    };
  },
});

/** From this many times the typical payment on, an amount is worth a word. */
const NOTABLE = 3;
const amountPhrase = (meaning: string): Phrase => ({
  theme: 'money',
  topic: 'account.amount',
  meaning,
  of: ['account'],
  describesFirst: true,
  describe: ifKnown((_, { facts, subject }) => {
    const ratio = subject.dollars / typical(facts);
    if (!Number.isFinite(ratio)) return undefined;
    const amount = money(subject, subject.dollars);
    const typicalAmount = money(subject, typical(facts));
    const usual = `the typical payment of all customers (${typicalAmount})`;
    if (ratio >= NOTABLE)
      return {
        text: `${amount}, ${times(ratio)} ${usual}`,
        brief: `amount ${times(ratio)} the typical payment of all customers`,
        side: 1,
      };
    if (ratio < 1 / NOTABLE) return { text: `${amount}, less than ${usual}`, side: -1 };
    return { text: `${amount}. The typical payment of all customers is ${typicalAmount}`, side: 0 };
  }),
});

export const ACCOUNT_PHRASES: readonly PhrasePattern[] = [
  [/^account\.age_ms$/, () => historyPhrase('Milliseconds since the first item of this business')],
  [
    /^account\.known_ms$/,
    () => historyPhrase('Milliseconds since the first item of this business, at least a day, up to 30 days'),
  ],
  [/^account\.actions$/, () => historyPhrase('Number of items of this business so far')],
  [/^account\.payments$/, () => historyPhrase('Number of payments of this business with a known amount so far')],
  [
    /^account\.amount_typical$/,
    () => amountPhrase('The typical payment of this business, as a geometric mean, in US dollars'),
  ],
  [
    /^account\.amount_spread$/,
    () => amountPhrase('The factor by which payments of this business usually differ from the typical one'),
  ],
  [
    /^amount_over_account\.amount_typical$/,
    () => amountPhrase('The amount divided by the typical payment of this business'),
  ],
  [
    /^account\.amount_deviations$/,
    () => amountPhrase('Standard deviations between the logarithms of the amount and of the typical payment'),
  ],
];
