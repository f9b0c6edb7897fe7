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
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
const LOOPBACK = ['127.0.0.1', '::1'];
const NO_URL = 'must be an absolute URL such as https://example.com/hook';

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

/** What an address is for; `unicast` is the public internet. */
const rangeOf = (address: Ip): string => {
  const range = address.range();
  // The library calls everything unicast that it has no other word for. Of IPv6, only 2000::/3 is the public internet;
  // in the rest are networks of other kinds, such as the 200::/7 of Yggdrasil.
  if (range === 'unicast' && address.kind() === 'ipv6' && !(address as ipaddr.IPv6).match(GLOBAL_UNICAST, 3)) {
    return 'reserved';
  }
  return range;
};

const inNetwork = (address: Ip, cidr: string): boolean => {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return network.kind() === address.kind() && address.match(network as never, bits);
};

/** Why an address must not be called; undefined when it may be. */
export const refuseAddress = (text: string, rules: AddressRules): string | undefined => {
  // What a name server or the system answers is checked here too, and must not be able to throw.
  if (!ipaddr.isValid(text)) return 'must be an IP address';
  const written = ipaddr.parse(text);
  const address = unwrap(written);
  if (rules.allowedNetworks.some((cidr) => inNetwork(address, cidr) || inNetwork(written, cidr))) return undefined;
  const range = rangeOf(address);
  if (range === 'unicast' || (range === 'loopback' && rules.allowLoopback)) return undefined;
  return `must be a public address: ${text} is ${range}; the setting WEBHOOK_ALLOWED_NETWORKS opens further networks`;
};

const withoutDot = (host: string): string => host.replace(/\.$/, '');

/**
 * The addresses of this machine that a name such as `localhost` or `api.localhost` stands for and that may be called;
 * undefined for other names. No name server is asked for these: many know none but `localhost`, and none must get to
 * say where they lead.
 */
export const localAddresses = (host: string, rules: AddressRules): string[] | undefined => {
  if (!/(^|\.)localhost$/.test(withoutDot(host))) return undefined;
  return LOOPBACK.filter((address) => refuseAddress(address, rules) === undefined);
};

/** Why a URL must not be called, as far as it can be told without asking a name server. */
export const refuseUrl = (text: string, rules: AddressRules): string | undefined => {
  // The URL standard drops tabs and line breaks inside a URL; one that holds them was not meant to be read by people.
  if (/[\s\p{Cc}]/u.test(text)) return 'must be a URL without spaces or control characters';
  const url = URL.parse(text);
  if (url === null) return NO_URL;
  if (url.protocol !== 'https:') return 'must begin with https://';
  // The URL standard takes the first part of the path for the host where there is none, as in https:///hook.
  if (!/^https:\/\/[^/\\]/i.test(text)) return NO_URL;
  if (url.username !== '' || url.password !== '') return 'must not hold credentials';
  if (url.hash !== '' || text.includes('#')) return 'must not have a fragment';
  if (url.port === '0') return 'must not have the port 0';
  // The URL standard takes 127.0.0.1.. for a name; what a resolver takes it for is its own affair.
  if (/^\.|\.\./.test(url.hostname)) return 'must have a host name without empty parts';
  const host = withoutDot(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  if (ipaddr.isValid(host)) return refuseAddress(host, rules);
  if (localAddresses(host, rules)?.length === 0) return refuseAddress('127.0.0.1', rules);
  return undefined;
};
