import type { AuditEntry, Environment } from '@portcullis/contract';
import type { AuditRow } from './store.ts';

/**
 * An entry of any tenant. One that was tampered with so that it cannot be read is handed over as it is stored: it must
 * not hold up the entries behind it. Account and environment are null if the account was deleted.
 */
export type StreamedEntry = {
  readonly account: string | null;
  readonly environment: Environment | null;
} & (AuditEntry | AuditRow);

/** A place outside the database that takes audit entries. */
export interface Sink {
  /** Resolves when the entries are handed over. After a rejection, any part of them may have arrived. */
  readonly write: (entries: readonly StreamedEntry[]) => Promise<void>;
  /** Gives up a write in progress where possible. A later write opens the place again. */
  readonly close: () => Promise<void>;
}

const CHECK_RECEIVER = 'check that the receiver listens at this address and can be reached';
const TRUST_AUTHORITY = "set NODE_EXTRA_CA_CERTS to a PEM file with the receiver's certificate authority";
const MAKE_ROOM = 'make room on the disk';
const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'create the folder of the file',
  ENOTDIR: 'create the folder of the file',
  EACCES: 'let the user of the service write to the file and its folder',
  EPERM: 'let the user of the service write to the file and its folder',
  EROFS: 'choose a file on a writable file system',
  ENOSPC: MAKE_ROOM,
  EDQUOT: MAKE_ROOM,
  EFBIG: 'rotate the file, or raise the file size limit of the process',
  ECONNREFUSED: CHECK_RECEIVER,
  ECONNRESET: CHECK_RECEIVER,
  EHOSTUNREACH: CHECK_RECEIVER,
  ENETUNREACH: CHECK_RECEIVER,
  ETIMEDOUT: CHECK_RECEIVER,
  ENOTFOUND: 'check the host name of the receiver',
  EAI_AGAIN: 'check the host name of the receiver, and the name servers',
  CERT_HAS_EXPIRED: "renew the receiver's certificate",
  ERR_TLS_CERT_ALTNAME_INVALID: "use a host name of the receiver's certificate",
  DEPTH_ZERO_SELF_SIGNED_CERT: TRUST_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: TRUST_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: TRUST_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TRUST_AUTHORITY,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'let the receiver accept connections without a client certificate',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'check the TLS settings of the receiver',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the receiver does not speak TLS at this port: use syslog://, or its port for TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the receiver does not speak TLS at this port: use syslog://, or its port for TLS',
};

/** What failed, and what to do about it if that is known. An error of several addresses has a code but no message. */
export const describeFailure = (error: unknown): { readonly reason: string; readonly remedy?: string } => {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const remedy = REMEDIES[code];
  return { reason: (message || code).trim(), ...(remedy === undefined ? {} : { remedy }) };
};
