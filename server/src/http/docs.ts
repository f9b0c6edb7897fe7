import { type Document, nameFor, operationsOf, type Placed, requestSchemas } from './docs-document.ts';
import { guide } from './docs-guide.ts';
import { anchor, html, type Part, paragraphs } from './docs-html.ts';
import { membersOf } from './docs-members.ts';
import { badge, operationSection } from './docs-operation.ts';
import { STYLE } from './docs-style.ts';

interface Group {
  readonly name: string;
  readonly description: string | undefined;
  readonly operations: readonly Placed[];
}

/** In the order of the document's tags; what has no tag of the document comes last. */
const groupsOf = (document: Document): readonly Group[] => {
  const byTag = Map.groupBy(operationsOf(document), ({ operation }) => operation.tags?.[0] ?? 'Other');
  const tags = (document.tags ?? []).map(({ name, description }) => ({ name, description }));
  const rest = [...byTag.keys()].filter((name) => !tags.some((tag) => tag.name === name));
  return [...tags, ...rest.map((name) => ({ name, description: undefined }))]
    .map((tag) => ({ ...tag, operations: byTag.get(tag.name) ?? [] }))
    .filter(({ operations }) => operations.length > 0);
};

const list = (label: string, items: Part): Part => html`<p class="group">${label}</p><ul>${items}</ul>`;

const contents = (document: Document, groups: readonly Group[]): Part => html`
<nav id="contents" aria-label="Contents">
<p class="close"><a href="#top">Close</a></p>
${list(
  'Guide',
  guide(document).map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`),
)}
${groups.map(({ name, operations }) =>
  list(
    name,
    operations.map(
      ({ method, operation }) =>
        html`<li><a href="#${anchor('op', operation.operationId)}"><span>${nameFor(operation)}</span> ${badge(method)}</a></li>`,
    ),
  ),
)}
${list(
  'Schemas',
  Object.keys(document.components?.schemas ?? {}).map(
    (name) => html`<li><a href="#${anchor('schema', name)}">${name}</a></li>`,
  ),
)}
</nav>`;

const schemas = (document: Document): Part => {
  const requested = requestSchemas(document);
  return html`
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>
${Object.entries(document.components?.schemas ?? {}).map(
  ([name, schema]) => html`
<section class="schema prose" id="${anchor('schema', name)}"><h3><a href="#${anchor('schema', name)}">${name}</a></h3>
${paragraphs(schema.description)}
${membersOf(document, schema, `Members of ${name}`, requested.has(name) ? 'caller' : 'service')}</section>`,
)}
</section>`;
};

const logo = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M4 22V10a8 8 0 0 1 16 0v12M8 22V4.5M12 23V2M16 22V4.5M4 11h16M4 16h16" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/></svg>`;

/**
 * The reference as one page that needs nothing else: no script, no font, no image. It works offline and under a policy that
 * allows inline styles alone.
 */
export const docsPage = (document: Document): string => {
  const { title, version, summary, description } = document.info;
  const groups = groupsOf(document);
  return html`<!doctype html>
<html lang="en" id="top">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API reference</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><a class="brand" href="#top">${logo} ${title}</a><span class="version">v${version}</span><a class="raw" href="/openapi.json">OpenAPI</a><a class="menu" href="#contents">Contents</a></header>
${contents(document, groups)}
<main id="main" tabindex="-1">
<div class="lead"><h1>${title} API reference</h1>
<p class="summary">${summary ?? ''}</p>
${paragraphs(description)}</div>
${guide(document).map(
  ({ id, title: heading, text }) =>
    html`<section class="prose" id="${id}"><h2><a href="#${id}">${heading}</a></h2>${text}</section>`,
)}
${groups.map(
  ({ name, description: about, operations }) => html`
<section class="tag" aria-labelledby="${anchor('tag', name)}"><h2 id="${anchor('tag', name)}">${name}</h2>
${paragraphs(about)}
${operations.map((placed) => operationSection(document, placed))}
</section>`,
)}
${schemas(document)}
</main>
<footer><p>${title} ${version}. The same as data: <a href="/openapi.json">openapi.json</a></p></footer>
</body>
</html>
`.markup;
};
