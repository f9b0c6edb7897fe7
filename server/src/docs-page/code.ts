import { html, type Part } from '../html/html.ts';
import { type Document, exampleNamed, jsonOf, type PathOperation, parametersOf } from './document.ts';
import { origin } from './layout.ts';

/** A string, with the colon that makes it a field name, or a number or word of JSON. */
const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** Marks names, strings and numbers of JSON for the style sheet. */
export const colorJson = (text: string): Part => {
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

/** A command. One click selects the whole of it, for readers without script. */
export const commandPanel = (title: string, label: string, content: Part): Part =>
  panel(title, label, content, 'command');

export const jsonPanel = (title: Part, label: string, value: unknown): Part =>
  panel(title, label, colorJson(pretty(value)));

const flag = (name: string): Part => html`<span class="f">${name}</span>`;
const quoted = (text: string): Part => html`<span class="s">"${text}"</span>`;

/** The path with example values, percent-encoded, and one query parameter where there are any. */
const pathOf = (document: Document, { path, operation }: PathOperation): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(exampleNamed(document, name)));
  const query = parametersOf(document, operation).find(
    (parameter) => parameter.in === 'query' && parameter.schema?.examples !== undefined,
  );
  if (query === undefined) return filled;
  return `${filled}?${query.name}=${encodeURIComponent(String(query.schema?.examples?.[0]))}`;
};

/** A command that works as printed once `PORTCULLIS_KEY` is set. */
export const curlOf = (document: Document, placed: PathOperation): Part => {
  const { method, operation } = placed;
  const body = jsonOf(operation.requestBody)?.example;
  const next: Part = ' \\\n  ';
  const verb: Part = method === 'GET' || method === 'POST' ? [] : [' ', flag('-X'), ` ${method}`];
  const data: Part =
    body === undefined
      ? []
      : [
          [next, flag('-H'), ' ', quoted('Content-Type: application/json')],
          // Within single quotes of the shell, only the quote itself is special.
          [next, flag('-d'), " '", colorJson(pretty(body).replaceAll("'", "'\\''")), "'"],
        ];
  return [
    'curl',
    verb,
    ' ',
    html`<span class="s">"${origin()}${pathOf(document, placed)}"</span>`,
    [next, flag('-H'), ' ', quoted('Authorization: Bearer $PORTCULLIS_KEY')],
    data,
  ];
};
