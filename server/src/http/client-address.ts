import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** An IPv4 address written as IPv6 is the IPv4 address: a server on `::` sees all addresses as IPv6. */
const parse = (text: string): Address | undefined => (ipaddr.isValid(text) ? ipaddr.process(text) : undefined);

const isIn = (address: Address, networks: readonly Network[]): boolean =>
  networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

/** Makes a test of addresses: whether one is in any of the networks. */
export const isInNetworks = (cidrs: readonly string[]): ((text: string) => boolean) => {
  const networks = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  return (text) => {
    const address = parse(text);
    return address !== undefined && isIn(address, networks);
  };
};

/**
 * The part of an address that one client is assumed to have: an IPv4 address, or the first 64 bits of an IPv6 address.
 * Every IPv6 client can choose the other 64 bits freely, so limits per address would not limit it.
 */
export const clientNetwork = (text: string): string => {
  const address = parse(text);
  if (address === undefined) return text;
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
};

export interface ProxyTrust {
  /** Whether many clients share the connections of this address. */
  readonly isProxy: (address: string) => boolean;
  /** The address of the client: the last one in `X-Forwarded-For` that is not a proxy's, or that of the connection. */
  readonly clientAddress: (address: string, forwardedFor: string | undefined) => string;
}

/**
 * Tells clients from proxies. Without `networks`, this machine counts as a proxy, and `X-Forwarded-For` is not read: a
 * proxy that does not set the header forwards what its clients make up.
 */
export const makeProxyTrust = (networks: readonly string[]): ProxyTrust => {
  const isTrusted = isInNetworks(networks);
  if (networks.length === 0)
    return { isProxy: (address) => parse(address)?.range() === 'loopback', clientAddress: (address) => address };
  return {
    isProxy: isTrusted,
    clientAddress: (address, forwardedFor) => {
      if (forwardedFor === undefined || !isTrusted(address)) return address;
      let client = address;
      // From the last hop on: each proxy vouches only for the hop before it.
      for (let end = forwardedFor.length; end >= 0; ) {
        const comma = forwardedFor.lastIndexOf(',', end - 1);
        const hop = forwardedFor.slice(comma + 1, end).trim();
        if (!ipaddr.isValid(hop)) return client;
        client = hop;
        if (!isTrusted(hop)) return client;
        end = comma;
      }
      return client;
    },
  };
};
