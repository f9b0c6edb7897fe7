import { createHash } from 'node:crypto';
import { type Html, html, type Part } from '../html/html.ts';
import type { BacktestResult } from './measures.ts';
import { calibrationChart, distributionChart, logRocChart, precisionRecallChart, rocChart } from './report-charts.ts';
import { weekCharts } from './report-charts-weeks.ts';
import { headline, tiles } from './report-headline.ts';
import { SCRIPT } from './report-script.ts';
import {
  attacksSection,
  calibrationTable,
  decisionsSection,
  signalsSection,
  thresholdsSection,
  weeksTable,
} from './report-sections.ts';
import { moneyTable, servedTable } from './report-served.ts';
import { STYLE } from './report-style.ts';
import { count, counted } from './report-words.ts';

/** The circumstances of a backtest. */
export interface AboutBacktest {
  readonly file: string;
  readonly model: string;
  readonly policy: string;
  readonly test_from: string | null;
  readonly test_until: string | null;
  readonly label_delay: string;
  readonly train_days: number | null;
  readonly made_at: string;
  readonly items_per_second: number;
}

const logo = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M4 22V10a8 8 0 0 1 16 0v12M8 22V4.5M12 23V2M16 22V4.5M4 11h16M4 16h16" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/></svg>`;

const hashOf = ({ markup }: Html): string => `'sha256-${createHash('sha256').update(markup).digest('base64')}'`;

/** The report can be mailed and opened anywhere, so it loads nothing and runs only its own script. */
const POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; base-uri 'none'; form-action 'none'`;

const aboutList = (result: BacktestResult, about: AboutBacktest): Part => {
  const entry = (name: string, value: Part): Part => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="about">
${entry('Items tested', count(result.rows))}
${entry('From', about.test_from ?? 'the first item')}
${entry('Until', about.test_until ?? 'the last item')}
${entry('Model', about.model)}
${entry('Trained on', about.train_days === null ? 'other data' : `${counted(about.train_days, 'day')} before the test`)}
${entry('Labels known after', about.label_delay)}
${entry('Policy', about.policy)}
${entry('Speed', Number.isFinite(about.items_per_second) ? `${count(about.items_per_second)} items per second` : 'not measured')}
${entry('Created', about.made_at)}
</dl>`;
};

const qualitySection = (result: BacktestResult): Part =>
  html`<section aria-labelledby="quality"><h2 id="quality">Ranking</h2>
${
  result.auc_roc === null
    ? html`<p>ROC and precision-recall curves need items of both labels.</p>
<div class="pair">${distributionChart(result)}</div>`
    : html`<p>The served score is what decides: the model, signal points and rules together. The curves show the model over all thresholds; the marked points are the decisions of the tested policy.</p>
${servedTable(result)}
<div class="pair">${rocChart(result)}${logRocChart(result)}${precisionRecallChart(result)}${distributionChart(result)}</div>`
}</section>`;

const calibrationSection = (result: BacktestResult): Part =>
  result.auc_roc === null
    ? undefined
    : html`<section aria-labelledby="predictions"><h2 id="predictions">Calibration</h2>
<div class="pair">${calibrationChart(result)}${calibrationTable(result)}</div></section>`;

const weeksSection = (result: BacktestResult): Part =>
  html`<section aria-labelledby="weeks"><h2 id="weeks">Week by week</h2>
${
  result.weeks.length < 2
    ? html`<p>All items are in one week. Drift needs at least two weeks.</p>`
    : html`<div class="pair">${weekCharts(result.weeks)}</div>`
}
${weeksTable(result)}</section>`;

/** Writes the report as one self-contained page. It works offline, without scripts and on paper. */
export const writeReport = (result: BacktestResult, about: AboutBacktest): string => {
  // Only the file name: its folder means nothing to other readers.
  const name = about.file.slice(Math.max(about.file.lastIndexOf('/'), about.file.lastIndexOf('\\')) + 1);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Backtest of ${name}</title>
<style>${STYLE}</style>
</head>
<body>
<header>${logo} Portcullis</header>
<main>
<h1>Backtest of ${name}</h1>
${headline(result)}
${tiles(result)}
${aboutList(result, about)}
${
  result.rows === 0
    ? ''
    : [
        decisionsSection(result, moneyTable(result)),
        thresholdsSection(result),
        qualitySection(result),
        signalsSection(result),
        attacksSection(result),
        calibrationSection(result),
        weeksSection(result),
      ]
}
</main>
<footer><p>Amounts are in US dollars. Items were decided in the order of time, each with the data known at its time.</p></footer>
<script>${SCRIPT}</script>
</body>
</html>
`.markup;
};
