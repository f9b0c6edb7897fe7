/** Markup that is not escaped again. Only `html` and `trustedHtml` make it. */
class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type { Html };

export type Part = Html | string | number | undefined | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const render = (part: Part): string => {
  if (part === undefined) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(render).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] as string);
};

/** Makes markup from a template. Its parts are escaped, except those that `html` or `trustedHtml` made. */
export const html = (markup: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(String.raw({ raw: markup }, ...parts.map(render)));

/** Markup made elsewhere from files of this repository. Never for text of a request or a document. */
export const trustedHtml = (markup: string): Html => new Html(markup);

/** The parts with a separator between them. */
export const between = (parts: readonly Part[], separator: Part): Part =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));

/** The id of an element, made from a name of the document. */
export const anchor = (kind: string, name: string): string => `${kind}-${name.replaceAll(/[^A-Za-z0-9_.]+/g, '-')}`;

/** A long name with places where a line may break. */
export const breakable = (name: string): Part => name.split(/(?<=[/._])/).map((piece) => html`${piece}<wbr>`);

const CODE = /`([^`]+)`/;

/** Text with `code` in it. */
export const inline = (text: string): Part =>
  // The pattern has one group, so every second piece is its match.
  text.split(CODE).map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));

/** The Markdown that descriptions use: paragraphs and `code`. */
export const paragraphs = (text: string | undefined): Part =>
  (text ?? '')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${inline(paragraph)}</p>`);

/** A table. On a phone its cells stand below each other, and `role` keeps it a table for screen readers. */
export const table = (
  label: string,
  heads: readonly string[],
  rows: readonly (readonly Part[])[],
  kind = 'plain',
): Part => html`
<table role="table" aria-label="${label}" class="${kind}">
<thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th role="columnheader" scope="col">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map((cells) => html`<tr role="row">${cells.map((cell) => html`<td role="cell">${cell}</td>`)}</tr>`)}</tbody>
</table>`;
