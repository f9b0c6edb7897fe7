import { isIP } from 'node:net';
import { resolve } from 'node:path';

/** A syslog receiver. */
export interface Receiver {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** Where audit entries are handed over to. Positions are stored under `name`, the setting in one spelling. */
export type Destination = { readonly name: string } & ({ readonly path: string } | { readonly receiver: Receiver });

export const DESTINATION_EXPECTED =
  'must be file: and an absolute path, such as file:/var/log/portcullis/audit.jsonl, or a syslog receiver, such as syslog://logs.example.com:514 for TCP or syslogs://logs.example.com:6514 for TLS; UDP is not supported, because it loses entries';

const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i;
/** TCP has no assigned port; receivers use the one of UDP. RFC 5425 assigns the one of TLS. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'syslog:': 514, 'syslogs:': 6514 };

/** Accepts `file:/path` and `file:///path`. In `file://path`, the first part of the path would be a host. */
const readFileDestination = (text: string): Destination | undefined => {
  const written = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
  if (!/^\/[^/]/.test(written) || written.endsWith('/') || written.includes('\0')) return undefined;
  const path = resolve(written);
  return { name: `file:${path}`, path };
};

const readReceiver = (text: string): Destination | undefined => {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port: portText, username, password, pathname, search, hash } = new URL(text);
  const port = portText === '' ? DEFAULT_PORTS[protocol] : Number(portText);
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (!port || !(isIP(host) !== 0 || HOST.test(host))) return undefined;
  if (username + password + search + hash !== '' || !['', '/'].includes(pathname)) return undefined;
  return {
    name: `${protocol}//${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    receiver: { host, port, isTls: protocol === 'syslogs:' },
  };
};

/** Reads the setting AUDIT_STREAM. Undefined for a text that is not a destination. */
export const readDestination = (text: string): Destination | undefined => {
  if (/^file:/i.test(text)) return readFileDestination(text);
  return /^syslogs?:\/\//i.test(text) ? readReceiver(text) : undefined;
};
