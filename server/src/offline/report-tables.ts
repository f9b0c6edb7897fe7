import { html, type Part } from '../html/html.ts';
import { rounded } from './report-plot.ts';

export interface Column {
  readonly head: string;
  /** Right-aligned, for numbers. */
  readonly figures?: boolean;
}

export interface Row {
  readonly head: Part;
  readonly cells: readonly Part[];
  /** Data attributes of the row, for the script. */
  readonly data?: Part;
}

/** A table that scrolls by itself if it is wider than the page, also with the keyboard. */
export const reportTable = (caption: string, columns: readonly Column[], rows: readonly Row[], id = ''): Part => html`
<div class="wide" role="region" aria-label="${caption}" tabindex="0">
<table${id === '' ? '' : html` id="${id}"`}><caption>${caption}</caption>
<thead><tr>${columns.map(({ head, figures }) => html`<th scope="col"${figures ? html` class="figures"` : ''}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
  ({ head, cells, data }) =>
    html`<tr${data}><th scope="row">${head}</th>${cells.map((cell, i) => html`<td${columns[i + 1]?.figures ? html` class="figures"` : ''}>${cell}</td>`)}</tr>\n`,
)}</tbody></table></div>`;

/** A stacked bar of shares. Hidden from screen readers, because the table has the same numbers. */
export const bar = (parts: readonly (readonly [kind: string, share: number])[]): Part => {
  // A small share stays visible; large shares make room for it.
  const wanted = parts.map(([, share]) => (share === 0 ? 0 : Math.max(0.8, share * 100)));
  const fit =
    100 /
    Math.max(
      100,
      wanted.reduce((sum, width) => sum + width, 0),
    );
  const ends = wanted.map((_, i) => rounded(wanted.slice(0, i + 1).reduce((sum, width) => sum + width, 0) * fit));
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" width="100" height="8"/>${parts.map(
    ([kind], i) => {
      const from = ends[i - 1] ?? 0;
      return html`<rect class="${kind}" x="${from}" width="${rounded((ends[i] as number) - from)}" height="8"/>`;
    },
  )}</svg>`;
};
