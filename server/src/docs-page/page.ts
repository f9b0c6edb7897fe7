import { anchor, html, type Part, paragraphs } from '../html/html.ts';
import { type Document, nameFor, operationsOf, type PathOperation, requestSchemas } from './document.ts';
import { fieldTable } from './fields.ts';
import { introduction } from './introduction.ts';
import { type GuideLink, guideLinks, layout, linkGroup } from './layout.ts';
import { badge, operationSection } from './operation.ts';

interface Group {
  readonly name: string;
  readonly description: string | undefined;
  readonly operations: readonly PathOperation[];
}

/** Operations by tag, in the order of the document's tags. Operations without a tag come last. */
const groupsOf = (document: Document): readonly Group[] => {
  const byTag = Map.groupBy(operationsOf(document), ({ operation }) => operation.tags?.[0] ?? 'Other');
  const tags = (document.tags ?? []).map(({ name, description }) => ({ name, description }));
  const rest = [...byTag.keys()].filter((name) => !tags.some((tag) => tag.name === name));
  return [...tags, ...rest.map((name) => ({ name, description: undefined }))]
    .map((tag) => ({ ...tag, operations: byTag.get(tag.name) ?? [] }))
    .filter(({ operations }) => operations.length > 0);
};

const contents = (document: Document, groups: readonly Group[], guides: readonly GuideLink[]): Part => [
  linkGroup(
    'Introduction',
    introduction(document).map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`),
  ),
  guideLinks(guides),
  groups.map(({ name, operations }) =>
    linkGroup(
      name,
      operations.map(
        ({ method, operation }) =>
          html`<li><a href="#${anchor('op', operation.operationId)}"><span>${nameFor(operation)}</span> ${badge(method)}</a></li>`,
      ),
    ),
  ),
  linkGroup(
    'Schemas',
    Object.keys(document.components?.schemas ?? {}).map(
      (name) => html`<li><a href="#${anchor('schema', name)}">${name}</a></li>`,
    ),
  ),
];

const schemas = (document: Document): Part => {
  const requested = requestSchemas(document);
  return html`
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>
${Object.entries(document.components?.schemas ?? {}).map(
  ([name, schema]) => html`
<section class="schema prose" id="${anchor('schema', name)}"><h3><a href="#${anchor('schema', name)}">${name}</a></h3>
${paragraphs(schema.description)}
${fieldTable(document, schema, `Fields of ${name}`, requested.has(name) ? 'caller' : 'service')}</section>`,
)}
</section>`;
};

/** The API reference as one page. It works offline and without script. */
export const docsPage = (document: Document, guides: readonly GuideLink[] = []): string => {
  const { title, version, summary, description } = document.info;
  const groups = groupsOf(document);
  return layout({
    product: title,
    version,
    title: `${title} API reference`,
    contents: contents(document, groups, guides),
    main: html`<div class="lead"><h1>${title} API reference</h1>
<p class="summary">${summary ?? ''}</p>
${paragraphs(description)}</div>
${introduction(document).map(
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
${schemas(document)}`,
  });
};
