import type { BacktestOutcome, ScoreQuality } from '@portcullis/client';
import { formatCount, formatMoney, formatName, formatShare, formatTenth, formatUsd } from '../parts/format.ts';
import { MEASURES } from './measures.ts';

/** One figure of two backtests. A figure that one of them does not have is `null`. */
export interface Pair {
  readonly name: string;
  readonly a: number | null;
  readonly b: number | null;
  readonly format: (value: number) => string;
  /** What the figure was counted from, such as `31 of 214`. */
  readonly notes?: readonly [a: string, b: string];
}

type Of = (outcome: BacktestOutcome) => number;
const COUNTS: readonly [name: string, of: Of][] = [
  ['Screened', ({ items }) => items],
  ['Allow', ({ after }) => after.allow],
  ['Review', ({ after }) => after.review],
  ['Block', ({ after }) => after.block],
  ['Flagged: review or block', ({ after }) => after.review + after.block],
  ['Change in flagged items', ({ before, after }) => after.review + after.block - before.review - before.block],
  ['Changed decisions', ({ changed }) => changed],
  ['Known fraud matched', ({ fraud }) => fraud.hits],
  ['Known legitimate matched', ({ legitimate }) => legitimate.hits],
];

export const decisionPairs = (a: BacktestOutcome, b: BacktestOutcome): readonly Pair[] =>
  COUNTS.map(([name, of]) => ({ name, a: of(a), b: of(b), format: formatCount }));

export const qualityPairs = (a: BacktestOutcome, b: BacktestOutcome): readonly Pair[] =>
  MEASURES.map(({ name, of, format }) => {
    const value = ({ quality }: BacktestOutcome): number | null => (quality === null ? null : of(quality.after));
    return { name, a: value(a), b: value(b), format };
  });

const DOLLARS: readonly [name: string, of: Of][] = [
  ['Matched payments', ({ dollars }) => dollars.hits],
  ['Matched, known fraud', ({ dollars }) => dollars.fraud_hits],
  ['Matched, known legitimate', ({ dollars }) => dollars.legitimate_hits],
];
const AMOUNTS = [
  ['fraud held', 'fraud_held'],
  ['fraud missed', 'fraud_missed'],
  ['not fraud, held', 'legitimate_held'],
] as const;

const moneyOf = ({ quality }: BacktestOutcome): ScoreQuality['money'] => quality?.after.money ?? [];
const namesIn = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])];

/** Amounts in US dollars, then those of each currency that one of the two has. */
export const moneyPairs = (a: BacktestOutcome, b: BacktestOutcome): readonly Pair[] => {
  const currencies = namesIn(
    moneyOf(a).map(({ currency }) => currency),
    moneyOf(b).map(({ currency }) => currency),
  );
  const of = (outcome: BacktestOutcome, currency: string) => moneyOf(outcome).find((one) => one.currency === currency);
  return [
    ...DOLLARS.map(([name, value]) => ({ name, a: value(a), b: value(b), format: formatUsd })),
    ...currencies.flatMap((currency) =>
      AMOUNTS.map(([words, key]) => ({
        name: `${currency}, ${words}`,
        a: of(a, currency)?.[key] ?? null,
        b: of(b, currency)?.[key] ?? null,
        format: (value: number) => formatMoney(value, currency),
      })),
    ),
  ];
};

/** The precision of every signal that is active in one of the two. */
export const signalPairs = (a: BacktestOutcome, b: BacktestOutcome): readonly Pair[] => {
  const signalsOf = ({ quality }: BacktestOutcome) => new Map(quality?.signals.map((one) => [one.signal, one]));
  const [inA, inB] = [signalsOf(a), signalsOf(b)];
  const countOf = (one: { frauds: number; items: number } | undefined): string =>
    one === undefined ? '' : `${formatCount(one.frauds)} of ${formatCount(one.items)}`;
  return namesIn([...inA.keys()], [...inB.keys()]).map((name) => ({
    name: name.startsWith('rule.') ? name : formatName(name),
    a: inA.get(name)?.precision ?? null,
    b: inB.get(name)?.precision ?? null,
    format: formatShare,
    notes: [countOf(inA.get(name)), countOf(inB.get(name))],
  }));
};

/** The difference of two shares is in percentage points. */
const sizeOf = (value: number, { format }: Pair): string =>
  format === formatShare ? `${formatTenth(value * 100)} points` : format(value);

/** `b` less `a`, with its sign. */
export const differenceOf = (pair: Pair): string => {
  const { a, b } = pair;
  if (a === null || b === null) return '–';
  const size = sizeOf(Math.abs(b - a), pair);
  // A difference that rounds to zero has no sign.
  if (size === sizeOf(0, pair)) return '±0';
  return `${b > a ? '+' : '−'}${size}`;
};
