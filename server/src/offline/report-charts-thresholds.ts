import { html, type Part } from '../html/html.ts';
import type { BacktestResult } from './measures.ts';
import { marksByBudget, marksInForce } from './report-charts.ts';
import {
  ACROSS,
  type Axis,
  BOTTOM,
  chart,
  countAxis,
  LEFT,
  line,
  linearAxis,
  roundValues,
  TOP,
  UP,
} from './report-plot.ts';
import { count, dollars, percent, shortCount, shortDollars } from './report-words.ts';

const scoreAxis = (): Axis => linearAxis('Threshold', [0, 100], ACROSS, [0, 20, 40, 60, 80, 100], String);

/** The position of the slider. The script moves it and makes it visible. */
const SLIDER = html`<path class="current" d="M${LEFT} ${TOP}V${BOTTOM}" visibility="hidden"/>`;

const amountChart = (result: BacktestResult): Part => {
  const { thresholds } = result;
  const caught = thresholds.map((row) => row.fraud_dollars_caught ?? 0);
  const missed = thresholds.map((row) => row.fraud_dollars_missed ?? 0);
  const values = roundValues(Math.max(...caught, ...missed));
  const x = scoreAxis();
  const y = linearAxis('Fraud amount', [0, values.at(-1) as number], UP, values, shortDollars);
  const through = (sums: readonly number[]) =>
    thresholds.map((row, i) => [x.at(row.score), y.at(sums[i] as number)] as const);
  return chart({
    id: 'amount',
    title: 'Fraud amount caught',
    caption:
      'A lower threshold catches more of the fraud amount. A steep line means that a small step has a large effect.',
    description: thresholds.map((row) => `From ${row.score}: ${dollars(row.fraud_dollars_caught)} caught.`).join(' '),
    x,
    y,
    key: [
      ['good', 'Caught'],
      ['fraud', 'Missed'],
    ],
    body: html`${line('caught', through(caught))}${line('missed', through(missed))}${marksInForce(result, x.at)}${marksByBudget(result, x.at)}${SLIDER}`,
  });
};

/** For a history without amounts. */
const recallChart = (result: BacktestResult): Part => {
  const x = scoreAxis();
  const y = linearAxis('Recall', [0, 1], UP, [0, 0.2, 0.4, 0.6, 0.8, 1], percent);
  return chart({
    id: 'recall',
    title: 'Recall by threshold',
    caption: 'A lower threshold catches more fraud. A steep line means that a small step has a large effect.',
    description: result.thresholds.map((row) => `From ${row.score}: ${percent(row.fraud_share_caught)}.`).join(' '),
    x,
    y,
    body: html`${line(
      'caught',
      result.thresholds.map((row) => [x.at(row.score), y.at(row.fraud_share_caught ?? 0)]),
    )}${marksInForce(result, x.at)}${marksByBudget(result, x.at)}${SLIDER}`,
  });
};

/** False positives by threshold, or all held items if no item is labelled as legitimate. */
const falsePositivesChart = (result: BacktestResult): Part => {
  const hasLegitimate = result.legitimates > 0;
  const flagged = result.thresholds.map((row) => (hasLegitimate ? row.legitimates_flagged : row.items_flagged));
  const x = scoreAxis();
  const y = countAxis(
    `${hasLegitimate ? 'Legitimate items' : 'Items'} held, logarithmic`,
    Math.max(...flagged),
    shortCount,
  );
  return chart({
    id: 'false-positives',
    title: hasLegitimate ? 'False positives' : 'Items held',
    caption: hasLegitimate
      ? 'Legitimate items with at least this score: the cost of the fraud that is caught.'
      : 'Items with at least this score, which would be held or blocked.',
    description: result.thresholds.map((row, i) => `From ${row.score}: ${count(flagged[i] as number)}.`).join(' '),
    x,
    y,
    body: html`${line(
      hasLegitimate ? 'false-positives' : 'main',
      result.thresholds.map((row, i) => [x.at(row.score), y.at(flagged[i] as number)]),
    )}${marksInForce(result, x.at)}${marksByBudget(result, x.at)}${SLIDER}`,
  });
};

export const thresholdCharts = (result: BacktestResult): Part => [
  result.frauds === 0 ? undefined : result.dollars_by_label === null ? recallChart(result) : amountChart(result),
  falsePositivesChart(result),
];
