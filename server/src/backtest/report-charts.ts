import { html, type Part } from '../http/docs-html.ts';
import type { BacktestResult } from './measures.ts';
import {
  ACROSS,
  type Axis,
  BOTTOM,
  chart,
  countAxis,
  dot,
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

/** What the thresholds in force do, as shares: the policy decides by scores, lists and rules, so it may lie off the curve. */
const pointsInForce = ({ decisions_by_label: { fraud, legitimate }, frauds, legitimates }: BacktestResult) =>
  (
    [
      ['held', 'Held or blocked', fraud.review + fraud.block, legitimate.review + legitimate.block],
      ['blocked', 'Blocked', fraud.block, legitimate.block],
    ] as const
  ).map(([kind, word, caught, wrong]) => ({
    kind,
    word,
    recall: caught / frauds,
    wrong: wrong / legitimates,
    precision: caught + wrong === 0 ? undefined : caught / (caught + wrong),
  }));

const IN_FORCE = [
  ['held round', 'Held or blocked'],
  ['fraud', 'Blocked'],
] as const;

const inForceOnRoc = (result: BacktestResult, x: Axis, y: Axis): Part =>
  pointsInForce(result).map(({ kind, word, recall, wrong }) =>
    dot(kind, x.at(wrong), y.at(recall), `${word}: ${percent(recall)} of fraud, ${percent(wrong)} of the honest`),
  );

export const rocChart = (result: BacktestResult): Part => {
  const x = shareAxis('Share of honest items flagged', ACROSS);
  const y = shareAxis('Share of fraud found', UP);
  const points = result.roc_curve.map((at) => [x.at(at.false_positive_share), y.at(at.recall)] as const);
  return chart({
    id: 'roc',
    title: 'ROC curve',
    reading:
      'The further the curve bends to the upper left, the better fraud is told from the rest; the dashed line is guessing.',
    says: `Share of fraud found against share of honest items flagged. The area under the curve is ${decimals(result.auc_roc, 4)}.`,
    x,
    y,
    key: IN_FORCE,
    body: html`<path class="guess" d="M${LEFT} ${BOTTOM}L${RIGHT} ${TOP}"/>
<path class="under" d="M${LEFT} ${BOTTOM}${points.map(([px, py]) => `L${px} ${py}`)}L${RIGHT} ${BOTTOM}Z"/>${line('main', points)}
${inForceOnRoc(result, x, y)}`,
  });
};

export const logRocChart = (result: BacktestResult): Part => {
  const decades = Math.min(5, Math.max(2, Math.ceil(Math.log10(result.legitimates))));
  const lowest = 10 ** -decades;
  const x = logarithmicAxis('Share of honest items flagged, logarithmic', [lowest, 1], ACROSS, percent);
  const y = shareAxis('Share of fraud found', UP);
  return chart({
    id: 'roc-log',
    title: 'ROC curve where few are bothered',
    reading:
      'The same curve with its left end stretched: follow a share of bothered customers up to the fraud it buys.',
    says: `At 0.1 % of honest items flagged, ${percent(result.recall_at_0_1_percent_fp)} of fraud is found; at 1 %, ${percent(result.recall_at_1_percent_fp)}.`,
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
  const x = shareAxis('Share of fraud found', ACROSS);
  const y = shareAxis('Share of flagged items that are fraud', UP);
  const base = result.frauds / (result.frauds + result.legitimates);
  return chart({
    id: 'precision-recall',
    title: 'Precision and recall',
    reading: 'The further right, the more fraud is found; the higher, the fewer of the flagged items are false alarms.',
    says: `Average precision is ${decimals(result.average_precision, 4)}; guessing would reach ${percent(base)}.`,
    x,
    y,
    key: IN_FORCE,
    body: html`<path class="guess" d="M${LEFT} ${y.at(base)}H${RIGHT}"/>
${line(
  'main',
  result.precision_recall_curve.map((at) => [x.at(at.recall), y.at(at.precision)]),
)}
${pointsInForce(result).map(({ kind, word, recall, precision }) =>
  precision === undefined
    ? undefined
    : dot(kind, x.at(recall), y.at(precision), `${word}: ${percent(recall)} of fraud, right in ${percent(precision)}`),
)}`,
  });
};

const KINDS = [
  ['fraud', 'fraud', 'Fraud'],
  ['legitimate', 'honest', 'Honest'],
  ['unlabelled', 'unknown', 'Without a label'],
] as const;

/** Both thresholds, with the words kept apart where they stand close together. */
export const marksInForce = (
  { thresholds_in_force: { review, block } }: BacktestResult,
  at: (score: number) => number,
): Part => [mark(at(review), `review ${review}`, 'end'), mark(at(block), `block ${block}`, 'start')];

export const distributionChart = (result: BacktestResult): Part => {
  const { score_distribution: bins } = result;
  const kinds = KINDS.filter(([kind]) => bins.some((bin) => bin[kind] > 0));
  const most = Math.max(...bins.flatMap((bin) => kinds.map(([kind]) => bin[kind])));
  const x = linearAxis('Score', [0, 100], ACROSS, [0, 20, 40, 60, 80, 100], String);
  const y = countAxis('Items, logarithmic', most, shortCount);
  const width = (x.at(5) - x.at(0) - 3) / Math.max(1, kinds.length);
  return chart({
    id: 'distribution',
    title: 'Scores by label',
    reading:
      kinds.length > 1
        ? 'A good score keeps the colours apart: honest items to the left, fraud to the right of the thresholds.'
        : 'What stands to the right of a threshold is held or blocked.',
    says: kinds
      .map(
        ([kind, , word]) =>
          `${word}: ${bins
            .filter((bin) => bin[kind] > 0)
            .map((bin) => `${count(bin[kind])} at ${bin.from} to ${bin.to}`)
            .join(', ')}.`,
      )
      .join(' '),
    x,
    y,
    key: kinds.map(([, kind, word]) => [kind, word] as const),
    body: html`${bins.flatMap((bin) =>
      kinds.map(([kind, color, word], i) =>
        bin[kind] === 0
          ? undefined
          : html`<rect class="${color}" x="${rounded(x.at(bin.from) + 1.5 + i * width)}" y="${y.at(bin[kind])}" width="${rounded(width)}" height="${rounded(BOTTOM - y.at(bin[kind]))}"><title>${word}, ${bin.from} to ${bin.to}: ${count(bin[kind])}</title></rect>`,
      ),
    )}${marksInForce(result, x.at)}`,
  });
};

export const calibrationChart = ({ calibration, frauds, legitimates }: BacktestResult): Part => {
  const x = shareAxis('Probability that was predicted', ACROSS);
  const y = shareAxis('Share that was fraud', UP);
  const bins = calibration.filter((bin) => bin.items > 0);
  const size = (items: number): number => rounded(3 + 4 * (Math.log(items + 1) / Math.log(frauds + legitimates + 1)));
  const points = bins.map((bin) => [x.at(bin.mean_probability ?? 0), y.at(bin.fraud_share ?? 0)] as const);
  return chart({
    id: 'calibration',
    title: 'Predicted and actual',
    reading:
      'On the dashed line, of the items called 30 % likely 30 % are fraud; below it, risk is overstated. Larger dots hold more items.',
    says: bins
      .map((bin) => `Predicted ${percent(bin.mean_probability)}, actual ${percent(bin.fraud_share)}.`)
      .join(' '),
    x,
    y,
    body: html`<path class="guess" d="M${LEFT} ${BOTTOM}L${RIGHT} ${TOP}"/>${line('main', points)}
${bins.map((bin, i) => html`<circle class="dot" cx="${points[i]?.[0]}" cy="${points[i]?.[1]}" r="${size(bin.items)}"><title>Predicted ${percent(bin.mean_probability)}, actual ${percent(bin.fraud_share)}, ${count(bin.items)} items</title></circle>`)}`,
  });
};
