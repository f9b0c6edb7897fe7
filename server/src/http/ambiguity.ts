import type { IncomingMessage } from 'node:http';
import { type ApiError, invalidRequest } from '../validation/errors.ts';
import { hostOfUrl } from './request-url.ts';

/** Headers that count once. Of two, a proxy might read the first and the service the second. */
const SINGLE = ['Host', 'Authorization', 'Content-Type', 'Idempotency-Key'];
const LOWER_CASE = SINGLE.map((name) => name.toLowerCase());

const findRepeated = (rawHeaders: readonly string[]): string | undefined => {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const index = LOWER_CASE.indexOf((rawHeaders[i] as string).toLowerCase());
    if (index === -1) continue;
    if ((seen & (1 << index)) !== 0) return SINGLE[index];
    seen |= 1 << index;
  }
  return undefined;
};

const invalid = (field: string, message: string): ApiError => invalidRequest([{ field, message }]);

/** The error of a request that a proxy might read as a different one. `url` is the URL as it was sent. */
export const findAmbiguity = (
  { headers, rawHeaders, httpVersion }: IncomingMessage,
  url: string,
): ApiError | undefined => {
  const repeated = findRepeated(rawHeaders);
  if (repeated !== undefined) return invalid(repeated, 'must be sent once');
  const { host } = headers;
  if (host === undefined && httpVersion === '1.1') return invalid('Host', 'is required');
  const named = hostOfUrl(url);
  if (named !== undefined && host !== undefined && named.toLowerCase() !== host.toLowerCase())
    return invalid('Host', 'must be the host of the URL');
  return undefined;
};

/**
 * The error of a request whose end is unclear: a proxy and the service could disagree on where the next request of
 * the connection begins. So the connection must be closed, and nothing that follows on it may be handled.
 */
export const findUnclearEnd = ({ headers, httpVersion }: IncomingMessage): ApiError | undefined => {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (httpVersion !== '1.1') return invalid('Transfer-Encoding', 'needs HTTP/1.1');
  return coding.toLowerCase() === 'chunked' ? undefined : invalid('Transfer-Encoding', 'must be "chunked"');
};

/**
 * Whether the client offers to change the protocol. The offer is ignored, but Node's parser has dropped any bytes that
 * arrived together with the request. If they were requests, the client would take the next response on the connection for
 * theirs. So the response must be the last one on it.
 */
export const offersUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined && headers.connection?.toLowerCase().includes('upgrade') === true;
