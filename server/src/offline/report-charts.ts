import { html, type Part } from '../html/html.ts';
import type { BacktestResult } from './measures.ts';
import {
  ACROSS,
  type Axis,
  BOTTOM,
  chart,
  countAxis,
  dot,
  footMark,
  LEFT,
  line,
  linearAxis,
  logarithmicAxis,
  mark,
  RIGHT,
  rounded,
  TOP,
  UP,
} from './report-plot.ts';
import { count, decimals, percent, shortCount } from './report-words.ts';

const FIFTHS = [0, 0.2, 0.4, 0.6, 0.8, 1];
const shareAxis = (label: string, ends: readonly [number, number]) => linearAxis(label, [0, 1], ends, FIFTHS, percent);

/** The decisions made, as points. They can be off the curve, because lists and rules also decide. */
const pointsInForce = ({ decisions_by_label: { fraud, legitimate }, frauds, legitimates }: BacktestResult) =>
  (
    [
      ['held', 'Review or block', fraud.review + fraud.block, legitimate.review + legitimate.block],
      ['blocked', 'Block', fraud.block, legitimate.block],
    ] as const
  ).map(([kind, label, caught, wrong]) => ({
    kind,
    label,
    recall: caught / frauds,
    falsePositiveRate: wrong / legitimates,
    precision: caught + wrong === 0 ? undefined : caught / (caught + wrong),
  }));

const IN_FORCE = [
  ['held round', 'Review or block'],
  ['fraud', 'Block'],
] as const;

const inForceOnRoc = (result: BacktestResult, x: Axis, y: Axis): Part =>
  pointsInForce(result).map(({ kind, label, recall, falsePositiveRate }) =>
    dot(
      kind,
      x.at(falsePositiveRate),
      y.at(recall),
      `${label}: recall ${percent(recall)}, false positive rate ${percent(falsePositiveRate)}`,
    ),
  );

export const rocChart = (result: BacktestResult): Part => {
  const x = shareAxis('False positive rate', ACROSS);
  const y = shareAxis('Recall', UP);
  const points = result.roc_curve.map((at) => [x.at(at.false_positive_share), y.at(at.recall)] as const);
  return chart({
    id: 'roc',
    title: 'ROC curve',
    caption: 'The closer the curve is to the upper left corner, the better. The dashed line is random guessing.',
    description: `Recall by false positive rate. The area under the curve is ${decimals(result.auc_roc, 4)}.`,
    x,
    y,
    key: IN_FORCE,
    body: html`<path class="chance" d="M${LEFT} ${BOTTOM}L${RIGHT} ${TOP}"/>
<path class="under" d="M${LEFT} ${BOTTOM}${points.map(([px, py]) => `L${px} ${py}`)}L${RIGHT} ${BOTTOM}Z"/>${line('main', points)}
${inForceOnRoc(result, x, y)}`,
  });
};

export const logRocChart = (result: BacktestResult): Part => {
  const decades = Math.min(5, Math.max(2, Math.ceil(Math.log10(result.legitimates))));
  const lowest = 10 ** -decades;
  const x = logarithmicAxis('False positive rate, logarithmic', [lowest, 1], ACROSS, percent);
  const y = shareAxis('Recall', UP);
  return chart({
    id: 'roc-log',
    title: 'ROC curve at low false positive rates',
    caption: 'The same curve on a logarithmic axis: the recall at false positive rates of practical interest.',
    description: `Recall is ${percent(result.recall_at_0_1_percent_fp)} at a false positive rate of 0.1 %, and ${percent(result.recall_at_1_percent_fp)} at 1 %.`,
    x,
    y,
    key: IN_FORCE,
    body: html`${[0.001, 0.01].filter((at) => at > lowest).map((at) => html`<path class="mark" d="M${x.at(at)} ${TOP}V${BOTTOM}"/>`)}
${line(
  'main',
  result.roc_curve.map((at) => [x.at(at.false_positive_share), y.at(at.recall)]),
)}
${inForceOnRoc(result, x, y)}`,
  });
};

export const precisionRecallChart = (result: BacktestResult): Part => {
  const x = shareAxis('Recall', ACROSS);
  const y = shareAxis('Precision', UP);
  const base = result.frauds / (result.frauds + result.legitimates);
  return chart({
    id: 'precision-recall',
    title: 'Precision and recall',
    caption: 'Further right, more fraud is caught. Higher, fewer of the flagged items are false positives.',
    description: `Average precision is ${decimals(result.average_precision, 4)}; random guessing reaches ${percent(base)}.`,
    x,
    y,
    key: IN_FORCE,
    body: html`<path class="chance" d="M${LEFT} ${y.at(base)}H${RIGHT}"/>
${line(
  'main',
  result.precision_recall_curve.map((at) => [x.at(at.recall), y.at(at.precision)]),
)}
${pointsInForce(result).map(({ kind, label, recall, precision }) =>
  precision === undefined
    ? undefined
    : dot(kind, x.at(recall), y.at(precision), `${label}: recall ${percent(recall)}, precision ${percent(precision)}`),
)}`,
  });
};

const KINDS = [
  ['fraud', 'fraud', 'Fraud'],
  ['legitimate', 'legitimate', 'Legitimate'],
  ['unlabelled', 'unknown', 'Unlabelled'],
] as const;

/** Both thresholds. Their labels point away from each other, because the thresholds can be close together. */
export const marksInForce = (
  { thresholds_in_force: { review, block } }: BacktestResult,
  at: (score: number) => number,
): Part => [mark(at(review), `review ${review}`, 'end'), mark(at(block), `block ${block}`, 'start')];

/** The thresholds within the budget, at the foot of a chart: at the top they would cover those in force. */
export const marksByBudget = ({ thresholds_by_budget: found }: BacktestResult, at: (score: number) => number): Part =>
  found === null
    ? undefined
    : [
        footMark(at(found.review), `budget: review ${found.review}`, 0),
        footMark(at(found.block), `budget: block ${found.block}`, 1),
      ];

export const distributionChart = (result: BacktestResult): Part => {
  const { score_distribution: bins } = result;
  const kinds = KINDS.filter(([kind]) => bins.some((bin) => bin[kind] > 0));
  const max = Math.max(...bins.flatMap((bin) => kinds.map(([kind]) => bin[kind])));
  const x = linearAxis('Score', [0, 100], ACROSS, [0, 20, 40, 60, 80, 100], String);
  const y = countAxis('Items, logarithmic', max, shortCount);
  const width = (x.at(5) - x.at(0) - 3) / Math.max(1, kinds.length);
  return chart({
    id: 'distribution',
    title: 'Scores by label',
    caption:
      kinds.length > 1
        ? 'Good scores separate the colours: legitimate items left, fraud right of the thresholds.'
        : 'Items right of a threshold are held for review or blocked.',
    description: kinds
      .map(
        ([kind, , label]) =>
          `${label}: ${bins
            .filter((bin) => bin[kind] > 0)
            .map((bin) => `${count(bin[kind])} at ${bin.from} to ${bin.to}`)
            .join(', ')}.`,
      )
      .join(' '),
    x,
    y,
    key: kinds.map(([, kind, label]) => [kind, label] as const),
    body: html`${bins.flatMap((bin) =>
      kinds.map(([kind, color, label], i) =>
        bin[kind] === 0
          ? undefined
          : html`<rect class="${color}" x="${rounded(x.at(bin.from) + 1.5 + i * width)}" y="${y.at(bin[kind])}" width="${rounded(width)}" height="${rounded(BOTTOM - y.at(bin[kind]))}"><title>${label}, ${bin.from} to ${bin.to}: ${count(bin[kind])}</title></rect>`,
      ),
    )}${marksInForce(result, x.at)}`,
  });
};

export const calibrationChart = ({ calibration, frauds, legitimates }: BacktestResult): Part => {
  const x = shareAxis('Predicted probability', ACROSS);
  const y = shareAxis('Actual share of fraud', UP);
  const bins = calibration.filter((bin) => bin.items > 0);
  const size = (items: number): number => rounded(3 + 4 * (Math.log(items + 1) / Math.log(frauds + legitimates + 1)));
  const points = bins.map((bin) => [x.at(bin.mean_probability ?? 0), y.at(bin.fraud_share ?? 0)] as const);
  return chart({
    id: 'calibration',
    title: 'Predicted and actual',
    caption:
      'On the dashed line, predictions are exact. Below it, they are too high. Larger dots stand for more items.',
    description: bins
      .map((bin) => `Predicted ${percent(bin.mean_probability)}, actual ${percent(bin.fraud_share)}.`)
      .join(' '),
    x,
    y,
    body: html`<path class="chance" d="M${LEFT} ${BOTTOM}L${RIGHT} ${TOP}"/>${line('main', points)}
${bins.map((bin, i) => html`<circle class="dot" cx="${points[i]?.[0]}" cy="${points[i]?.[1]}" r="${size(bin.items)}"><title>Predicted ${percent(bin.mean_probability)}, actual ${percent(bin.fraud_share)}, ${count(bin.items)} items</title></circle>`)}`,
  });
};
