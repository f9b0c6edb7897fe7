/** A network that no webhook is delivered to, with the words that a refusal uses for it. */
export interface SpecialNetwork {
  readonly cidr: string;
  readonly name: string;
}

const named = (name: string, cidrs: readonly string[]): SpecialNetwork[] => cidrs.map((cidr) => ({ cidr, name }));

/**
 * Every network that is not part of the public internet, or that a cloud provider uses for its own services: the
 * special-purpose and multicast registries of IANA for IPv4 and IPv6, and the addresses that providers document. The
 * first network that contains an address names it. The network policy of the Helm chart is tested against this table.
 */
export const SPECIAL_NETWORKS: readonly SpecialNetwork[] = [
  ...named('loopback', ['127.0.0.0/8', '::1/128']),
  ...named('unspecified', ['0.0.0.0/8', '::/128']),
  ...named('private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']),
  ...named('unique local', ['fc00::/7']),
  // Also the metadata service of AWS, Azure, Google, Oracle and most other clouds, 169.254.169.254.
  ...named('link-local', ['169.254.0.0/16', 'fe80::/10']),
  // Carrier-grade NAT. Also the metadata service of Alibaba Cloud, 100.100.100.200.
  ...named('shared', ['100.64.0.0/10']),
  // Public addresses that a provider routes to its own services: the wire server of Azure, with the certificates and
  // settings of a virtual machine, and the service networks of IBM Cloud.
  ...named('internal to a cloud provider', ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14']),
  ...named('multicast', ['224.0.0.0/4', 'ff00::/8']),
  ...named('a translation prefix', ['64:ff9b:1::/48', '::ffff:0:0:0/96']),
  ...named('Teredo', ['2001::/32']),
  ...named('reserved', [
    // Protocol assignments. Also the former metadata service of Oracle Cloud, 192.0.0.192.
    '192.0.0.0/24',
    '192.0.2.0/24', // documentation
    '192.31.196.0/24', // AS112
    '192.52.193.0/24', // automatic multicast tunneling
    '192.88.99.0/24', // 6to4 relays
    '192.175.48.0/24', // AS112
    '198.18.0.0/15', // benchmarks
    '198.51.100.0/24', // documentation
    '203.0.113.0/24', // documentation
    '240.0.0.0/4',
    '2001::/23', // protocol assignments
    '2001:db8::/32', // documentation
    '2620:4f:8000::/48', // AS112
    '3fff::/20', // documentation
    // Only 2000::/3 is the public internet.
    '::/3',
    '4000::/2',
    '8000::/1',
  ]),
];
