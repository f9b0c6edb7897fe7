import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

const FOREVER = 'public, max-age=31536000, immutable';
const SHORT = 'public, max-age=300';

const represent = (body: Buffer) => ({
  body,
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
});

export const readSdk = () => {
  const bytes = readFileSync(new URL('../../sdk/device.js', import.meta.url));
  // The script says which it is, so that a release that leaves it alone leaves its address alone.
  const version = /^\/\*! @portcullis\/device (\S+),/.exec(bytes.toString('utf8'))?.[1] as string;
  return { version, plain: represent(bytes), zipped: represent(gzipSync(bytes, { level: 9 })) };
};

const takesGzip = (accepted: string | undefined): boolean =>
  (accepted ?? '')
    .split(',')
    .some((item) => /^\s*(?:gzip|\*)\s*(?:;|$)/i.test(item) && !/;\s*q=0(?:\.0*)?\s*$/i.test(item));
const hasIt = (known: string | undefined, etag: string): boolean =>
  (known ?? '').split(',').some((item) => ['*', etag, `W/${etag}`].includes(item.trim()));

/**
 * The script of the device SDK. Asked for by version it may be kept for good, so what is asked for must be what is here: another script under that address would
 * stay in caches for a year. Any page may load it, with the integrity of its choice.
 */
export const sendSdk = (
  { version, plain, zipped }: ReturnType<typeof readSdk>,
  request: FastifyRequest,
  reply: FastifyReply,
) => {
  const { v } = request.query as { v?: unknown };
  if (v !== undefined && v !== version)
    throw new ApiError('not_found', `This service has version ${version} of the device SDK: "?v=${version}".`);
  const isZipped = takesGzip(request.headers['accept-encoding']);
  const { body, etag } = isZipped ? zipped : plain;
  reply
    .header('Cache-Control', v === undefined ? SHORT : FOREVER)
    .header('ETag', etag)
    .header('Vary', 'Accept-Encoding')
    .header('Access-Control-Allow-Origin', '*')
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
    .header('X-Content-Type-Options', 'nosniff')
    .type('text/javascript; charset=utf-8');
  if (hasIt(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (isZipped) reply.header('Content-Encoding', 'gzip');
  return reply.send(body);
};
