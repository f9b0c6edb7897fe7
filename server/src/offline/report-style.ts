import { html } from '../html/html.ts';

/** Text has a contrast of at least 4.5 to 1 and graphics of at least 3 to 1, in both colour schemes. */
export const STYLE = html`
:root {
  color-scheme: light dark;
  --page: #f4f6fa; --card: #ffffff; --line: #dfe4ec; --rail: #e3e7ee; --text: #1b2333; --soft: #566074; --mark: #4a5be0;
  --fraud: #c8373f; --legitimate: #3566d6; --unknown: #768196; --good: #22855a; --held: #bd7a0c; --tint: #eef1fb;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f141f; --card: #161d2b; --line: #2a3449; --rail: #2a3449; --text: #e4e9f3; --soft: #a3aec4; --mark: #8a9bff;
    --fraud: #ff7d7a; --legitimate: #7ea6ff; --unknown: #8d99b0; --good: #4fc48d; --held: #f0b64c; --tint: #1d2740;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; border-radius: 3px; }
code { font: .9em var(--mono); overflow-wrap: anywhere; }
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.5rem; }
header { display: flex; align-items: center; gap: .55rem; padding-top: 1.25rem; font-weight: 600; }
header svg { color: var(--mark); flex: none; }
h1 { font-size: 1.05rem; line-height: 1.4; margin: 1.75rem 0 .5rem; color: var(--soft); font-weight: 600; }
h2 { font-size: 1.5rem; line-height: 1.3; letter-spacing: -.01em; margin: 0 0 .4rem; }
h3 { font-size: 1.05rem; line-height: 1.35; margin: 0 0 .15rem; }
p { margin: 0 0 .9rem; max-width: 52rem; }
.headline { font-size: 1.7rem; line-height: 1.4; letter-spacing: -.012em; max-width: 58rem; margin-bottom: 1rem; text-wrap: pretty; }
.headline strong { color: var(--mark); font-weight: 700; }
.note { color: var(--soft); }
section { margin-top: 3.25rem; }
section > p { color: var(--soft); }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .9rem; margin: 1.5rem 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: .85rem 1rem; }
.tile dt { color: var(--soft); font-size: .82rem; font-weight: 600; }
.tile dd { margin: 0; }
.tile b { display: block; font-size: 1.65rem; line-height: 1.3; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.tile span { display: block; color: var(--soft); font-size: .82rem; line-height: 1.4; }
.about { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: .6rem 1.5rem; margin: 0; padding: 1rem 0 0; border-top: 1px solid var(--line);
  font-size: .875rem; }
.about dt { color: var(--soft); font-size: .78rem; font-weight: 600; }
.about dd { margin: 0; overflow-wrap: anywhere; }

.pair { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); gap: 1.1rem; margin: 1.1rem 0; }
figure.card { display: flex; flex-direction: column; }
figure.card > .chart { margin-top: auto; }
.card { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.1rem 1.25rem; break-inside: avoid; }
figcaption p { color: var(--soft); font-size: .9rem; line-height: 1.45; margin: 0 0 .5rem; min-height: 2.9em; }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .85rem; margin: 0 0 .35rem; color: var(--text); }
.key svg { vertical-align: -1px; }
.chart { display: block; width: 100%; height: auto; overflow: visible; }
.chart text { font: 12px var(--sans); fill: var(--soft); font-variant-numeric: tabular-nums; }
.chart .name { font-weight: 600; }
.chart .word { fill: var(--text); font-weight: 600; paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
.grid { stroke: var(--line); fill: none; } .axis { stroke: var(--soft); fill: none; }
.chance { stroke: var(--soft); stroke-dasharray: 2 5; stroke-width: 1.5; stroke-linecap: round; fill: none; }
.mark { stroke: var(--text); stroke-dasharray: 5 4; stroke-width: 1.2; fill: none; }
.foot { stroke: var(--text); stroke-width: 3; fill: none; }
.current { stroke: var(--mark); stroke-width: 3; stroke-opacity: .55; fill: none; }
.line { fill: none; stroke-width: 2.6; stroke-linejoin: round; stroke-linecap: round; }
.line.main, .line.false-positives { stroke: var(--legitimate); } .line.missed { stroke: var(--fraud); } .line.caught { stroke: var(--good); }
.under { fill: var(--legitimate); fill-opacity: .1; }
.dot { fill: var(--mark); stroke: var(--card); stroke-width: 2; }
.round { rx: 6px; }
.fraud { fill: var(--fraud); } .legitimate { fill: var(--legitimate); } .unknown { fill: var(--unknown); }
.good { fill: var(--good); } .held { fill: var(--held); } .rail { fill: var(--rail); }

.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: .4rem .85rem .6rem; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; line-height: 1.45; font-variant-numeric: tabular-nums; }
caption { text-align: left; text-indent: .4rem; color: var(--soft); font-size: .82rem; font-weight: 600; padding: .5rem 0 .3rem; }
th { text-align: left; font-weight: 600; }
thead th { color: var(--soft); font-size: .8rem; vertical-align: bottom; }
th, td { padding: .42rem 1.1rem .42rem 0; border-bottom: 1px solid var(--line); }
th:first-child { padding-left: .4rem; } th:last-child, td:last-child { padding-right: .4rem; }
tbody tr:last-child > * { border-bottom: 0; }
.figures { text-align: right; white-space: nowrap; }
thead .figures { white-space: normal; }
small { color: var(--soft); font-size: .8rem; display: inline-block; min-width: 3.6em; }
.badge { font-size: .72rem; font-weight: 700; color: var(--mark); background: var(--tint); border-radius: 5px; padding: .1rem .4rem; white-space: nowrap; }
tr.chosen > * { background: var(--tint); }
.bar { display: inline-block; vertical-align: middle; flex: 1; width: 100%; min-width: 5rem; max-width: 16rem; height: .65rem; border-radius: 3px; margin-right: .5rem; }
.measure { display: flex; align-items: center; white-space: nowrap; }
.measure span { min-width: 4em; text-align: right; }
tbody th { min-width: 7.5rem; }
#thresholds tbody th { min-width: 5.5rem; }

.slider { margin: 1.1rem 0; }
.slider > label { font-weight: 600; font-size: 1.1rem; }
.slider > label b { display: inline-block; min-width: 1.6em; color: var(--mark); }
input[type="range"] { display: block; width: 100%; margin: .75rem 0 0; accent-color: var(--mark); height: 1.75rem; }
.slider .tiles { margin: .75rem 0; }
.slider .tile { background: var(--tint); border-color: transparent; }
.worth { margin: 0; max-width: none; }
input[type="number"] { width: 5.5rem; font: inherit; padding: .15rem .4rem; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: 6px; }
footer { padding-top: 2.5rem; padding-bottom: 2rem; color: var(--soft); font-size: .875rem; }

@media (max-width: 36rem) {
  header, main, footer { padding-left: 1rem; padding-right: 1rem; }
  .headline { font-size: 1.3rem; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .6rem; }
  .tile:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .tile { padding: .7rem .8rem; } .tile b { font-size: 1.35rem; }
  .card { padding: .9rem .8rem; }
  .chart text { font-size: 14px; }
  figcaption p { min-height: 0; }
  .wide { padding-left: .5rem; padding-right: .5rem; }
  section { margin-top: 2.5rem; }
}
@media print {
  :root { --page: #ffffff; }
  body { font-size: 10pt; }
  .slider, .current { display: none; }
  header, main, footer { max-width: none; padding-left: 0; padding-right: 0; }
  .pair { grid-template-columns: 1fr 1fr; }
  .wide { overflow: visible; border: 0; padding: 0; }
  tr, .tile { break-inside: avoid; }
  h2, h2 + p { break-after: avoid; }
  section { margin-top: 1.75rem; }
}
`;
