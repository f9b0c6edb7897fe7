import ipaddr from 'ipaddr.js';

/** Dotted decimal IPv4 or IPv6 without a zone. Octal and one-number spellings are refused: they hide what is meant. */
export const isIp = (value: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(value) ||
  (!value.includes('%') && value.includes(':') && ipaddr.IPv6.isValid(value));

/** One spelling per address, and plain IPv4 for IPv4-mapped IPv6, so that one visitor is never counted as two. */
export const normalizeIp = (value: string): string => {
  if (!value.includes(':')) return value;
  const address = ipaddr.IPv6.parse(value);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
};

/** The network an address belongs to, of an address normalised before: /24 for IPv4, /48 for IPv6. */
export const networkOf = (ip: string): string => {
  if (!ip.includes(':')) return `${ip.slice(0, ip.lastIndexOf('.'))}.0/24`;
  const [first = 0, second = 0, third = 0] = ipaddr.IPv6.parse(ip).parts;
  return `${first.toString(16)}:${second.toString(16)}:${third.toString(16)}::/48`;
};
