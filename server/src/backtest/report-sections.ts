import { breakable, html, type Part } from '../http/docs-html.ts';
import type { BacktestResult } from './measures.ts';
import type { ByDecision, ThresholdRow } from './measures-result.ts';
import { thresholdCharts } from './report-charts-thresholds.ts';
import { keyOf } from './report-plot.ts';
import { type Column, reportTable, rod } from './report-tables.ts';
import { count, counted, decimals, dollars, percent } from './report-words.ts';

const figures = (head: string): Column => ({ head, figures: true });
const withShare = (part: number, whole: number): Part =>
  whole === 0 ? count(part) : html`${count(part)} <small>${percent(part / whole)}</small>`;
const total = ({ allow, review, block }: ByDecision): number => allow + review + block;

export const decisionsSection = ({ decisions_by_label: decisions, dollars_by_label: money }: BacktestResult): Part => {
  const row = (head: string, by: ByDecision | undefined, say: (value: number) => Part) => {
    if (by === undefined || total(by) === 0) return [];
    const all = total(by);
    const cell = (value: number): Part => html`${say(value)} <small>${percent(value / all)}</small>`;
    const bar = rod([
      ['good', by.allow / all],
      ['held', by.review / all],
      ['fraud', by.block / all],
    ]);
    return [{ head, cells: [bar, cell(by.allow), cell(by.review), cell(by.block)] }];
  };
  return html`<section aria-labelledby="decisions"><h2 id="decisions">What would have been decided</h2>
<p>Each bar is one kind of item: fraud should be red or amber, the honest green.</p>
${keyOf([
  ['good', 'Allowed'],
  ['held', 'Held for review'],
  ['fraud', 'Blocked'],
])}
${reportTable(
  'Decisions by label',
  [{ head: 'Items' }, { head: 'Share' }, figures('Allowed'), figures('Held for review'), figures('Blocked')],
  [
    ...row('Fraud', decisions.fraud, count),
    ...row('Money of fraud', money?.fraud, dollars),
    ...row('Honest', decisions.legitimate, count),
    ...row('Money of the honest', money?.legitimate, dollars),
    ...row('Without a label', decisions.unlabelled, count),
  ],
)}</section>`;
};

/** What the slider shows; the script finds each in the row of the table. */
const shown = (row: ThresholdRow, result: BacktestResult): Part => {
  const caught = result.frauds > 0 ? percent(row.fraud_share_caught) : undefined;
  const says = [
    `Score ${row.score}`,
    caught === undefined ? undefined : `${caught} of fraud caught`,
    row.fraud_dollars_caught === null ? undefined : `${dollars(row.fraud_dollars_caught)} saved`,
    result.legitimates > 0
      ? `${count(row.legitimates_flagged)} customers bothered`
      : `${count(row.items_flagged)} items held`,
  ].filter((part) => part !== undefined);
  return html` data-score="${row.score}" data-says="${says.join(', ')}"
 data-caught="${caught ?? ''}" data-cases="${`${count(row.frauds_caught)} of ${counted(result.frauds, 'fraud')}`}"
 data-saved="${dollars(row.fraud_dollars_caught)}" data-missed="${`${dollars(row.fraud_dollars_missed)} missed`}"
 data-bothered="${count(row.legitimates_flagged)}" data-share="${`${percent(row.legitimate_share_flagged)} of the honest items`}"
 data-held="${count(row.items_flagged)}" data-dollars="${row.fraud_dollars_caught ?? 0}" data-people="${row.legitimates_flagged}"`;
};

const sliderPanel = (result: BacktestResult): Part => {
  const { thresholds, thresholds_in_force: inForce, frauds, legitimates } = result;
  const money = result.dollars_by_label !== null && frauds > 0;
  const tile = (name: string, show: string, more?: string): Part =>
    html`<div class="tile"><dt>${name}</dt><dd><b data-show="${show}"></b>${more === undefined ? '' : html`<span data-show="${more}"></span>`}</dd></div>`;
  const at = thresholds.findIndex((row) => row.score === inForce.review);
  return html`<div class="slider card" id="slider" hidden>
<label for="threshold">Hold everything that scores at least <b data-show="score"></b></label>
<input id="threshold" type="range" min="0" max="${thresholds.length - 1}" step="1" value="${at}">
<dl class="tiles">${frauds > 0 ? tile('Fraud caught', 'caught', 'cases') : ''}
${money ? tile('Money saved', 'saved', 'missed') : ''}
${legitimates > 0 ? tile('Customers bothered', 'bothered', 'share') : tile('Items held', 'held')}</dl>
${
  money && legitimates > 0
    ? html`<p class="worth"><label for="cost">If bothering one customer costs <span class="unit">$</span></label>
<input id="cost" type="number" min="0" step="1" value="10" inputmode="decimal"> <span>this threshold is worth <b id="worth"></b>; the best would be <b id="best"></b>, worth <b id="best-worth"></b>.</span></p>`
    : ''
}</div>`;
};

export const thresholdsSection = (result: BacktestResult): Part => {
  const { thresholds, thresholds_in_force: inForce, frauds, legitimates } = result;
  const money = result.dollars_by_label !== null;
  const columns: (readonly [string, boolean, (row: ThresholdRow) => Part])[] = [
    ['Items held', true, (row) => count(row.items_flagged)],
    ['Frauds caught', frauds > 0, (row) => withShare(row.frauds_caught, frauds)],
    ['Money saved', frauds > 0 && money, (row) => dollars(row.fraud_dollars_caught)],
    ['Money missed', frauds > 0 && money, (row) => dollars(row.fraud_dollars_missed)],
    ['Customers bothered', legitimates > 0, (row) => withShare(row.legitimates_flagged, legitimates)],
    ['Honest money held', legitimates > 0 && money, (row) => dollars(row.legitimate_dollars_held)],
    ['Right when held', frauds > 0 && legitimates > 0, (row) => percent(row.precision)],
  ];
  const used = columns.filter(([, use]) => use);
  return html`<section aria-labelledby="where"><h2 id="where">Where to set the threshold</h2>
<p>In force: review from ${inForce.review}, block from ${inForce.block}. By score alone; lists and rules that decide by themselves are not in these numbers.</p>
${sliderPanel(result)}
<div class="pair">${thresholdCharts(result)}</div>
${reportTable(
  'If everything from a score on were held',
  [{ head: 'Score from' }, ...used.map(([head]) => figures(head))],
  thresholds.map((row) => ({
    head: html`${row.score}${row.score === inForce.review ? html` <span class="badge">review</span>` : ''}${row.score === inForce.block ? html` <span class="badge">block</span>` : ''}`,
    cells: used.map(([, , say]) => say(row)),
    data: shown(row, result),
  })),
  'thresholds',
)}</section>`;
};

const MOST_SIGNALS = 20;

export const signalsSection = ({ top_signals: signals, frauds, legitimates }: BacktestResult): Part => {
  const labelled = frauds + legitimates > 0;
  const bar = (kind: string, share: number | null): Part =>
    html`<span class="measure">${rod([[kind, share ?? 0]])}<span>${percent(share)}</span></span>`;
  return html`<section aria-labelledby="signals"><h2 id="signals">${labelled ? 'What gave fraud away' : 'Signals'}</h2>
<p>${
    labelled
      ? 'A good signal has both bars long: it is on much of the fraud, and on little else. A short second bar means that it bothers the honest.'
      : 'How often each was active. Which of them are on fraud only labels can tell.'
  }</p>
${
  signals.length === 0
    ? html`<p class="note">No signal was active on any item.</p>`
    : reportTable(
        signals.length > MOST_SIGNALS ? `The first ${MOST_SIGNALS} signals` : 'All signals that were active',
        [
          { head: 'Signal' },
          ...(frauds > 0 ? [{ head: 'Share of fraud it was on' }] : []),
          ...(labelled ? [{ head: 'Fraud among what it was on' }] : []),
          ...(labelled ? [figures('Frauds')] : []),
          figures('Items'),
        ],
        signals.slice(0, MOST_SIGNALS).map((signal) => ({
          head: html`<code>${breakable(signal.name)}</code>`,
          cells: [
            ...(frauds > 0 ? [bar('fraud', signal.fraud_share)] : []),
            ...(labelled ? [bar('honest', signal.precision)] : []),
            ...(labelled ? [count(signal.frauds)] : []),
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
<p>The longer the bar, the more of an attack is stopped; what is grey came through.</p>
${keyOf([
  ['fraud', 'Blocked'],
  ['held', 'Held for review'],
  ['unknown', 'Came through'],
])}
${reportTable(
  'Attacks by name',
  [{ head: 'Attack' }, { head: 'Stopped or held' }, figures('Stopped or held'), figures('Blocked'), figures('Items')],
  attacks.map(({ name, items, flagged, blocked }) => ({
    head: html`<code>${breakable(name)}</code>`,
    cells: [
      rod([
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
    'Predicted and actual, in tenths',
    [{ head: 'Probability' }, figures('Items'), figures('Predicted'), figures('Actual')],
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
      ...['Items', 'Frauds', 'Average score', 'Held or blocked', 'Area under ROC', 'Average precision', 'Drift'].map(
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
