import { anchor, between, breakable, html, inline, type Part, paragraphs } from '../html/html.ts';
import { commandPanel, curlOf, jsonPanel, panel } from './code.ts';
import { type Document, jsonOf, nameFor, nameOf, type PathOperation, parametersOf } from './document.ts';
import { fieldTable, parameterTable, typeOf } from './fields.ts';

export const badge = (method: string): Part => html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** A table of the operation's own parameters, and links to the headers that all operations share. */
const parameters = (document: Document, { operation }: PathOperation): Part => {
  const all = parametersOf(document, operation);
  const own = all.filter((_, index) => operation.parameters?.[index]?.$ref === undefined);
  const shared = (operation.parameters ?? []).flatMap(({ $ref }, index) =>
    $ref === undefined
      ? []
      : html`<a class="ref" href="#${anchor('header', nameOf($ref))}"><code>${all[index]?.name ?? ''}</code></a>`,
  );
  if (all.length === 0) return undefined;
  return html`<h4>Parameters</h4>
${parameterTable(
  `Parameters of ${nameFor(operation)}`,
  own.map((of) => ['', of]),
)}
${shared.length === 0 ? undefined : html`<p class="shared">Optional headers: ${between(shared, ', ')}.</p>`}`;
};

const request = (document: Document, { operation }: PathOperation): Part => {
  const body = jsonOf(operation.requestBody);
  if (body === undefined) return undefined;
  return html`<h4>Request body <span class="of">${typeOf(body.schema ?? {})}</span></h4>
${fieldTable(document, body.schema, `Request body of ${nameFor(operation)}`, 'caller')}`;
};

const isError = (status: string): boolean => status >= '4';

const responses = (document: Document, { operation }: PathOperation): Part =>
  Object.entries(operation.responses ?? {})
    .filter(([status]) => !isError(status))
    .map(([status, response]) => {
      const body = jsonOf(response);
      return html`<h4>Response <span class="status ok">${status}</span>${body === undefined ? undefined : html` <span class="of">${typeOf(body.schema ?? {})}</span>`}</h4>
${paragraphs(response.description)}
${fieldTable(document, body?.schema, `Response ${status} of ${nameFor(operation)}`, 'service')}`;
    });

/** Error codes, linked to their rows in the table of errors. */
const codes = (description: string): Part =>
  description
    .split(/(`[^`]+`)/)
    .map((piece) =>
      piece.startsWith('`')
        ? html`<a class="ref" href="#${anchor('error', piece.slice(1, -1))}">${inline(piece)}</a>`
        : inline(piece),
    );

const errors = ({ operation }: PathOperation): Part => {
  const failing = Object.entries(operation.responses ?? {}).filter(([status]) => isError(status));
  if (failing.length === 0) return undefined;
  return html`<h4>Errors</h4>
<dl class="errors">${failing.map(
    ([status, { description = '' }]) =>
      html`<div><dt><span class="status bad">${status}</span></dt><dd>${codes(description)}</dd></div>`,
  )}</dl>`;
};

const examples = (document: Document, placed: PathOperation): Part => {
  const { operation } = placed;
  const name = nameFor(operation);
  return html`<div class="examples">
${commandPanel('Request', `Example request: ${name}`, curlOf(document, placed))}
${Object.entries(operation.responses ?? {})
  .filter(([status]) => !isError(status))
  .map(([status, response]) => {
    const example = jsonOf(response)?.example;
    const title = html`Response <span class="code">${status}</span>`;
    return example === undefined
      ? panel(title, `Example response: ${name}`, html`<span class="c">No body</span>`)
      : jsonPanel(title, `Example response: ${name}`, example);
  })}
</div>`;
};

export const operationSection = (document: Document, placed: PathOperation): Part => {
  const { method, path, operation } = placed;
  const id = anchor('op', operation.operationId);
  return html`
<article class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="prose">
<h3 id="${id}-title"><a href="#${id}">${nameFor(operation)}</a></h3>
<p class="route">${badge(method)} <code>${breakable(path)}</code></p>
${paragraphs(operation.description)}
${parameters(document, placed)}
${request(document, placed)}
${responses(document, placed)}
${errors(placed)}
</div>
${examples(document, placed)}
</article>`;
};
