import { parentPort, workerData } from 'node:worker_threads';
import { renderSite } from '../docs-page/site.ts';
import { asIs, encodeContent, type StaticContent } from './static-content.ts';

/** The pages of the documentation by their paths. */
export interface DocsPages {
  readonly contentSecurityPolicy: string;
  readonly byPath: ReadonlyMap<string, StaticContent>;
}

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

const render = async (version: string): Promise<DocsPages> => {
  const site = renderSite(version);
  const byPath = new Map<string, StaticContent>();
  const add = async (path: string, type: string, text: string): Promise<void> => {
    byPath.set(path, await encodeContent(type, text));
  };
  await add('/openapi.json', JSON_TYPE, site.openapi);
  await add('/docs', HTML, site.reference);
  await add('/docs/search.json', JSON_TYPE, site.search);
  for (const { name, page } of site.guides) await add(`/docs/guides/${name}`, HTML, page);
  for (const { path, bytes } of site.pictures) byPath.set(path, asIs('image/webp', bytes));
  return { contentSecurityPolicy: site.contentSecurityPolicy, byPath };
};

parentPort?.postMessage(await render(workerData as string));
