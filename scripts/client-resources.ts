import { NEWEST_API_VERSION, type Operation, type OperationId, operations, TAGS } from '@portcullis/contract';
import type { TSchema } from 'typebox';
import { comment, nameOf } from './client-types.ts';

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** `API keys` as it stands in names of operations: `ApiKeys`. */
const nounOf = (tag: string): string =>
  tag
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('');

/** What the client calls an operation: the name without what the resource says already. `listListEntries` of `Lists` is `lists.listEntries`. */
export const methodOf = (id: string, { tag }: Operation): { resource: string; method: string } => {
  const noun = nounOf(tag);
  const singular = noun.replace(/s$/, '');
  return { resource: lowerFirst(noun), method: id.replace(new RegExp(`(?<=[a-z])(?:${noun}|${singular})`), '') };
};

const words = ({ summary, description, permission, errors = [] }: Operation): string[] => [
  `${summary}.`,
  ...(description === undefined ? [] : ['', ...description.split('\n')]),
  '',
  `Needs the permission \`${permission}\`.${errors.length === 0 ? '' : ` Errors of its own: ${errors.map((code) => `\`${code}\``).join(', ')}.`}`,
];

const isOptional = (schema: TSchema): boolean => ((schema as { required?: string[] }).required ?? []).length === 0;

const itemOf = (response: TSchema, items: string): { $id?: string } =>
  (response as unknown as Record<'properties', Record<string, { items: { $id?: string } }>>).properties[items]?.items ??
  {};

/** The same list, gone through page by page. */
const iterationText = (method: string, of: Operation, takes: readonly string[], request: string): string => {
  if (of.pages === undefined || of.query === undefined || of.response === undefined) return '';
  const { items, before } = of.pages;
  const [query, result] = [nameOf(of.query), nameOf(of.response)];
  const list = `(query: ${query}) => ${request}`;
  const [walked, walk] =
    before === undefined
      ? [`Omit<${query}, 'offset'>`, `byCreation(${list}, query)`]
      : [query, `byCursor(${list}, query, (page) => page.${items}, (item) => item.${before})`];
  const parameters = [...takes, `query: ${walked} = {}`, 'options?: CallOptions'].join(', ');
  const { $id: item = `${result}['${items}'][number]` } = itemOf(of.response, items);
  const [, ...more] = words(of);
  return `${comment([`${of.summary}, all of them: a page is asked for when you come to it.`, ...more])}${method.replace(/^list/, 'iterate')}: (${parameters}): AsyncGenerator<${item}, void, undefined> => ${walk},`;
};

const methodText = (method: string, of: Operation): string => {
  const { query, body, response } = of;
  const names = Object.keys(of.params ?? {});
  const params = names.map((name) => `${name}: string`);
  const result = response === undefined ? 'void' : nameOf(response);
  const takes = [
    ...params,
    ...(query === undefined ? [] : [`query${isOptional(query) ? '?' : ''}: ${nameOf(query)}`]),
    ...(body === undefined ? [] : [`body: ${nameOf(body)}`]),
    `options?: ${of.method === 'POST' ? 'PostOptions' : 'CallOptions'}`,
  ];
  const sends = [
    ...(names.length === 0 ? [] : [`params: { ${names.join(', ')} }`]),
    ...(query === undefined ? [] : ['query']),
    ...(body === undefined ? [] : ['body']),
  ];
  const request = `call<${result}>('${of.method}', '${of.path}', { ${sends.join(', ')} }, options)`;
  return `${comment(words(of))}${method}: (${takes.join(', ')}): Promise<${result}> => ${request},
${iterationText(method, of, params, request)}`;
};

const typesOf = ({ query, body, response, pages }: Operation): string[] => {
  const item = response && pages ? itemOf(response, pages.items).$id : undefined;
  return [...[query, body, response].filter((schema) => schema !== undefined).map(nameOf), ...(item ? [item] : [])];
};

/** The methods of the client, one for each operation, as TypeScript. */
export const clientResources = (): string => {
  const all = Object.entries(operations as Record<OperationId, Operation>);
  const resources = Object.entries(TAGS).map(([tag, description]) => {
    const methods = all.filter(([, of]) => of.tag === tag).map(([id, of]) => methodText(methodOf(id, of).method, of));
    return `${comment([description])}${lowerFirst(nounOf(tag))}: {\n${methods.join('\n')}\n},`;
  });
  const used = new Set(all.flatMap(([, of]) => typesOf(of)));
  return `// Made from the contract by \`npm run client\`; not to be edited.

import type { Call, CallOptions, PostOptions } from './call.ts';
import { byCreation, byCursor } from './pages.ts';
import type { ${[...used].sort().join(', ')} } from './types.ts';

/** The release of the API that this client was made for, and asks for. */
export const API_VERSION = '${NEWEST_API_VERSION}';

export const makeResources = (call: Call) => ({
${resources.join('\n')}
});
`;
};
