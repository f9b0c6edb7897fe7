import { RefusedNameError } from './safe-resolver.ts';

const CLOSED = 'The connection was closed before the response was complete.';
const NOT_HTTP = 'The response is not valid HTTP.';
const NOT_TLS = 'The endpoint does not use TLS on this port.';
const TIMED_OUT = 'The connection timed out.';
const UNREACHABLE = 'The address could not be reached.';
const STOPPED = 'The sender was stopped.';

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are too large.',
  ETIMEDOUT: TIMED_OUT,
  UND_ERR_CONNECT_TIMEOUT: TIMED_OUT,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS,
  UND_ERR_DESTROYED: STOPPED,
  UND_ERR_CLOSED: STOPPED,
  ABORT_ERR: STOPPED,
};

const CERTIFICATE_ERRORS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain has a self-signed certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host name',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  CERT_SIGNATURE_FAILURE: 'its signature is invalid',
  INVALID_PURPOSE: 'it is not a server certificate',
  INVALID_CA: 'its issuer is not a certificate authority',
};

const sentenceOfCode = (code: string, host: string): string => {
  const sentence = SENTENCES[code];
  if (sentence !== undefined) return sentence;
  const certificateError = CERTIFICATE_ERRORS[code];
  if (certificateError !== undefined) return `The certificate was rejected: ${certificateError}.`;
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return `The host name ${host} could not be resolved.`;
  return `The request failed: ${code}.`;
};

/** One sentence for people. The text of an unknown error is never passed on: it may contain the URL or a header. */
export const sentenceOfError = (error: Error, host: string): string => {
  if (error instanceof RefusedNameError) return error.message;
  // The only error without a code. A response cut off inside a chunk is one of these too.
  if (error.name === 'HTTPParserError') return error.message.includes('EOF') ? CLOSED : NOT_HTTP;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return sentenceOfCode(code, host);
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The error of a complete response; null for 2xx. */
export const sentenceOfStatus = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  return REDIRECTS.has(status)
    ? `The endpoint returned ${status}. Redirects are not followed: register the final URL.`
    : `The endpoint returned ${status}.`;
};
