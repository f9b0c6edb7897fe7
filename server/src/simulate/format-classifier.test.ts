import { expect, test } from 'vitest';
import { judgingWorlds, randomWorlds, type SimulatedItem, type SimulateOptions, simulate } from './simulate.ts';

/**
 * Trains a small classifier per world on what an item looks like: formats, digits, times of day, fields that are present, and
 * its place among items of the same time. It sees neither history nor behaviour, so it must not find fraud.
 */
type Transaction = Extract<SimulatedItem, { kind: 'transaction' }>;

const shapeOf = (id: string | undefined): string =>
  id === undefined ? '-' : `${id.length} ${id.replace(/[0-9a-z]+/gi, (run) => (/^\d+$/.test(run) ? '9' : 'a'))}`;
const lastOf = (id: string | undefined): string => id?.at(-1) ?? '-';
const digitsOf = (amount: number): string => String(amount).replace('.', '');

const FORMATS: Readonly<Record<string, (item: Transaction) => string>> = {
  fields: (item) =>
    String(Object.keys(item).length - Number(item.attack !== undefined) - Number('label_reason' in item)),
  'user shape': (item) => shapeOf(item.user_id),
  'device shape': (item) => shapeOf(item.device_token),
  'card shape': (item) => shapeOf(item.payment_fingerprint),
  'counterparty shape': (item) => shapeOf(item.counterparty_id),
  'first digit': (item) => digitsOf(item.amount).replace(/^0+/, '').charAt(0),
  'last digit': (item) => lastOf(digitsOf(item.amount)),
  decimals: (item) => String((String(item.amount).split('.')[1] ?? '').length),
  hour: (item) => item.occurred_at.slice(11, 13),
  second: (item) => item.occurred_at.slice(18, 19),
  millisecond: (item) => item.occurred_at.slice(-2, -1),
  'case of address': (item) => {
    const line = item.shipping_address?.line1 ?? item.billing_address?.line1 ?? '';
    return line === '' ? '-' : line === line.toUpperCase() ? 'upper' : line === line.toLowerCase() ? 'lower' : 'mixed';
  },
  metadata: (item) => Object.keys(item.metadata ?? {}).join(),
};

interface Row {
  readonly values: readonly string[];
  readonly isFraud: boolean;
  /** The second half of the days: an attack in both halves could be recognized by its time or amounts. */
  readonly isHeldOut: boolean;
}

const rowsOf = (options: SimulateOptions): Row[] => {
  const rows: Row[] = [];
  for (const item of simulate({ ...options, fraudShare: 0.1 }))
    if (item.kind === 'transaction')
      rows.push({
        values: Object.values(FORMATS).map((read) => read(item)),
        isFraud: item.label === 'fraud',
        isHeldOut: Date.parse(item.occurred_at) > options.start + (options.days * 86_400_000) / 2,
      });
  return rows;
};

/** Naive Bayes: the sum of the log odds of each value, smoothed. */
const fit = (rows: readonly Row[]): ((row: Row, only?: number) => number) => {
  const totals = [1, 1];
  const counts = Object.keys(FORMATS).map(() => new Map<string, [number, number]>());
  for (const { values, isFraud } of rows) {
    totals[Number(isFraud)] = (totals[Number(isFraud)] as number) + 1;
    values.forEach((value, i) => {
      const pair = counts[i]?.get(value) ?? [0, 0];
      pair[Number(isFraud)] = (pair[Number(isFraud)] as number) + 1;
      counts[i]?.set(value, pair);
    });
  }
  const share = (totals[1] as number) / (totals[0] as number);
  const oddsOf = (value: string, i: number): number => {
    const [others, frauds] = counts[i]?.get(value) ?? [0, 0];
    return Math.log((frauds + 10 * share) / (others + 10) / share);
  };
  return ({ values }, only) =>
    only === undefined
      ? values.reduce((sum, value, i) => sum + oddsOf(value, i), 0)
      : oddsOf(values[only] as string, only);
};

/** Probability that a fraud scores higher than a legitimate item; equal scores count half. */
const aucOf = (scores: readonly number[], rows: readonly Row[]): number => {
  const sorted = rows
    .map(({ isFraud }, i) => ({ isFraud, score: scores[i] as number }))
    .sort((a, b) => a.score - b.score);
  const frauds = rows.filter(({ isFraud }) => isFraud).length;
  let [below, sum] = [0, 0];
  for (let i = 0; i < sorted.length; ) {
    let j = i;
    const tied = [0, 0];
    for (; j < sorted.length && sorted[j]?.score === sorted[i]?.score; j++)
      tied[Number(sorted[j]?.isFraud)] = (tied[Number(sorted[j]?.isFraud)] as number) + 1;
    sum += (tied[1] as number) * (below + (tied[0] as number) / 2);
    below += tied[0] as number;
    i = j;
  }
  return sum / (frauds * (rows.length - frauds));
};

test.each([
  ['training', () => randomWorlds(31, 26, 2500)],
  ['judging', () => judgingWorlds(31, 24, 2500)],
] as const)('the format of payments in %s worlds does not show which are fraud', (_, worlds) => {
  const names = ['all', ...Object.keys(FORMATS)];
  const sums = names.map(() => 0);
  let count = 0;
  for (const options of worlds()) {
    const rows = rowsOf(options);
    const heldOut = rows.filter(({ isHeldOut }) => isHeldOut);
    if (heldOut.filter(({ isFraud }) => isFraud).length < 20) continue;
    const score = fit(rows.filter(({ isHeldOut }) => !isHeldOut));
    count++;
    names.forEach((_name, i) => {
      const scores = heldOut.map((row) => score(row, i === 0 ? undefined : i - 1));
      sums[i] = (sums[i] as number) + aucOf(scores, heldOut);
    });
  }
  expect(count).toBeGreaterThan(12);
  const means = names.map((name, i) => ({ name, auc: (sums[i] as number) / count }));
  expect(means.filter(({ name, auc }) => auc > (name === 'all' ? 0.62 : 0.58))).toEqual([]);
});
