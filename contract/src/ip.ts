import ipaddr from 'ipaddr.js';

const PART = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${PART}\\.${PART}\\.${PART}\\.${PART}$`);

/**
 * IPv6 with the dotted IPv4 it may end in written as hexadecimal; undefined when that end is not plain dotted decimal. The
 * parser would take octal there, and read `::192.0.2.1` as another address than `::c000:201`.
 */
const withoutDots = (value: string): string | undefined => {
  if (!value.includes('.')) return value;
  const at = value.lastIndexOf(':') + 1;
  const end = value.slice(at);
  if (!IPV4.test(end)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = end.split('.').map(Number);
  return `${value.slice(0, at)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

/** Dotted decimal IPv4 or IPv6 without a zone. Octal and one-number spellings are refused: they hide what is meant. */
export const isIp = (value: string): boolean =>
  IPV4.test(value) || (value.includes(':') && !value.includes('%') && ipaddr.IPv6.isValid(withoutDots(value) ?? ''));

/** One spelling per address, and plain IPv4 for IPv4-mapped IPv6, so that one visitor is never counted as two. */
export const normalizeIp = (value: string): string => {
  if (!value.includes(':')) return value;
  const address = ipaddr.IPv6.parse(withoutDots(value) ?? value);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
};

/** The network an address belongs to, of an address normalised before: /24 for IPv4, /48 for IPv6. */
export const networkOf = (ip: string): string => {
  if (!ip.includes(':')) return `${ip.slice(0, ip.lastIndexOf('.'))}.0/24`;
  const [head = '', tail = ''] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === '' ? [] : tail.split(':');
  while (groups.length + behind.length < 8) groups.push('0');
  const [first, second, third] = [...groups, ...behind];
  return `${first}:${second}:${third}::/48`;
};
