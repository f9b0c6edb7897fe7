import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../validation/errors.ts';
import { encodeContent, type StaticContent, sendContent } from './static-content.ts';

const YEAR = 'public, max-age=31536000, immutable';
const FIVE_MINUTES = 'public, max-age=300';

export interface Sdk {
  readonly version: string;
  readonly content: StaticContent;
}

export const readSdk = async (): Promise<Sdk> => {
  const text = await readFile(new URL('../../sdk/device.js', import.meta.url), 'utf8');
  // The script carries its own version. A release that does not change the script keeps its address.
  const version = /^\/\*! @portcullis\/device (\S+),/.exec(text)?.[1] as string;
  return { version, content: await encodeContent('text/javascript; charset=utf-8', text) };
};

/**
 * Sends the script of the device SDK. A request with a version may be cached for a year, so another version is 404:
 * the wrong script would stay in caches. Any page may load it, with the integrity attribute of its choice.
 */
export const sendSdk = ({ version, content }: Sdk, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const { v } = request.query as { v?: unknown };
  if (v !== undefined && v !== version)
    throw new ApiError('not_found', `This service has version ${version} of the device SDK: "?v=${version}".`);
  reply.header('Access-Control-Allow-Origin', '*').header('Cross-Origin-Resource-Policy', 'cross-origin');
  return sendContent(content, v === undefined ? FIVE_MINUTES : YEAR, request, reply);
};
