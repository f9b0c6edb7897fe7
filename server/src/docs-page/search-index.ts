import { ERROR_MEANINGS, ERROR_STATUSES, type ErrorCode, errorDocUrl } from '@portcullis/contract/values';
import { anchor } from '../html/html.ts';
import { type Document, jsonOf, nameFor, operationsOf, parametersOf, resolve } from './document.ts';
import { type Guide, guideSections } from './guides.ts';
import { introduction } from './introduction.ts';

/** One place that the search can find. */
export interface SearchEntry {
  readonly title: string;
  /** Shown under the title: the guide, the path, or the part of the reference. */
  readonly place: string;
  readonly url: string;
  readonly text: string;
}

const operationEntries = (document: Document): SearchEntry[] =>
  operationsOf(document).map(({ method, path, operation }) => {
    const fields = Object.keys(resolve(document, jsonOf(operation.requestBody)?.schema).properties ?? {});
    const parameters = parametersOf(document, operation).map(({ name }) => name);
    return {
      title: nameFor(operation),
      place: `${method} ${path}`,
      url: `/docs#${anchor('op', operation.operationId)}`,
      text: [operation.description ?? '', ...parameters, ...fields].join(' '),
    };
  });

const schemaEntries = (document: Document): SearchEntry[] =>
  Object.entries(document.components?.schemas ?? {}).map(([name, { description = '', properties = {} }]) => ({
    title: name,
    place: 'Schema',
    url: `/docs#${anchor('schema', name)}`,
    text: [description, ...Object.keys(properties)].join(' '),
  }));

const errorEntries = (): SearchEntry[] =>
  Object.entries(ERROR_MEANINGS).map(([code, { when, remedy }]) => ({
    title: code,
    place: `Error ${ERROR_STATUSES[code as ErrorCode]}`,
    url: errorDocUrl(code as ErrorCode),
    text: `${when} ${remedy}`,
  }));

/** Everything the search of the documentation pages looks through. */
export const searchIndex = (document: Document, guides: readonly Guide[]): readonly SearchEntry[] => [
  ...operationEntries(document),
  ...introduction(document).map(({ id, title }) => ({ title, place: 'API reference', url: `/docs#${id}`, text: '' })),
  ...errorEntries(),
  ...guides.flatMap((guide) => guideSections(guide).map((section) => ({ place: guide.title, ...section }))),
  ...schemaEntries(document),
];
