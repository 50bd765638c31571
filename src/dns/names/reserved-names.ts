/**
 * Names for which no zone is created unless the person who runs the service allows it: they have a meaning outside of
 * the public DNS, and a tenant who held one could answer for the printers, routers or clusters of others. Pure.
 *
 * The table follows the registries of special-use names (RFC 6761) and of locally served zones (RFC 6303). It omits
 * names that exist for tests and documentation, because users are free to use them: `example` and `test` (RFC 6761
 * sections 6.2 and 6.5), and the reverse zones of the documentation prefixes 192.0.2.0/24, 198.51.100.0/24,
 * 203.0.113.0/24 and 2001:db8::/32 (RFC 6303 sections 4.2 and 4.6). `internal`, which ICANN keeps for private use, is
 * free too.
 */
import { listSuffixes } from './name.ts';

interface ReservedName {
  /** The reserved name: the zone's own, or one that encloses it. */
  name: string;
  /** The document that reserves it. */
  source: string;
  /** The purpose that the name is reserved for, as the end of "it is reserved for …". */
  purpose: string;
}

type Row = Omit<ReservedName, 'name'> & { names: readonly string[] };

const reverse = (...names: string[]) => names.map((name) => `${name}.in-addr.arpa`);
const range = (from: number, to: number, below: string) =>
  reverse(...Array.from({ length: to - from + 1 }, (_, index) => `${from + index}.${below}`));
const zeros = (count: number) => '0.'.repeat(count);

/** Reserved with every name below. */
const TREES: readonly Row[] = [
  { names: ['localhost', 'invalid'], source: 'RFC 6761', purpose: 'the machine itself and for names that never exist' },
  { names: ['cluster.local'], source: 'Kubernetes', purpose: 'the Services and Pods of a cluster' },
  { names: ['local'], source: 'RFC 6762', purpose: 'multicast DNS' },
  { names: ['onion'], source: 'RFC 7686', purpose: 'Tor' },
  { names: ['alt'], source: 'RFC 9476', purpose: 'names outside of the DNS' },
  { names: ['home.arpa'], source: 'RFC 8375', purpose: 'home networks' },
  { names: ['ipv4only.arpa'], source: 'RFC 8880', purpose: 'finding the prefix of NAT64' },
  { names: ['resolver.arpa'], source: 'RFC 9462', purpose: 'finding encrypted resolvers' },
  { names: ['service.arpa'], source: 'RFC 9665', purpose: 'service registration' },
  { names: ['eap.arpa', '6tisch.arpa'], source: 'RFC 9965 and RFC 9031', purpose: 'joining a network' },
  {
    names: [...reverse('10', '168.192'), ...range(16, 31, '172')],
    source: 'RFC 1918 and RFC 6303',
    purpose: 'private IPv4 addresses',
  },
  { names: range(64, 127, '100'), source: 'RFC 7793', purpose: 'addresses shared by the customers of a carrier' },
  {
    names: reverse('0', '127', '254.169', '255.255.255.255'),
    source: 'RFC 6303',
    purpose: 'IPv4 addresses of this machine, this network and this link',
  },
  {
    names: [`${zeros(32)}ip6.arpa`, `1.${zeros(31)}ip6.arpa`, ...['8', '9', 'a', 'b'].map((n) => `${n}.e.f.ip6.arpa`)],
    source: 'RFC 6303',
    purpose: 'IPv6 addresses of this machine and this link',
  },
  { names: ['c.f.ip6.arpa', 'd.f.ip6.arpa'], source: 'RFC 4193 and RFC 6303', purpose: 'private IPv6 addresses' },
];

/** Reserved themselves; names below them are delegated to the holders of addresses. */
const APEXES: readonly Row[] = [
  { names: ['arpa', 'in-addr.arpa', 'ip6.arpa'], source: 'RFC 3172', purpose: 'the infrastructure of the Internet' },
];

const expand = (rows: readonly Row[]): ReadonlyMap<string, ReservedName> =>
  new Map(rows.flatMap(({ names, source, purpose }) => names.map((name) => [name, { name, source, purpose }])));
const TREE_OF = expand(TREES);
const APEX_OF = expand(APEXES);

/**
 * The reserved name that a zone of this name is or lies below; the longest one when there are several. Null: the name
 * is free.
 * @param zone canonical: lower-case A-labels without final dot
 * @param allowedSuffixes names that zones may be made of, each with every name below; `allow`: all names
 */
export function reservedName(zone: string, allowedSuffixes: readonly string[] | 'allow'): ReservedName | null {
  if (allowedSuffixes === 'allow') return null;
  const suffixes = listSuffixes(zone);
  if (suffixes.some((suffix) => allowedSuffixes.includes(suffix))) return null;
  const tree = suffixes.find((suffix) => TREE_OF.has(suffix));
  return (tree === undefined ? APEX_OF.get(zone) : TREE_OF.get(tree)) ?? null;
}
