import {
  EVENT_STREAM,
  NEWEST_API_VERSION,
  type Operation,
  type OperationId,
  operations,
  permissionText,
  TAGS,
} from '@portcullis/contract';
import type { TSchema } from 'typebox';
import { comment, fileNameOf, HEADER, nameOf } from './client-types.ts';

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** A tag in the spelling of operation names: `API keys` becomes `ApiKeys`. */
const nounOf = (tag: string): string =>
  tag
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('');

/** The client's name of an operation, without repeating the resource: `listListEntries` of `Lists` is `lists.listEntries`. */
export const methodOf = (id: string, { tag }: Operation): { resource: string; method: string } => {
  const noun = nounOf(tag);
  const singular = noun.replace(/s$/, '');
  return { resource: lowerFirst(noun), method: id.replace(new RegExp(`(?<=[a-z])(?:${noun}|${singular})`), '') };
};

const descriptionOf = (of: Operation): string[] => {
  const { summary, description, errors = [] } = of;
  return [
    `${summary}.`,
    ...(description === undefined ? [] : ['', ...description.split('\n')]),
    '',
    `${permissionText(of)}${errors.length === 0 ? '' : ` Specific errors: ${errors.map((code) => `\`${code}\``).join(', ')}.`}`,
  ];
};

const isEventStream = ({ streams = {} }: Operation): boolean => Object.values(streams).includes(EVENT_STREAM);

const isOptional = (schema: TSchema): boolean => ((schema as { required?: string[] }).required ?? []).length === 0;

const itemOf = (response: TSchema, items: string): { $id?: string } =>
  (response as unknown as Record<'properties', Record<string, { items: { $id?: string } }>>).properties[items]?.items ??
  {};

/** The method that iterates over all pages of a list operation. */
const iterationText = (method: string, of: Operation, params: readonly string[], request: string): string => {
  if (of.pages === undefined || of.query === undefined || of.response === undefined) return '';
  const { items, before, next } = of.pages;
  const [query, result] = [nameOf(of.query), nameOf(of.response)];
  const list = `(query: ${query}) => ${request}`;
  const byField =
    next === undefined
      ? `byCursor(${list}, query, (page) => page.${items}, (item) => item.${before})`
      : `byNext(${list}, query, (page) => page.${items}, (page) => page.${next})`;
  const [queryType, iterator] =
    before === undefined && next === undefined
      ? [`Omit<${query}, 'offset' | 'sort'>`, `byCreation(${list}, query)`]
      : [query, byField];
  const parameters = [...params, `query: ${queryType} = {}`, 'options?: CallOptions'].join(', ');
  const { $id: item = `${result}['${items}'][number]` } = itemOf(of.response, items);
  const [, ...more] = descriptionOf(of);
  return `${comment([`${of.summary}: iterates over all of them, and requests each page when it is needed.`, ...more])}${method.replace(/^list/, 'iterate')}: (${parameters}): AsyncGenerator<${item}, void, undefined> => ${iterator},`;
};

/** The method that listens to a stream of events. */
const listenText = (method: string, of: Operation): string => {
  const [query, event] = [nameOf(of.query as TSchema), nameOf(of.response as TSchema)];
  return `${comment(descriptionOf(of))}${method}: (query?: ${query}, options?: ListenOptions): AsyncGenerator<${event}, void, undefined> => listen<${event}>(call, '${of.path}', query, options),`;
};

const methodText = (method: string, of: Operation): string => {
  if (isEventStream(of)) return listenText(method, of);
  const { query, body, response } = of;
  const names = Object.keys(of.params ?? {});
  const params = names.map((name) => `${name}: string`);
  const isText = of.streams !== undefined;
  const result = isText ? 'string' : response === undefined ? 'void' : nameOf(response);
  const parameters = [
    ...params,
    ...(query === undefined ? [] : [`query${isOptional(query) ? '?' : ''}: ${nameOf(query)}`]),
    ...(body === undefined ? [] : [`body: ${nameOf(body)}`]),
    `options?: ${of.method === 'POST' ? 'PostOptions' : 'CallOptions'}`,
  ];
  const parts = [
    ...(names.length === 0 ? [] : [`params: { ${names.join(', ')} }`]),
    ...(query === undefined ? [] : ['query']),
    ...(body === undefined ? [] : ['body']),
    ...(isText ? ['isText: true'] : []),
  ];
  const request = `call<${result}>('${of.method}', '${of.path}', { ${parts.join(', ')} }, options)`;
  return `${comment(descriptionOf(of))}${method}: (${parameters.join(', ')}): Promise<${result}> => ${request},
${iterationText(method, of, params, request)}`;
};

const typesOf = (of: Operation): string[] => {
  const { query, body, response, pages } = of;
  const item = response && pages ? itemOf(response, pages.items).$id : undefined;
  return [
    ...[query, body, of.streams && !isEventStream(of) ? undefined : response]
      .filter((schema) => schema !== undefined)
      .map(nameOf),
    ...(item ? [item] : []),
  ];
};

const makerOf = (tag: string): string => `make${nounOf(tag)}`;

const resourceText = (tag: string): string => {
  const all = Object.entries(operations as Record<OperationId, Operation>).filter(([, of]) => of.tag === tag);
  const methods = all.map(([id, of]) => methodText(methodOf(id, of).method, of)).join('\n');
  const usedOf = (names: readonly string[]): string =>
    names.filter((name) => new RegExp(`\\b${name}\\b`).test(methods)).join(', ');
  const pages = usedOf(['byCreation', 'byCursor', 'byNext']);
  return `${HEADER}

import type { ${['Call', usedOf(['CallOptions', 'PostOptions'])].filter(Boolean).join(', ')} } from './call.ts';
${methods.includes('listen<') ? "import { type ListenOptions, listen } from './listen.ts';" : ''}
${pages === '' ? '' : `import { ${pages} } from './pages.ts';`}
import type { ${[...new Set(all.flatMap(([, of]) => typesOf(of)))].sort().join(', ')} } from './types.ts';

export const ${makerOf(tag)} = (call: Call) => ({
${methods}
});`;
};

/** Generates the methods of the client: one method per operation, one file per tag. */
export const clientResources = (): { file: string; text: string }[] => {
  const tags = Object.entries(TAGS);
  const files = tags.map(([tag]) => ({ file: `resource-${fileNameOf(tag)}`, text: resourceText(tag) }));
  const imports = tags.map(([tag]) => `import { ${makerOf(tag)} } from './resource-${fileNameOf(tag)}.ts';`);
  const resources = tags.map(
    ([tag, description]) => `${comment([description])}${lowerFirst(nounOf(tag))}: ${makerOf(tag)}(call),`,
  );
  const text = `${HEADER}

import type { Call } from './call.ts';
${imports.sort((a, b) => (a.slice(a.indexOf('./')) < b.slice(b.indexOf('./')) ? -1 : 1)).join('\n')}

/** The API release this client was generated for. It requests this release. */
export const API_VERSION = '${NEWEST_API_VERSION}';

export const makeResources = (call: Call) => ({
${resources.join('\n')}
});`;
  return [...files, { file: 'resources', text }];
};
