import type { StreamedEntry } from './stream-sink.ts';

/** Facility 13 (log audit), severity 5 (notice). */
const PRIORITY = 13 * 8 + 5;
const MAX_HOST = 255;
const MAX_ACTION = 32;

/** A field of the header: printable ASCII without spaces, or `-` for none. */
const fieldOf = (text: string, maxLength: number): string =>
  text.replaceAll(/[^\x21-\x7e]/g, '_').slice(0, maxLength) || '-';

/**
 * An entry as a syslog message (RFC 5424), preceded by its length in bytes (RFC 6587 for TCP, RFC 5425 for TLS). The
 * JSON is UTF-8 without a byte order mark, which many receivers would leave in front of it.
 */
export const frameOf = (entry: StreamedEntry, hostname: string, processId: number): Buffer => {
  const at = typeof entry.at === 'string' ? entry.at : '-';
  const header = `<${PRIORITY}>1 ${at} ${fieldOf(hostname, MAX_HOST)} portcullis ${processId} ${fieldOf(String(entry.action), MAX_ACTION)} -`;
  const message = Buffer.from(`${header} ${JSON.stringify(entry)}`);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
};
