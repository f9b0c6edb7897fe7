/** Markup that may stand in the page as it is. Only `html` makes it, so nothing reaches the page without being escaped. */
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

/** Text between the parts is markup, the parts are text unless they were made by `html` themselves. */
export const html = (markup: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(String.raw({ raw: markup }, ...parts.map(render)));

/** What goes between the others: `join(', ')` of parts. */
export const between = (parts: readonly Part[], separator: Part): Part =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));

/** An anchor's name made of what a document calls something. */
export const anchor = (kind: string, name: string): string => `${kind}-${name.replaceAll(/[^A-Za-z0-9_.]+/g, '-')}`;

/** A long name that may go on in the next line where it hurts least. */
export const breakable = (name: string): Part => name.split(/(?<=[/._])/).map((piece) => html`${piece}<wbr>`);

const CODE = /`([^`]+)`/;

/** Text with `code` in it. */
export const inline = (text: string): Part =>
  // The pattern has a group, so what it found stands at every odd place.
  text.split(CODE).map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));

/** As much Markdown as descriptions use: paragraphs and `code`. */
export const paragraphs = (text: string | undefined): Part =>
  (text ?? '')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${inline(paragraph)}</p>`);

/** Rows of a table that is read on a phone too, where cells stand below each other and `role` says what they still are. */
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
