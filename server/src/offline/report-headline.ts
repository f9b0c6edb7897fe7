import { html, type Part } from '../html/html.ts';
import type { BacktestResult } from './measures.ts';
import type { ByDecision } from './measures-result.ts';
import { count, counted, decimals, dollars, percent } from './report-words.ts';

const flaggedOf = ({ review, block }: ByDecision): number => review + block;
const allOf = ({ allow, review, block }: ByDecision): number => allow + review + block;

const fraudText = ({ frauds, decisions_by_label, dollars_by_label }: BacktestResult): Part => {
  const caught = flaggedOf(decisions_by_label.fraud);
  const money = dollars_by_label?.fraud;
  const share = money === undefined || allOf(money) === 0 ? undefined : flaggedOf(money) / allOf(money);
  return html`<strong>${count(caught)}</strong> of ${counted(frauds, 'fraud')} would have been caught:
<strong>${percent(caught / frauds)}</strong> of the cases${share === undefined ? '' : html` and <strong>${percent(share)}</strong> of the amount`}`;
};

const legitimateText = ({ legitimates, decisions_by_label }: BacktestResult): Part => {
  const wrong = flaggedOf(decisions_by_label.legitimate);
  return html`<strong>${count(wrong)}</strong> of ${counted(legitimates, 'legitimate item')} would have been
${wrong === 1 ? 'a false positive' : 'false positives'}: <strong>${percent(wrong / legitimates)}</strong>`;
};

const unlabelledText = ({ unlabelled, decisions_by_label: { unlabelled: decisions } }: BacktestResult): Part =>
  html`Of ${counted(unlabelled, 'item')} without a label, ${count(decisions.review)} would have been held and
${count(decisions.block)} blocked: <strong>${percent(flaggedOf(decisions) / unlabelled)}</strong>`;

/** The result in one sentence, as far as labels allow. */
export const headline = (result: BacktestResult): Part => {
  const { rows, frauds, legitimates, unlabelled } = result;
  if (rows === 0) return html`<p class="headline">No item was tested: the file has no items in the tested period.</p>`;
  const sentences = [
    frauds > 0 ? fraudText(result) : undefined,
    legitimates > 0 ? legitimateText(result) : undefined,
    frauds + legitimates === 0 ? unlabelledText(result) : undefined,
  ].filter((part) => part !== undefined);
  const missing =
    frauds + legitimates === 0
      ? 'No item has a label, so the report shows decisions but not their quality.'
      : frauds === 0
        ? 'No item is labelled as fraud, so the report shows false positives but no recall.'
        : legitimates === 0
          ? 'No item is labelled as legitimate, so the report shows recall but no false positives.'
          : undefined;
  return html`<p class="headline">${sentences.map((part, i) => (i === 0 ? part : html`; ${part}`))}.</p>
${missing === undefined ? '' : html`<p class="note">${missing}</p>`}
${unlabelled > 0 && frauds + legitimates > 0 ? html`<p class="note">${unlabelledText(result)}. They are not part of any metric of quality.</p>` : ''}`;
};

/** The main metrics of the served score, each with its meaning. They need items of both labels. */
export const tiles = (result: BacktestResult): Part => {
  const { served } = result;
  if (served.auc_roc === null) return undefined;
  const amount = result.dollars_by_label?.fraud;
  const tile = (value: string, name: string, meaning: string): Part =>
    html`<div class="tile"><dt>${name}</dt><dd><b>${value}</b><span>${meaning}</span></dd></div>`;
  return html`<dl class="tiles">
${amount === undefined || allOf(amount) === 0 ? '' : tile(dollars(flaggedOf(amount)), 'Fraud amount caught', `of ${dollars(allOf(amount))}`)}
${tile(decimals(served.auc_roc, 4), 'AUC ROC', 'the probability that a fraud scores above a legitimate item')}
${tile(decimals(served.average_precision, 4), 'Average precision', 'the mean precision over all thresholds')}
${tile(percent(served.recall_at_0_1_percent_fp), 'Recall at 0.1 % FPR', 'at one false positive in 1,000 legitimate items')}
${tile(percent(served.recall_at_1_percent_fp), 'Recall at 1 % FPR', 'at one false positive in 100 legitimate items')}
</dl>`;
};
