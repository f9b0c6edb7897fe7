import { breakable, html, type Part } from '../html/html.ts';
import type { BacktestResult } from './measures.ts';
import type { ByDecision, ThresholdRow } from './measures-result.ts';
import { thresholdCharts } from './report-charts-thresholds.ts';
import { keyOf } from './report-plot.ts';
import { bar, type Column, reportTable } from './report-tables.ts';
import { count, counted, decimals, dollars, NONE, percent } from './report-words.ts';

const figures = (head: string): Column => ({ head, figures: true });
const withShare = (part: number, whole: number): Part =>
  whole === 0 ? count(part) : html`${count(part)} <small>${percent(part / whole)}</small>`;
const total = ({ allow, review, block }: ByDecision): number => allow + review + block;

export const decisionsSection = (
  { decisions_by_label: decisions, dollars_by_label: money }: BacktestResult,
  amounts: Part,
): Part => {
  const row = (head: string, by: ByDecision | undefined, format: (value: number) => Part) => {
    if (by === undefined || total(by) === 0) return [];
    const all = total(by);
    const cell = (value: number): Part => html`${format(value)} <small>${percent(value / all)}</small>`;
    const shares = bar([
      ['good', by.allow / all],
      ['held', by.review / all],
      ['fraud', by.block / all],
    ]);
    return [{ head, cells: [shares, cell(by.allow), cell(by.review), cell(by.block)] }];
  };
  return html`<section aria-labelledby="decisions"><h2 id="decisions">Decisions</h2>
<p>Fraud should be held or blocked, and legitimate items allowed.</p>
${keyOf([
  ['good', 'Allow'],
  ['held', 'Review'],
  ['fraud', 'Block'],
])}
${reportTable(
  'Decisions by label',
  [{ head: 'Items' }, { head: 'Share' }, figures('Allow'), figures('Review'), figures('Block')],
  [
    ...row('Fraud', decisions.fraud, count),
    ...row('Fraud amount', money?.fraud, dollars),
    ...row('Legitimate', decisions.legitimate, count),
    ...row('Legitimate amount', money?.legitimate, dollars),
    ...row('Unlabelled', decisions.unlabelled, count),
  ],
)}
${amounts}</section>`;
};

/** The values that the slider shows, as data attributes of the row. */
const dataOf = (row: ThresholdRow, result: BacktestResult): Part => {
  const caught = result.frauds > 0 ? percent(row.fraud_share_caught) : undefined;
  const summary = [
    `Score ${row.score}`,
    caught === undefined ? undefined : `recall ${caught}`,
    row.fraud_dollars_caught === null ? undefined : `${dollars(row.fraud_dollars_caught)} caught`,
    result.legitimates > 0
      ? counted(row.legitimates_flagged, 'false positive')
      : `${count(row.items_flagged)} items held`,
  ].filter((part) => part !== undefined);
  return html` data-score="${row.score}" data-summary="${summary.join(', ')}"
 data-recall="${caught ?? ''}" data-cases="${`${count(row.frauds_caught)} of ${counted(result.frauds, 'fraud')}`}"
 data-amount="${dollars(row.fraud_dollars_caught)}" data-missed="${`${dollars(row.fraud_dollars_missed)} missed`}"
 data-wrong="${count(row.legitimates_flagged)}" data-share="${`${percent(row.legitimate_share_flagged)} of the legitimate items`}"
 data-held="${count(row.items_flagged)}" data-dollars="${row.fraud_dollars_caught ?? 0}" data-count="${row.legitimates_flagged}"`;
};

const sliderPanel = (result: BacktestResult): Part => {
  const { thresholds, thresholds_in_force: inForce, frauds, legitimates } = result;
  const hasAmounts = result.dollars_by_label !== null && frauds > 0;
  const tile = (name: string, show: string, more?: string): Part =>
    html`<div class="tile"><dt>${name}</dt><dd><b data-show="${show}"></b>${more === undefined ? '' : html`<span data-show="${more}"></span>`}</dd></div>`;
  const at = thresholds.findIndex((row) => row.score === inForce.review);
  return html`<div class="slider card" id="slider" hidden>
<label for="threshold">Hold items with a score of at least <b data-show="score"></b></label>
<input id="threshold" type="range" min="0" max="${thresholds.length - 1}" step="1" value="${at}">
<dl class="tiles">${frauds > 0 ? tile('Recall', 'recall', 'cases') : ''}
${hasAmounts ? tile('Fraud amount caught', 'amount', 'missed') : ''}
${legitimates > 0 ? tile('False positives', 'wrong', 'share') : tile('Items held', 'held')}</dl>
${
  hasAmounts && legitimates > 0
    ? html`<p class="worth"><label for="cost">Cost of a false positive: <span class="unit">$</span></label>
<input id="cost" type="number" min="0" step="1" value="10" inputmode="decimal"> <span>This threshold saves <b id="worth"></b>. The best threshold is <b id="best"></b> and saves <b id="best-worth"></b>.</span></p>`
    : ''
}</div>`;
};

const budgetText = ({ budget, thresholds_by_budget: found }: BacktestResult): Part => {
  const { reviewed_per_10k: reviewed, blocked_per_10k: blocked } = budget;
  return html`<p>Budget: of 10,000 legitimate items, ${reviewed} may be held and ${blocked} blocked. ${
    found === null
      ? 'No thresholds are proposed: there are fewer than 1,000 such items, or none stay within it.'
      : `The lowest thresholds within it: review from ${found.review}, block from ${found.block}.`
  } Items without a label count as legitimate here.</p>`;
};

export const thresholdsSection = (result: BacktestResult): Part => {
  const { thresholds, thresholds_in_force: inForce, thresholds_by_budget: byBudget, frauds, legitimates } = result;
  const hasAmounts = result.dollars_by_label !== null;
  const badge = (is: boolean, name: string): Part => (is ? html` <span class="badge">${name}</span>` : '');
  const columns: (readonly [string, boolean, (row: ThresholdRow) => Part])[] = [
    ['Items held', true, (row) => count(row.items_flagged)],
    ['Frauds caught (recall)', frauds > 0, (row) => withShare(row.frauds_caught, frauds)],
    ['Fraud amount caught', frauds > 0 && hasAmounts, (row) => dollars(row.fraud_dollars_caught)],
    ['Fraud amount missed', frauds > 0 && hasAmounts, (row) => dollars(row.fraud_dollars_missed)],
    ['False positives (rate)', legitimates > 0, (row) => withShare(row.legitimates_flagged, legitimates)],
    ['Legitimate amount held', legitimates > 0 && hasAmounts, (row) => dollars(row.legitimate_dollars_held)],
    ['Precision', frauds > 0 && legitimates > 0, (row) => percent(row.precision)],
  ];
  const used = columns.filter(([, use]) => use);
  return html`<section aria-labelledby="where"><h2 id="where">Thresholds</h2>
<p>In force: review from ${inForce.review}, block from ${inForce.block}. These numbers depend only on the score, without lists and rules that force a decision.</p>
${budgetText(result)}
${sliderPanel(result)}
<div class="pair">${thresholdCharts(result)}</div>
${reportTable(
  'Metrics by threshold',
  [{ head: 'Threshold' }, ...used.map(([head]) => figures(head))],
  thresholds.map((row) => ({
    head: html`${row.score}${badge(row.score === inForce.review, 'review')}${badge(row.score === inForce.block, 'block')}${badge(row.score === byBudget?.review, 'review by budget')}${badge(row.score === byBudget?.block, 'block by budget')}`,
    cells: used.map(([, , format]) => format(row)),
    data: dataOf(row, result),
  })),
  'thresholds',
)}</section>`;
};

const MAX_SIGNALS = 20;

const intervalOf = ({ precision_low: low, precision_high: high }: BacktestResult['top_signals'][number]): string =>
  low === null ? NONE : `${percent(low)} to ${percent(high)}`;

export const signalsSection = ({ top_signals: signals, frauds, legitimates }: BacktestResult): Part => {
  const labelled = frauds + legitimates > 0;
  const shareBar = (kind: string, share: number | null): Part =>
    html`<span class="measure">${bar([[kind, share ?? 0]])}<span>${percent(share)}</span></span>`;
  return html`<section aria-labelledby="signals"><h2 id="signals">Signals</h2>
<p>${
    labelled
      ? 'A good signal has two long bars: it is active on much of the fraud and on few legitimate items. A short second bar means many false positives.'
      : 'The number of items on which each signal was active. Recall and precision need labels.'
  }</p>
${
  signals.length === 0
    ? html`<p class="note">No signal was active on any item.</p>`
    : reportTable(
        signals.length > MAX_SIGNALS ? `The first ${MAX_SIGNALS} signals` : 'All active signals',
        [
          { head: 'Signal' },
          ...(frauds > 0 ? [{ head: 'Recall' }] : []),
          ...(labelled ? [{ head: 'Precision' }, figures('95 % interval'), figures('Frauds')] : []),
          figures('Items'),
        ],
        signals.slice(0, MAX_SIGNALS).map((signal) => ({
          head: html`<code>${breakable(signal.name)}</code>`,
          cells: [
            ...(frauds > 0 ? [shareBar('fraud', signal.fraud_share)] : []),
            ...(labelled ? [shareBar('legitimate', signal.precision), intervalOf(signal), count(signal.frauds)] : []),
            count(signal.items),
          ],
        })),
      )
}</section>`;
};

export const attacksSection = ({ attacks }: BacktestResult): Part =>
  attacks.length === 0
    ? undefined
    : html`<section aria-labelledby="attacks"><h2 id="attacks">Attacks</h2>
<p>The share of each attack that was blocked or held for review.</p>
${keyOf([
  ['fraud', 'Block'],
  ['held', 'Review'],
  ['unknown', 'Allow'],
])}
${reportTable(
  'Attacks by name',
  [{ head: 'Attack' }, { head: 'Decisions' }, figures('Review or block'), figures('Block'), figures('Items')],
  attacks.map(({ name, items, flagged, blocked }) => ({
    head: html`<code>${breakable(name)}</code>`,
    cells: [
      bar([
        ['fraud', blocked / items],
        ['held', (flagged - blocked) / items],
        ['unknown', (items - flagged) / items],
      ]),
      withShare(flagged, items),
      withShare(blocked, items),
      count(items),
    ],
  })),
)}</section>`;

export const calibrationTable = ({ calibration }: BacktestResult): Part =>
  reportTable(
    'Predicted and actual share of fraud',
    [{ head: 'Probability' }, figures('Items'), figures('Mean prediction'), figures('Actual share')],
    calibration.map((bin) => ({
      head: `${decimals(bin.from * 100, 0)} to ${percent(bin.to)}`,
      cells: [count(bin.items), percent(bin.mean_probability), percent(bin.fraud_share)],
    })),
  );

export const weeksTable = ({ weeks }: BacktestResult): Part =>
  reportTable(
    'Weeks, each from Monday (UTC)',
    [
      { head: 'Week of' },
      ...['Items', 'Frauds', 'Average score', 'Review or block', 'AUC ROC', 'Average precision', 'Drift (PSI)'].map(
        figures,
      ),
    ],
    weeks.map((week) => ({
      head: html`<time datetime="${week.week_start}">${week.week_start}</time>`,
      cells: [
        count(week.items),
        count(week.frauds),
        decimals(week.average_score, 1),
        percent(week.flagged_share),
        decimals(week.auc_roc, 3),
        decimals(week.average_precision, 3),
        decimals(week.population_stability_index, 3),
      ],
    })),
  );
