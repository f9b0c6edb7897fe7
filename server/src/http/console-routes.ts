import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readConsole, renderConsole } from '../console-page/console-page.ts';
import { ApiError } from '../validation/errors.ts';
import type { Endpoint } from './no-route.ts';
import { encodeContent, makeOnce, type StaticContent, sendContent } from './static-content.ts';

export const CONSOLE_ENDPOINTS: readonly Endpoint[] = ['/', '/favicon.ico', '/console', '/console/{page}'].map(
  (path) => ({
    method: 'GET',
    path,
  }),
);

const YEAR = 'public, max-age=31536000, immutable';

const encode = async () => {
  const source = await readConsole();
  const byPath = new Map<string, StaticContent>();
  for (const { name, type, content } of source.files)
    byPath.set(`/console/~${source.digest}/${name}`, await encodeContent(type, content));
  return { source, byPath };
};

/** The same for every server of the process: the files do not change while it runs. */
const consoleFiles = makeOnce(encode);

/** The console: one page for every path under `/console`, and its files. `/` leads to it. */
export const consoleRoutes = (app: FastifyInstance): void => {
  const send = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { source, byPath } = await consoleFiles();
    const path = request.url.split('?', 1)[0] as string;
    const content = byPath.get(path);
    if (content !== undefined) return sendContent(content, YEAR, request, reply);
    if (path.startsWith('/console/~'))
      throw new ApiError('not_found', 'This file belongs to another version of the console. Load the page again.');
    const { html, headers } = renderConsole(source);
    return reply.headers(headers).type('text/html; charset=utf-8').send(html);
  };
  app.get('/', (_request, reply) => reply.redirect('/console', 302));
  // Browsers ask for it on pages that name no icon, such as the documentation.
  app.get('/favicon.ico', async (_request, reply) =>
    reply.redirect(`/console/~${(await consoleFiles()).source.digest}/icon.svg`, 302),
  );
  for (const path of ['/console', '/console/*']) app.get(path, { config: { isPage: true } }, send);
};
