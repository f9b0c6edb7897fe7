import { html, type Part } from '../http/docs-html.ts';
import type { BacktestResult } from './measures.ts';
import type { ByDecision } from './measures-result.ts';
import { count, counted, decimals, dollars, percent } from './report-words.ts';

const flaggedOf = ({ review, block }: ByDecision): number => review + block;
const allOf = ({ allow, review, block }: ByDecision): number => allow + review + block;

const ofFraud = ({ frauds, decisions_by_label, dollars_by_label }: BacktestResult): Part => {
  const caught = flaggedOf(decisions_by_label.fraud);
  const money = dollars_by_label?.fraud;
  const share = money === undefined || allOf(money) === 0 ? undefined : flaggedOf(money) / allOf(money);
  return html`Of ${counted(frauds, 'fraud')}, <strong>${count(caught)}</strong> would have been stopped or held:
<strong>${percent(caught / frauds)}</strong> of the cases${share === undefined ? '' : html`, <strong>${percent(share)}</strong> of the money`}`;
};

const ofHonest = ({ legitimates, decisions_by_label }: BacktestResult): Part => {
  const bothered = flaggedOf(decisions_by_label.legitimate);
  return html`<strong>${count(bothered)}</strong> of ${counted(legitimates, 'honest item')} ${bothered === 1 ? 'was' : 'were'} bothered:
<strong>${percent(bothered / legitimates)}</strong>`;
};

const ofUnlabelled = ({ unlabelled, decisions_by_label: { unlabelled: decisions } }: BacktestResult): Part =>
  html`Of ${counted(unlabelled, 'item')} without a label, ${count(decisions.review)} would have been held and
${count(decisions.block)} blocked: <strong>${percent(flaggedOf(decisions) / unlabelled)}</strong>`;

/** The result in words, as far as there is one. */
export const headline = (result: BacktestResult): Part => {
  const { rows, frauds, legitimates, unlabelled } = result;
  if (rows === 0)
    return html`<p class="headline">Nothing was tested: the file holds no item in the period that was asked for.</p>`;
  const told = [
    frauds > 0 ? ofFraud(result) : undefined,
    legitimates > 0 ? ofHonest(result) : undefined,
    frauds + legitimates === 0 ? ofUnlabelled(result) : undefined,
  ].filter((part) => part !== undefined);
  const missing =
    frauds + legitimates === 0
      ? 'No item has a label, so this tells what would have been decided, and not whether it would have been right.'
      : frauds === 0
        ? 'No item is labelled as fraud, so this tells who is bothered, and not what is found.'
        : legitimates === 0
          ? 'No item is labelled as legitimate, so this tells what is found, and not who is bothered.'
          : undefined;
  return html`<p class="headline">${told.map((part, i) => (i === 0 ? part : html`; ${part}`))}.</p>
${missing === undefined ? '' : html`<p class="note">${missing}</p>`}
${unlabelled > 0 && frauds + legitimates > 0 ? html`<p class="note">${ofUnlabelled(result)}. They count in no measure of quality.</p>` : ''}`;
};

/** Four measures, each with what it means. Without items of both labels there are none. */
export const tiles = (result: BacktestResult): Part => {
  if (result.auc_roc === null) return undefined;
  const saved = result.dollars_by_label?.fraud;
  const tile = (value: string, name: string, meaning: string): Part =>
    html`<div class="tile"><dt>${name}</dt><dd><b>${value}</b><span>${meaning}</span></dd></div>`;
  return html`<dl class="tiles">
${saved === undefined || allOf(saved) === 0 ? '' : tile(dollars(flaggedOf(saved)), 'Money saved', `of ${dollars(allOf(saved))} that fraud would have taken`)}
${tile(decimals(result.auc_roc, 4), 'Area under ROC', 'the chance that a fraud scores above an honest item')}
${tile(decimals(result.average_precision, 4), 'Average precision', 'how clean the flagged items are, over all thresholds')}
${tile(percent(result.recall_at_0_1_percent_fp), 'Found at 0.1 %', 'of fraud, with one honest item in 1,000 flagged')}
${tile(percent(result.recall_at_1_percent_fp), 'Found at 1 %', 'of fraud, with one honest item in 100 flagged')}
</dl>`;
};
