// Faults about the two families of addresses: their one form, their networks, listeners, and the family that is asked.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const ADDRESS = 'src/base/address.ts';
const NETWORKS = 'src/base/networks.ts';
const EXCHANGE = 'src/nameserver/probe/exchange.ts';
const UDP = "createSocket(isIPv6(server.address) ? 'udp6' : 'udp4')";
const PARENT = 'src/nameserver/probe/parent.ts';
const byAddress = noticedBy('address', 'test/unit/base/address.test.ts');
const byNetworks = noticedBy('address', 'test/unit/base/networks.test.ts');
const byFamilies = noticedBy('address', 'test/unit/base/families.test.ts');
const byListeners = noticedBy('address', 'test/unit/base/listen-address.test.ts');
const byForm = noticedBy('address', 'test/unit/dns/network.test.ts');
const bySettings = noticedBy('address', 'test/unit/config.test.ts');
const byProbe = noticedBy('address', 'test/unit/nameserver/exchange.test.ts');
const byDelegated = noticedBy('address', 'test/unit/operator/delegated.test.ts');
const byDelegation = noticedBy('address', 'test/integration/cli/delegation.test.ts');
const byStatus = noticedBy('address', 'test/integration/service/zones/creation-status.test.ts');
const byAlias = noticedBy('address', 'test/integration/nameserver/resolver/alias.test.ts');
const byCanary = noticedBy('address', 'test/integration/canary/canary.test.ts');
const byAgent = noticedBy('address', 'test/unit/nameserver/node/feed-agent.test.ts');
const byChart = noticedBy('address', 'test/integration/chart/families.test.ts');
const byDynamic = noticedBy('address', 'test/integration/doors/dyndns/requests.test.ts');

export const ADDRESS_FAULTS: readonly Fault[] = [
  byAddress(
    'mapped',
    'a client at a socket for both families has another address than at one for IPv4',
    ADDRESS,
    'return isV4Mapped(six) ? formatIpv4(six.subarray(12)) : formatIpv6',
    'return formatIpv6',
  ),
  byAddress(
    'zone',
    'a link-local client has no address',
    ADDRESS,
    "plainAddress(text.split('%', 1)[0] ?? '')",
    'plainAddress(text)',
  ),
  byNetworks(
    'families',
    'a key for an IPv4 network is refused to its clients at a socket for both families',
    NETWORKS,
    'lists[familyOf(plain)].check',
    'lists[familyOf(address)].check',
  ),
  byNetworks(
    'share',
    'a client with IPv6 has a limit for each of its addresses',
    NETWORKS,
    '[0, 2, 4, 6]',
    '[0, 2, 4, 6, 8, 10, 12, 14]',
  ),
  byNetworks(
    'proxy-share',
    'all IPv4 clients that a proxy names in IPv6 form share one limit',
    NETWORKS,
    'const plain = peerAddress(address) ?? address;',
    'const plain = address;',
  ),
  byFamilies(
    'order',
    'a machine with IPv6 alone asks the IPv4 addresses of name servers',
    'src/base/families.ts',
    "return has('IPv6') && !has('IPv4') ? [6, 4] : [4, 6];",
    'return has("IPv6") && !has("IPv4") ? [4, 6] : [4, 6];',
  ),
  byListeners(
    'without-ipv6',
    'no server starts on a machine without IPv6',
    'src/base/listen-address.ts',
    'return (await canUseIpv6()) ? IPV6 : IPV4;',
    'return IPV6;',
  ),
  byListeners(
    'knot-ipv4',
    'knotd does not answer over IPv4, because its socket for IPv6 serves that family alone',
    'src/base/listen-address.ts',
    '? [IPV4, IPV6] : [IPV4]',
    '? [IPV6] : [IPV4]',
  ),
  byForm(
    'mapped-network',
    'a network in which no client has an address is accepted for a key',
    'src/dns/network.ts',
    'isV4Mapped(octets) && length >= MAPPED_BITS',
    'isV4Mapped(octets) && length > 128',
  ),
  bySettings(
    'setting-zone',
    'a setting with a zone id gets a sentence about its form alone',
    'src/settings/forms.ts',
    'const fault = describeUnusable(address);\n  if (fault !== null) context.addIssue(',
    'const fault = null;\n  if (fault !== null) context.addIssue(',
  ),
  byChart(
    'services',
    'the Services of a cluster with both families have addresses of one',
    'charts/zonestead/values.yaml',
    'ipFamilyPolicy: PreferDualStack',
    'ipFamilyPolicy: SingleStack',
  ),
  byDynamic(
    'dyndns',
    'the IPv4 address of a router is published in an AAAA record',
    'src/doors/dyndns/read.ts',
    "isIPv4(address) ? 'A' : 'AAAA'",
    "isIPv4(text) ? 'A' : 'AAAA'",
  ),
  byAgent(
    'no-proxy',
    'a node reaches an api in a network of NO_PROXY through the proxy',
    'src/nameserver/node/feed-agent.ts',
    'matchNetworks(networks)(host) ?',
    '!host ?',
  ),
  byProbe(
    'probe-udp',
    'name servers with IPv6 addresses are asked over TCP alone',
    EXCHANGE,
    UDP,
    "createSocket('udp4')",
  ),
  byStatus(
    'resolver-udp',
    'a resolver with an IPv6 address is not asked for the DS records of a zone',
    EXCHANGE,
    UDP,
    "createSocket('udp4')",
  ),
  byDelegation(
    'parent-aaaa',
    'a parent whose name servers have IPv6 addresses alone is never asked',
    PARENT,
    "family === 4 ? 'A' : 'AAAA', query)",
    "family === 4 ? 'A' : 'A', query)",
  ),
  byDelegated(
    'parent-private',
    'the author of a DNSZone makes the operator query machines of its network over IPv6',
    PARENT,
    'query.own.has(server) || query.mayQuery(address)',
    'query.own.has(server) || family === 6 || query.mayQuery(address)',
  ),
  byDelegated(
    'parent-mapped',
    'the operator queries an IPv4 address that a parent names in IPv6 form',
    PARENT,
    'rdata.length === 16 && !isV4Mapped(rdata)',
    'rdata.length === 16',
  ),
  byAlias(
    'alias-aaaa',
    'an ALIAS has no IPv6 addresses if its target has no IPv4 address',
    'src/nameserver/resolver/alias-plan.ts',
    'return a.addresses.length + aaaa.addresses.length === 0 ?',
    'return a.addresses.length === 0 ?',
  ),
  byCanary(
    'canary-label',
    'the canary reports an IPv6 address with its port as another address',
    'src/canary/paths.ts',
    'return formatHostPort(address, port);',
    "return [address, port].join(':');",
  ),
];
