import type { ApiError } from '../validation/errors.ts';
import type { Connections } from './connections.ts';
import type { ApiRequest } from './exchange.ts';
import type { Cost } from './turns.ts';

/** More than clients send. Reading them takes longer than answering most requests. */
const MANY_HEADERS = 64;
const LONG_URL = 1024;

/** What a request of a stranger costs. An unknown key was looked up in the store. */
export const costOf = (connections: Connections, { raw, routeOptions }: ApiRequest, refusal?: ApiError): Cost =>
  routeOptions.config?.isPage === true ||
  refusal?.code === 'invalid_api_key' ||
  refusal?.code === 'invalid_session' ||
  raw.rawHeaders.length > 2 * MANY_HEADERS ||
  (raw.url as string).length > LONG_URL ||
  connections.isPipelined(raw.socket)
    ? 'large'
    : 'small';
