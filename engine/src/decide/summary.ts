import type { Theme } from '@portcullis/contract';
import { THEMES } from '@portcullis/contract/values';
import type { Facts } from '../history/facts.ts';
import type { Subject } from '../subject/subject.ts';
import { capitalize } from '../words.ts';
import { type Reason, reasonsOf } from './reasons.ts';
import type { Verdict } from './verdict.ts';

const MAX_CLAUSES = 4;
/** So many themes are enough for a summary; with fewer, more is said about them. */
const ENOUGH_CLAUSES = 3;
/** A signal is a named pattern, so it is worth more words than a feature with the same contribution. */
const SIGNAL_BONUS = 5;
/** Confirmed fraud, and what the account itself has said, come before all else. */
const CERTAIN_BONUS = 20;
/** A signal that changes nothing is not why the score is what it is. */
const MIN_SIGNAL_POINTS = 0.5;
const isCertain = (theme: Theme | null): boolean => theme === 'known_fraud' || theme === 'your_rules';
/** Smaller contributions are not worth a word. */
const MIN_WEIGHT = 3;

/** A reason that may be said aloud. */
interface Clause {
  readonly words: string;
  readonly theme: Theme | null;
  readonly topics: readonly string[];
  readonly weight: number;
}

const clausesOf = (reasons: readonly Reason[]): Clause[] => {
  // Without a model, and below the score from which parts are stored, signals have no points and are all there is to say.
  const isScored = reasons.some(
    ({ brief, theme, contribution }) => brief !== undefined && theme !== 'your_rules' && contribution >= MIN_WEIGHT,
  );
  return reasons.flatMap(({ of, brief, theme, topics, contribution }) => {
    if (brief === undefined) return [];
    const isNamed = contribution >= MIN_SIGNAL_POINTS || !isScored;
    const bonus = isCertain(theme) ? CERTAIN_BONUS : isNamed ? SIGNAL_BONUS : 0;
    const weight = contribution + (of === 'signal' ? bonus : 0);
    return weight < MIN_WEIGHT ? [] : [{ words: brief, theme, topics, weight }];
  });
};

const AMOUNT = /^amount /;
/** Comparisons of an amount, the best first. The one with the payments of all customers comes last. */
const COMPARED = [/ the usual/, / the largest so far/] as const;

/** Compares the amount once: several multiples of one amount confuse. */
const compareOnce = (clauses: readonly Clause[]): readonly Clause[] => {
  const amounts = clauses.filter(({ words }) => AMOUNT.test(words));
  if (amounts.length < 2) return clauses;
  const first = COMPARED.flatMap((pattern) => amounts.find(({ words }) => pattern.test(words)) ?? [])[0];
  const best = first ?? (amounts[0] as Clause);
  const weight = Math.max(...amounts.map((clause) => clause.weight));
  return clauses.flatMap((clause) =>
    clause === best ? [{ ...clause, weight }] : amounts.includes(clause) ? [] : [clause],
  );
};

const DEVICE = /^(?:new|unrecognised) device$/;
const COUNTRY = /^new country/;
/** What is new with a new country anyway. */
const WITHIN_COUNTRY = /^new (?:part of|network$|internet)/;

/** Says only of the country that it is new, with the weight of all that is new with it. */
const joinPlaces = (clauses: readonly Clause[]): readonly Clause[] => {
  const country = clauses.find(({ words }) => COUNTRY.test(words));
  if (country === undefined) return clauses;
  const within = clauses.filter(({ words }) => WITHIN_COUNTRY.test(words));
  const weight = within.reduce((sum, clause) => sum + clause.weight, country.weight);
  return clauses.flatMap((clause) =>
    clause === country ? [{ ...country, weight }] : within.includes(clause) ? [] : [clause],
  );
};

/** Chooses the heaviest clause of each theme, then the heaviest of the others. Each topic appears once. */
const chooseClauses = (clauses: readonly Clause[]): Clause[] => {
  const heaviest = clauses.toSorted((a, b) => b.weight - a.weight);
  const chosen: Clause[] = [];
  const chooseFrom = (candidates: readonly Clause[], max: number): void => {
    for (const clause of candidates) {
      const isTold = ({ words, topics }: Clause): boolean =>
        words === clause.words || topics.some((topic) => clause.topics.includes(topic));
      if (chosen.length < max && !chosen.some(isTold)) chosen.push(clause);
    }
  };
  chooseFrom(
    heaviest.filter(({ theme }, i) => heaviest.findIndex((other) => other.theme === theme) === i),
    MAX_CLAUSES,
  );
  chooseFrom(heaviest, ENOUGH_CLAUSES);
  // A new device in a new country is one thought, and takes no more room than a new device.
  const country = clauses.find(({ words }) => COUNTRY.test(words));
  if (country !== undefined && chosen.some(({ words }) => DEVICE.test(words)) && !chosen.includes(country))
    chosen.push(country);
  return chosen;
};

/** Where or on what something happened: when it happened is part of the same thought. */
const ORIGIN = /^(?:new |unrecognised |payout |device |network )/;
const isMoment = (words: string): boolean => /^within .* of a credential change$/.test(words);
/** By theme. When something happened follows what happened. */
const orderOf = ({ theme, words }: Clause): number =>
  (theme === null ? THEMES.length : THEMES.indexOf(theme)) + (isMoment(words) ? 0.5 : 0);

/** A device and a network that were first used at the same time. */
const joinRecent = (clauses: readonly string[]): string[] => {
  const [device, network] = ['device first used', 'network first used'].map((start) =>
    clauses.find((clause) => clause.startsWith(start)),
  );
  const since = device?.slice('device'.length);
  if (since === undefined || network?.slice('network'.length) !== since) return [...clauses];
  return clauses.flatMap((clause) =>
    clause === network ? [] : [clause === device ? `device and network${since}` : clause],
  );
};

/** "new device" and "new country" are one thought: a new device in a new country. */
const joinOrigin = (clauses: readonly string[]): string[] => {
  const device = clauses.findIndex((clause) => DEVICE.test(clause));
  const place = clauses.findIndex((clause) => COUNTRY.test(clause) || WITHIN_COUNTRY.test(clause));
  if (device < 0 || place < 0) return joinRecent(clauses);
  const where = clauses[place] as string;
  const joined = `${clauses[device]} ${/^new (?:country|part)/.test(where) ? 'in' : 'on'} a ${where}`;
  return clauses.flatMap((clause, i) => (i === place ? [] : [i === device ? joined : clause]));
};

/**
 * The main reasons of a verdict in one line that a person could say aloud, ordered by theme: "New device in a new
 * country (Brazil), within 4 minutes of a credential change; amount 12 times the usual".
 */
export const summarize = (verdict: Verdict, subject: Subject, facts: Facts): string => {
  const chosen = chooseClauses(compareOnce(joinPlaces(clausesOf(reasonsOf(verdict, subject, facts)))));
  const clauses = joinOrigin(chosen.sort((a, b) => orderOf(a) - orderOf(b)).map(({ words }) => words));
  if (clauses.length === 0)
    return verdict.decision === 'allow' ? 'Nothing unusual' : 'Unusual in many small ways; no single reason stands out';
  const line = clauses.reduce((said, clause, i) => {
    const isPartOf = isMoment(clause) && ORIGIN.test(clauses[i - 1] as string);
    return `${said}${isPartOf ? ', ' : '; '}${clause}`;
  });
  return capitalize(line);
};
