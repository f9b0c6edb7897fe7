import ipaddr from 'ipaddr.js';
import { SPECIAL_NETWORKS } from './special-networks.ts';

export interface AddressRules {
  /** True for a server that listens only on loopback: it may call endpoints on the same machine. */
  readonly allowLoopback: boolean;
  /** CIDRs allowed in addition to the public internet. */
  readonly allowedNetworks: readonly string[];
}

type Ip = ipaddr.IPv4 | ipaddr.IPv6;

const NAT64 = ipaddr.IPv6.parse('64:ff9b::');
const SIX_TO_FOUR = ipaddr.IPv6.parse('2002::');
const SPECIAL = SPECIAL_NETWORKS.map(({ cidr, name }) => ({ network: ipaddr.parseCIDR(cidr), name }));
const LOOPBACK = ['127.0.0.1', '::1'];
const NOT_A_URL = 'must be an absolute URL such as https://example.com/hook';

/** The IPv4 address embedded in an IPv6 one, in any of the known notations; otherwise the address itself. */
const unwrap = (address: Ip): Ip => {
  if (address.kind() === 'ipv4') return address;
  const v6 = address as ipaddr.IPv6;
  if (v6.isIPv4MappedAddress()) return v6.toIPv4Address();
  const bytes = v6.toByteArray();
  if (v6.match(NAT64, 96)) return ipaddr.fromByteArray(bytes.slice(12));
  if (v6.match(SIX_TO_FOUR, 16)) return ipaddr.fromByteArray(bytes.slice(2, 6));
  // The deprecated IPv4-compatible form, ::a.b.c.d.
  if (bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12).some((byte) => byte > 1)) {
    return ipaddr.fromByteArray(bytes.slice(12));
  }
  return address;
};

/** The IPv4 address that an ISATAP tunnel would deliver to: the last 64 bits are 0:5efe or 200:5efe and the address. */
const tunnelledTo = (address: Ip): Ip | undefined => {
  if (address.kind() === 'ipv4') return undefined;
  const [first, ...rest] = address.toByteArray().slice(8);
  const isTunnel = (first === 0 || first === 2) && rest[0] === 0 && rest[1] === 0x5e && rest[2] === 0xfe;
  return isTunnel ? ipaddr.fromByteArray(rest.slice(3)) : undefined;
};

const isIn = (address: Ip, [network, bits]: [Ip, number]): boolean =>
  network.kind() === address.kind() && address.match(network as never, bits);
const inNetwork = (address: Ip, cidr: string): boolean => isIn(address, ipaddr.parseCIDR(cidr));

/** What the address is, if it is not part of the public internet. */
const specialName = (address: Ip): string | undefined => {
  const inner = tunnelledTo(address);
  return SPECIAL.find(({ network }) => isIn(address, network) || (inner !== undefined && isIn(inner, network)))?.name;
};

/** Why an address must not be called; undefined if it may be. */
export const refuseAddress = (text: string, rules: AddressRules): string | undefined => {
  // Results of name servers and of the system are checked here too, so bad text must not throw.
  if (!ipaddr.isValid(text)) return 'must be an IP address';
  const written = ipaddr.parse(text);
  const address = unwrap(written);
  if (rules.allowedNetworks.some((cidr) => inNetwork(address, cidr) || inNetwork(written, cidr))) return undefined;
  const special = specialName(address);
  if (special === undefined || (special === 'loopback' && rules.allowLoopback)) return undefined;
  return `must be a public address: ${text} is ${special}; to allow it, add its network to the setting WEBHOOK_ALLOWED_NETWORKS`;
};

const withoutDot = (host: string): string => host.replace(/\.$/, '');

/**
 * The allowed loopback addresses of a name such as `localhost` or `api.localhost`; undefined for other names. Name
 * servers are never queried for these names: many know only `localhost`, and none may redirect them.
 */
export const localAddresses = (host: string, rules: AddressRules): string[] | undefined => {
  if (!/(^|\.)localhost$/.test(withoutDot(host))) return undefined;
  return LOOPBACK.filter((address) => refuseAddress(address, rules) === undefined);
};

/** Why a URL must not be called, as far as its text shows; no name is resolved. */
export const refuseUrl = (text: string, rules: AddressRules): string | undefined => {
  // The URL standard drops tabs and line breaks inside a URL, so the text would hide the real URL.
  if (/[\s\p{Cc}]/u.test(text)) return 'must be a URL without spaces or control characters';
  const url = URL.parse(text);
  if (url === null) return NOT_A_URL;
  if (url.protocol !== 'https:') return 'must begin with https://';
  // In a URL without a host, such as https:///hook, the URL standard takes the first part of the path for the host.
  if (!/^https:\/\/[^/\\]/i.test(text)) return NOT_A_URL;
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.hash !== '' || text.includes('#')) return 'must not have a fragment';
  if (url.port === '0') return 'must not have port 0';
  // To the URL standard 127.0.0.1.. is a name, but a resolver may take it for an address.
  if (/^\.|\.\./.test(url.hostname)) return 'must have a host name without empty labels';
  const host = withoutDot(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  if (ipaddr.isValid(host)) return refuseAddress(host, rules);
  if (localAddresses(host, rules)?.length === 0) return refuseAddress('127.0.0.1', rules);
  return undefined;
};
