import { html, type Part } from '../http/docs-html.ts';
import { rounded } from './report-plot.ts';

export interface Column {
  readonly head: string;
  /** Figures stand right, below each other; bars and words stand left. */
  readonly figures?: boolean;
}

export interface Row {
  readonly head: Part;
  readonly cells: readonly Part[];
  /** Attributes of the row, for the script. */
  readonly data?: Part;
}

/** It may be wider than a phone: then it is the table that is moved, not the page, and keys can move it too. */
export const reportTable = (caption: string, columns: readonly Column[], rows: readonly Row[], id = ''): Part => html`
<div class="wide" role="region" aria-label="${caption}" tabindex="0">
<table${id === '' ? '' : html` id="${id}"`}><caption>${caption}</caption>
<thead><tr>${columns.map(({ head, figures }) => html`<th scope="col"${figures ? html` class="figures"` : ''}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
  ({ head, cells, data }) =>
    html`<tr${data}><th scope="row">${head}</th>${cells.map((cell, i) => html`<td${columns[i + 1]?.figures ? html` class="figures"` : ''}>${cell}</td>`)}</tr>\n`,
)}</tbody></table></div>`;

/** Shares of a whole beside each other. What it shows also stands there in figures, so it is not read out. */
export const rod = (parts: readonly (readonly [kind: string, share: number])[]): Part => {
  // What exists is seen, however little it is; what is large makes room for it.
  const wanted = parts.map(([, share]) => (share === 0 ? 0 : Math.max(0.8, share * 100)));
  const fit =
    100 /
    Math.max(
      100,
      wanted.reduce((sum, width) => sum + width, 0),
    );
  const ends = wanted.map((_, i) => rounded(wanted.slice(0, i + 1).reduce((sum, width) => sum + width, 0) * fit));
  return html`<svg class="rod" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" width="100" height="8"/>${parts.map(
    ([kind], i) => {
      const from = ends[i - 1] ?? 0;
      return html`<rect class="${kind}" x="${from}" width="${rounded((ends[i] as number) - from)}" height="8"/>`;
    },
  )}</svg>`;
};
