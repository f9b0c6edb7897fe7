import { html, type Part } from '../http/docs-html.ts';
import type { BacktestResult } from './measures.ts';
import { marksInForce } from './report-charts.ts';
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

const scoreAxis = (): Axis =>
  linearAxis('Score from which items are held', [0, 100], ACROSS, [0, 20, 40, 60, 80, 100], String);

/** Where the slider is. The script moves it, and shows it. */
const SLIDER = html`<path class="now" d="M${LEFT} ${TOP}V${BOTTOM}" visibility="hidden"/>`;

const moneyChart = (result: BacktestResult): Part => {
  const { thresholds } = result;
  const caught = thresholds.map((row) => row.fraud_dollars_caught ?? 0);
  const missed = thresholds.map((row) => row.fraud_dollars_missed ?? 0);
  const values = roundValues(Math.max(...caught, ...missed));
  const x = scoreAxis();
  const y = linearAxis('Money of fraud', [0, values.at(-1) as number], UP, values, shortDollars);
  const through = (sums: readonly number[]) =>
    thresholds.map((row, i) => [x.at(row.score), y.at(sums[i] as number)] as const);
  return chart({
    id: 'money',
    title: 'Money saved',
    reading:
      'Moving the threshold to the left saves more of the money that fraud would take; how steep it is tells what it buys.',
    says: thresholds.map((row) => `From ${row.score}: ${dollars(row.fraud_dollars_caught)} saved.`).join(' '),
    x,
    y,
    key: [
      ['good', 'Saved'],
      ['fraud', 'Missed'],
    ],
    body: html`${line('saved', through(caught))}${line('missed', through(missed))}${marksInForce(result, x.at)}${SLIDER}`,
  });
};

/** For a history without amounts. */
const caughtChart = (result: BacktestResult): Part => {
  const x = scoreAxis();
  const y = linearAxis('Share of fraud caught', [0, 1], UP, [0, 0.2, 0.4, 0.6, 0.8, 1], percent);
  return chart({
    id: 'caught',
    title: 'Fraud caught',
    reading: 'Moving the threshold to the left catches more fraud; how steep it is tells what it buys.',
    says: result.thresholds.map((row) => `From ${row.score}: ${percent(row.fraud_share_caught)}.`).join(' '),
    x,
    y,
    body: html`${line(
      'saved',
      result.thresholds.map((row) => [x.at(row.score), y.at(row.fraud_share_caught ?? 0)]),
    )}${marksInForce(result, x.at)}${SLIDER}`,
  });
};

/** Honest items that are flagged, or all that are where none is known to be honest. */
const botheredChart = (result: BacktestResult): Part => {
  const honest = result.legitimates > 0;
  const flagged = result.thresholds.map((row) => (honest ? row.legitimates_flagged : row.items_flagged));
  const x = scoreAxis();
  const y = countAxis(`${honest ? 'Honest items' : 'Items'} held, logarithmic`, Math.max(...flagged), shortCount);
  return chart({
    id: 'bothered',
    title: honest ? 'Customers bothered' : 'Items held',
    reading: honest
      ? 'The price of the money saved: honest items that would have been stopped or held from that score on.'
      : 'How many items would have been stopped or held from that score on.',
    says: result.thresholds.map((row, i) => `From ${row.score}: ${count(flagged[i] as number)}.`).join(' '),
    x,
    y,
    body: html`${line(
      honest ? 'bothered' : 'main',
      result.thresholds.map((row, i) => [x.at(row.score), y.at(flagged[i] as number)]),
    )}${marksInForce(result, x.at)}${SLIDER}`,
  });
};

export const thresholdCharts = (result: BacktestResult): Part => [
  result.frauds === 0 ? undefined : result.dollars_by_label === null ? caughtChart(result) : moneyChart(result),
  botheredChart(result),
];
