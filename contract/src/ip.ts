import ipaddr from 'ipaddr.js';

const PART = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${PART}\\.${PART}\\.${PART}\\.${PART}$`);

/**
 * Rewrites a dotted IPv4 suffix of an IPv6 address in hexadecimal; undefined if the suffix is not plain dotted decimal. The
 * parser accepts octal there and reads `::192.0.2.1` as a different address than `::c000:201`.
 */
const withoutDots = (value: string): string | undefined => {
  if (!value.includes('.')) return value;
  const at = value.lastIndexOf(':') + 1;
  const end = value.slice(at);
  if (!IPV4.test(end)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = end.split('.').map(Number);
  return `${value.slice(0, at)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

/** Accepts dotted decimal IPv4, and IPv6 without a zone. Octal and single-number notations are refused as ambiguous. */
export const isIp = (value: string): boolean =>
  IPV4.test(value) || (value.includes(':') && !value.includes('%') && ipaddr.IPv6.isValid(withoutDots(value) ?? ''));

/** Canonical form of an address, with IPv4-mapped IPv6 as plain IPv4, so that one visitor is never counted as two. */
export const normalizeIp = (value: string): string => {
  if (!value.includes(':')) return value;
  const address = ipaddr.IPv6.parse(withoutDots(value) ?? value);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
};

/** An address or a network in CIDR notation, in canonical form; undefined for anything else. */
export const normalizeNetwork = (value: string): string | undefined => {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
  if (!isIp(address)) return undefined;
  const ip = normalizeIp(address);
  const isIpv4 = !ip.includes(':');
  // A prefix of a mapped address counts the bits before the IPv4 address too.
  const length = bits === undefined ? (isIpv4 ? 32 : 128) : Number(bits) - (isIpv4 && address.includes(':') ? 96 : 0);
  if (length < 0 || length > (isIpv4 ? 32 : 128)) return undefined;
  const network = isIpv4
    ? ipaddr.IPv4.networkAddressFromCIDR(`${ip}/${length}`).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${ip}/${length}`).toRFC5952String();
  return `${network}/${length}`;
};
export const isNetwork = (value: string): boolean => normalizeNetwork(value) !== undefined;

/** Network of a normalised address: /24 for IPv4, /48 for IPv6. */
export const networkOf = (ip: string): string => {
  if (!ip.includes(':')) return `${ip.slice(0, ip.lastIndexOf('.'))}.0/24`;
  const [head = '', tail = ''] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === '' ? [] : tail.split(':');
  while (groups.length + behind.length < 8) groups.push('0');
  const [first, second, third] = [...groups, ...behind];
  return `${first}:${second}:${third}::/48`;
};
