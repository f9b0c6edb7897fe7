import type { Decision, Factor } from '@portcullis/client';

/** A step of the waterfall: the sum of some factors, in whole points. */
export interface Step {
  readonly name: string;
  readonly title: string;
  readonly points: number;
  /** Where the bar begins and ends on the scale of the score. */
  readonly from: number;
  readonly to: number;
  readonly factors: readonly Factor[];
}

type Theme = NonNullable<Factor['theme']>;
const TITLES: Readonly<Record<Theme, string>> = {
  money: 'Amount and payment',
  pace: 'Pace',
  device: 'Device',
  place: 'Place and network',
  account: 'Account',
  links: 'Shared with others',
  known_fraud: 'Known fraud',
  your_rules: 'Your rules',
};

/** Rounds so that the whole points add up to the whole sum: the largest remainders are rounded up. */
export const roundToSum = (values: readonly number[], sum: number): readonly number[] => {
  const floors = values.map(Math.floor);
  const missing = sum - floors.reduce((a, b) => a + b, 0);
  const byRemainder = values
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  const raised = new Set(byRemainder.slice(0, Math.max(0, missing)).map(({ index }) => index));
  return floors.map((floor, index) => (raised.has(index) ? floor + 1 : floor));
};

const sumOf = (factors: readonly Factor[]): number => factors.reduce((sum, { contribution }) => sum + contribution, 0);

/** The score from its base, theme by theme, the largest first; at the end what speaks for the user. */
export const stepsOf = ({
  factors,
  base_score,
  risk_score,
}: Pick<Decision, 'factors' | 'base_score' | 'risk_score'>): readonly Step[] => {
  const raising = factors.filter(({ contribution }) => contribution > 0);
  const lowering = factors.filter(({ contribution }) => contribution < 0);
  const themes = [...Map.groupBy(raising, ({ theme }) => theme)]
    .map(([theme, of]) => ({
      name: theme ?? 'other',
      title: theme === null ? 'Everything else' : TITLES[theme],
      factors: of,
    }))
    .sort((a, b) => Number(a.name === 'other') - Number(b.name === 'other') || sumOf(b.factors) - sumOf(a.factors));
  const parts = [
    { name: 'base', title: 'Base score', factors: [] as readonly Factor[], sum: base_score },
    ...themes.map((part) => ({ ...part, sum: sumOf(part.factors) })),
    ...(lowering.length === 0
      ? []
      : [{ name: 'for', title: 'In the user’s favour', factors: lowering, sum: sumOf(lowering) }]),
  ];
  const points = roundToSum(
    parts.map(({ sum }) => sum),
    risk_score,
  );
  let at = 0;
  return parts.map(({ name, title, factors: of }, index) => {
    const from = at;
    at += points[index] as number;
    return { name, title, factors: of, points: points[index] as number, from, to: at };
  });
};
