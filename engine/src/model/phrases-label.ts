/** What features say about confirmed fraud: what it involved, and who or what is to blame. */
import { capitalize, countOf, duration, plural } from '../words.ts';
import { ALL_KINDS, kindIn, type NamedKind, thisKind, windowText } from './feature-vocabulary.ts';
import { type Description, type Evidence, factReader, ifKnown, type Phrase, type PhrasePattern } from './phrase.ts';

const involving = (kind: NamedKind): string => `involving ${thisKind(kind)}`;
/** A label blames a user. Who really committed the fraud, nobody here knows. */
const committed = (kind: NamedKind): string =>
  `${kind === 'user' ? 'attributed to' : 'committed with'} ${thisKind(kind)}`;

interface Labelled {
  readonly nouns: readonly [one: string, many: string];
  readonly relation: (kind: NamedKind) => string;
  /** Whether some of them speak against the user, 1, or for them, -1. */
  readonly side: 1 | -1;
}
const FRAUD = ['confirmed fraud', 'confirmed frauds'] as const;
const LABELLED: Readonly<Record<string, Labelled>> = {
  frauds: { nouns: FRAUD, relation: involving, side: 1 },
  actor_frauds: { nouns: FRAUD, relation: committed, side: 1 },
  disputes: {
    nouns: ['dispute of an own payment', 'disputes of own payments'],
    relation: () => 'by this user',
    side: 1,
  },
  legitimates: {
    nouns: ['payment or event confirmed as legitimate', 'payments and events confirmed as legitimate'],
    relation: involving,
    side: -1,
  },
};

const phrase = (
  kind: NamedKind,
  meaning: string,
  describe: (value: number, evidence: Evidence) => Description | undefined,
): Phrase => ({ theme: 'known_fraud', topic: `${kind}.frauds`, meaning, of: [kind], describe: ifKnown(describe) });

const countPhrase = (kind: NamedKind, counted: string, when: string): Phrase => {
  const { nouns, relation, side } = LABELLED[counted] as Labelled;
  const rest = `${relation(kind)} ${when}`;
  return phrase(kind, `Number of ${nouns[1]} ${rest}`, (count) => ({
    text: `${countOf(count, ...nouns)} ${rest}`,
    brief: count > 0 && side > 0 ? `${nouns[0]} ${relation(kind)}` : undefined,
    side: count > 0 ? side : -side,
  }));
};

const agePhrase = (kind: NamedKind, relation: string, meaning: string): Phrase =>
  phrase(kind, meaning, (ms) => ({
    text: `${capitalize(`fraud ${relation}`)} was last reported ${duration(ms)} ago`,
    brief: `confirmed fraud ${relation}`,
    side: 1,
  }));

/** "1 of 4 payments and events labelled in the last 7 days for this counterparty was fraud". */
const sharePhrase = (kind: NamedKind, window: string): Phrase => {
  const [frauds, legitimates] = [
    factReader(`${kind}.frauds.${window}`),
    factReader(`${kind}.legitimates.${window}`),
  ] as const;
  const rest = `labelled ${windowText(window)} for ${thisKind(kind)}`;
  return phrase(kind, `The share of the items ${rest} that were fraud`, (share, { facts }) => {
    const count = frauds(facts);
    const all = plural(count + legitimates(facts), 'payment or event', 'payments and events');
    return {
      text: `${share === 0 ? 'None' : count} of ${all} ${rest} ${count === 1 ? 'was' : 'were'} fraud`,
      brief: share > 0 ? `confirmed fraud ${involving(kind)}` : undefined,
      side: share > 0 ? 1 : -1,
    };
  });
};

const DISPUTED = 'disputed payments they made themselves';
export const LABEL_PHRASES: readonly PhrasePattern[] = [
  [new RegExp(`^(${ALL_KINDS})\\.fraud_share\\.(\\w+)$`), (kind, window) => sharePhrase(kindIn(kind), window)],
  [
    new RegExp(`^(${ALL_KINDS})\\.(${Object.keys(LABELLED).join('|')})\\.(\\w+)$`),
    (kind, counted, window) => countPhrase(kindIn(kind), counted, windowText(window)),
  ],
  [new RegExp(`^(${ALL_KINDS})\\.known_frauds$`), (kind) => countPhrase(kindIn(kind), 'frauds', 'so far')],
  [new RegExp(`^(${ALL_KINDS})\\.actor_frauds_known$`), (kind) => countPhrase(kindIn(kind), 'actor_frauds', 'so far')],
  [/^user\.disputes_known$/, () => countPhrase('user', 'disputes', 'so far')],
  [
    /^user\.dispute_days$/,
    () =>
      phrase('user', `Number of days on which this user ${DISPUTED}`, (days) =>
        days === 0
          ? { text: `This user never ${DISPUTED}`, side: -1 }
          : { text: `This user ${DISPUTED} on ${plural(days, 'day')}`, brief: 'dispute of an own payment', side: 1 },
      ),
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.fraud_age_ms$`),
    (part) => {
      const kind = kindIn(part);
      return agePhrase(kind, involving(kind), `Milliseconds since the last fraud ${involving(kind)} was confirmed`);
    },
  ],
  [
    new RegExp(`^(${ALL_KINDS})\\.actor_fraud_age_ms$`),
    (part) => {
      const kind = kindIn(part);
      return agePhrase(
        kind,
        committed(kind),
        `Milliseconds since the last of the confirmed frauds ${committed(kind)} was reported`,
      );
    },
  ],
];
