import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** A server that only this machine can reach may call this machine. */
  readonly allowLoopback: boolean;
  /** CIDRs beyond the public internet. */
  readonly allowedNetworks: readonly string[];
}

type Ip = ipaddr.IPv4 | ipaddr.IPv6;

const NAT64 = ipaddr.IPv6.parse('64:ff9b::');
const SIX_TO_FOUR = ipaddr.IPv6.parse('2002::');

/** The IPv4 address that an IPv6 one stands for, by any of the ways to write one inside the other. */
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

const inNetwork = (address: Ip, cidr: string): boolean => {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return network.kind() === address.kind() && address.match(network as never, bits);
};

/** Why an address must not be called; undefined when it may be. */
export const refuseAddress = (text: string, rules: AddressRules): string | undefined => {
  const written = ipaddr.parse(text);
  const address = unwrap(written);
  if (rules.allowedNetworks.some((cidr) => inNetwork(address, cidr) || inNetwork(written, cidr))) return undefined;
  const range = address.range();
  if (range === 'unicast' || (range === 'loopback' && rules.allowLoopback)) return undefined;
  return `must be a public address: ${text} is ${range}; the setting WEBHOOK_ALLOWED_NETWORKS opens further networks`;
};

/** Why a URL must not be registered, as far as it can be told without asking a name server. */
export const refuseUrl = (text: string, rules: AddressRules): string | undefined => {
  // The URL standard drops tabs and line breaks inside a URL; one that holds them was not meant to be read by people.
  if (/[\s\p{Cc}]/u.test(text)) return 'must be a URL without spaces or control characters';
  const url = URL.parse(text);
  if (url === null) return 'must be an absolute URL such as https://example.com/hook';
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold credentials';
  if (url.hash !== '' || text.includes('#')) return 'must not have a fragment';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return refuseAddress(host, rules);
  if (host === 'localhost' || host.endsWith('.localhost')) return refuseAddress('127.0.0.1', rules);
  return undefined;
};
