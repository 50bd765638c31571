// Judges the addresses that the DNS of others names before a program sends a query there. The owner of a zone decides
// which NS records stand above it. Without this rule, the owner could have port 53 of any machine in our network
// queried, and read the answer from the condition of the zone. Pure.
import { BlockList, isIPv6 } from 'node:net';

/** The special-purpose addresses (IANA's registries, RFC 6890) that are not globally reachable, and multicast. */
const NOT_PUBLIC: readonly (readonly [network: string, prefix: number, source: string])[] = [
  ['0.0.0.0', 8, 'RFC 791: this network'],
  ['10.0.0.0', 8, 'RFC 1918: private'],
  ['100.64.0.0', 10, 'RFC 6598: shared by carriers'],
  ['127.0.0.0', 8, 'RFC 1122: loopback'],
  ['169.254.0.0', 16, 'RFC 3927: link-local, and the metadata services of clouds'],
  ['172.16.0.0', 12, 'RFC 1918: private'],
  ['192.0.0.0', 24, 'RFC 6890: protocol assignments'],
  ['192.0.2.0', 24, 'RFC 5737: documentation'],
  ['192.88.99.0', 24, 'RFC 7526: former 6to4 relays'],
  ['192.168.0.0', 16, 'RFC 1918: private'],
  ['198.18.0.0', 15, 'RFC 2544: benchmarks'],
  ['198.51.100.0', 24, 'RFC 5737: documentation'],
  ['203.0.113.0', 24, 'RFC 5737: documentation'],
  ['224.0.0.0', 4, 'RFC 5771: multicast'],
  ['240.0.0.0', 4, 'RFC 1112: reserved, and the broadcast address'],
  ['::', 96, 'RFC 4291: unspecified, loopback, and former IPv4-compatible addresses'],
  ['::ffff:0:0', 96, 'RFC 4291: IPv4-mapped'],
  ['64:ff9b::', 96, 'RFC 6052: translated to IPv4, which may be private'],
  ['64:ff9b:1::', 48, 'RFC 8215: local translation'],
  ['100::', 64, 'RFC 6666: discard'],
  ['2001::', 23, 'RFC 2928: protocol assignments, Teredo among them'],
  ['2001:db8::', 32, 'RFC 3849: documentation'],
  ['2002::', 16, 'RFC 3056: 6to4, which holds an IPv4 address'],
  ['3fff::', 20, 'RFC 9637: documentation'],
  ['5f00::', 16, 'RFC 9602: segment routing'],
  ['fc00::', 7, 'RFC 4193: unique local'],
  ['fe80::', 10, 'RFC 4291: link-local'],
  ['fec0::', 10, 'RFC 3879: former site-local'],
  ['ff00::', 8, 'RFC 4291: multicast'],
];

type Family = 'ipv4' | 'ipv6';
const familyOf = (address: string): Family => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** One list per family: a BlockList compares every IPv4 address with a rule for IPv4-mapped ones too. */
function buildNetworkMatcher(
  networks: Iterable<readonly [base: string, prefix: number]>,
): (address: string) => boolean {
  const lists: Record<Family, BlockList> = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const [base, prefix] of networks) lists[familyOf(base)].addSubnet(base, prefix, familyOf(base));
  return (address) => lists[familyOf(address)].check(address, familyOf(address));
}

const isNotPublic = buildNetworkMatcher(NOT_PUBLIC.map(([base, prefix]) => [base, prefix] as const));

/** @param allowedNetworks networks that may be asked although they are not public, in the form of parseNetwork */
export function publicAddresses(allowedNetworks: readonly string[] = []): (address: string) => boolean {
  const isException = buildNetworkMatcher(
    allowedNetworks.map((network) => {
      const [base = '', prefix = ''] = network.split('/');
      return [base, Number(prefix)] as const;
    }),
  );
  return (address) => !isNotPublic(address) || isException(address);
}
