import { NameRefused } from './resolve.ts';

const CLOSED = 'The connection was closed before the answer was complete.';
const NOT_HTTP = 'The answer was not HTTP.';
const NOT_TLS = 'The other side does not speak TLS.';
const TIMED_OUT = 'The connection timed out.';
const UNREACHABLE = 'The address could not be reached.';
const STOPPED = 'The sender was stopped.';

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused.',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  UND_ERR_HEADERS_OVERFLOW: 'The answer has too many headers.',
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

const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in its chain',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  INVALID_PURPOSE: 'it is not for servers',
  INVALID_CA: 'its issuer may not issue certificates',
};

const sentenceOfCode = (code: string, host: string): string => {
  const sentence = SENTENCES[code];
  if (sentence !== undefined) return sentence;
  const fault = CERTIFICATE_FAULTS[code];
  if (fault !== undefined) return `The certificate was not accepted: ${fault}.`;
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return `The name ${host} could not be resolved.`;
  return `The exchange failed: ${code}.`;
};

/** One sentence for people. The text of an unknown error is never passed on, because it may hold the URL or more. */
export const sentenceOfError = (error: Error, host: string): string => {
  if (error instanceof NameRefused) return error.message;
  // The only one that has no code. An answer that is cut off inside a chunk is one of these too.
  if (error.name === 'HTTPParserError') return error.message.includes('EOF') ? CLOSED : NOT_HTTP;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return sentenceOfCode(code, host);
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What is wrong with an answer that came whole; null when it says that the message was taken. */
export const sentenceOfStatus = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  return REDIRECTS.has(status) ? `Answered ${status}; redirects are not followed.` : `Answered ${status}.`;
};
