import { Worker } from 'node:worker_threads';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { VERSION } from '../runtime/version.ts';
import { notFound } from '../validation/errors.ts';
import type { DocsPages } from './docs-thread.ts';
import type { Endpoint } from './no-route.ts';
import { makeOnce, sendContent } from './static-content.ts';

const PAGES = ['/openapi.json', '/docs', '/docs/search.json', '/docs/guides/{name}', '/docs/pictures/{folder}/{name}'];
export const DOCS_ENDPOINTS: readonly Endpoint[] = PAGES.map((path) => ({ method: 'GET', path }));

/** Browsers revalidate each time, so a new version shows at once. The ETag makes that cheap. */
const REVALIDATE = 'no-cache';

/**
 * Renders all pages in a thread, which takes some hundred milliseconds: screenings must not wait for it. Most processes
 * never need the pages.
 */
const renderPages = (): Promise<DocsPages> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./docs-thread.ts', import.meta.url), { workerData: VERSION });
    thread.unref();
    thread.on('message', resolve);
    thread.on('error', reject);
    // Has no effect after a message.
    thread.on('exit', (code) => reject(new Error(`The thread that renders the documentation ended with ${code}.`)));
  });

/** The same for every server of the process: they depend only on the version. */
const pages = makeOnce(renderPages);

/** The API reference, the guides, the search index and the OpenAPI document. */
export const docsRoutes = (app: FastifyInstance): void => {
  const send = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { byPath, contentSecurityPolicy } = await pages();
    const content = byPath.get(request.url.split('?', 1)[0] as string);
    if (content === undefined) throw notFound('guide');
    if (content.type.startsWith('text/html')) reply.header('Content-Security-Policy', contentSecurityPolicy);
    return sendContent(content, REVALIDATE, request, reply);
  };
  for (const path of PAGES) app.get(path.replaceAll(/\{(\w+)\}/g, ':$1'), { config: { isPage: true } }, send);
};
