import { type Document, exampleNamed, jsonOf, type Placed, parametersOf } from './docs-document.ts';
import { html, type Part } from './docs-html.ts';

/** A string with what makes it a member's name, or a number or word of JSON. */
const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

const colour = (text: string): Part => {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(end, match.index));
    if (string === undefined) parts.push(html`<span class="n">${whole}</span>`);
    else if (colon === undefined) parts.push(html`<span class="s">${string}</span>`);
    else parts.push(html`<span class="k">${string}</span>`, colon);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
};

const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

/** A panel that the keyboard can scroll. */
export const panel = (title: Part, label: string, content: Part, kind = ''): Part => html`
<figure class="panel ${kind}"><figcaption>${title}</figcaption><pre tabindex="0" role="group" aria-label="${label}"><code>${content}</code></pre></figure>`;

/** One click selects the whole of it: that is as near to a button as a page without script can come. */
export const commandPanel = (title: string, label: string, content: Part): Part =>
  panel(html`${title} <span class="hint">click to select</span>`, label, content, 'command');

export const jsonPanel = (title: Part, label: string, value: unknown): Part =>
  panel(title, label, colour(pretty(value)));

const flag = (name: string): Part => html`<span class="f">${name}</span>`;
const quoted = (text: string): Part => html`<span class="s">"${text}"</span>`;

/** Values go into the address as one would send them. Of the query, one parameter shows how. */
const addressOf = (document: Document, { path, operation }: Placed): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(exampleNamed(document, name)));
  const query = parametersOf(document, operation).find(
    (parameter) => parameter.in === 'query' && parameter.schema?.examples !== undefined,
  );
  if (query === undefined) return filled;
  return `${filled}?${query.name}=${encodeURIComponent(String(query.schema?.examples?.[0]))}`;
};

/** A command that runs as it stands once the two variables of the quick start are set. */
export const curlOf = (document: Document, placed: Placed): Part => {
  const { method, operation } = placed;
  const body = jsonOf(operation.requestBody)?.example;
  const next: Part = ' \\\n  ';
  const verb: Part = method === 'GET' || method === 'POST' ? [] : [' ', flag('-X'), ` ${method}`];
  const data: Part =
    body === undefined
      ? []
      : [
          [next, flag('-H'), ' ', quoted('Content-Type: application/json')],
          // Within the shell's single quotes only the quote itself has a meaning.
          [next, flag('-d'), " '", colour(pretty(body).replaceAll("'", "'\\''")), "'"],
        ];
  return [
    'curl',
    verb,
    ' ',
    quoted(`$PORTCULLIS_URL${addressOf(document, placed)}`),
    [next, flag('-H'), ' ', quoted('Authorization: Bearer $PORTCULLIS_KEY')],
    data,
  ];
};
