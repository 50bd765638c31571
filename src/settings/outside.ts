// The settings of queries and probes that leave the installation: resolvers, the parents of zones, the targets of
// records, and checked addresses.
import { labels, networks, onOff, portRanges, resolvers, wholeNumber } from './forms.ts';
import { optional, preset } from './setting.ts';

export const OUTSIDE_DNS_SETTINGS = {
  ZONESTEAD_RESOLVER: optional(
    resolvers,
    'the resolvers of the machine; operator: none',
    'The api asks these recursive resolvers, in this order, for ALIAS targets, for dangling names and for the delegation check. The operator asks them for the parents of zones.',
  ),
  ZONESTEAD_PARENT_NETWORKS: preset(
    networks,
    '',
    'The operator and the api can ask name servers of parent zones in these networks as well as at public addresses.',
  ),
  ZONESTEAD_DELEGATION_CHECK: preset(
    onOff,
    'off',
    'With on, the api asks the parent of a new zone, and the status of the zone is ds_required until the parent has its DS record.',
  ),
  ZONESTEAD_PRIVATE_TLDS: preset(
    labels,
    '',
    'Zones with these single labels as names need no Handshake claim, for instance corp,lan. Targets below them do not count as dangling names.',
  ),
  ZONESTEAD_DANGLING_HOURS: preset(
    wholeNumber(0, 24 * 365),
    '24',
    'The api looks up each target of CNAME, MX, NS, SRV and ALIAS records once in this many hours, to find dangling names; a target that does not exist, once an hour. With 0, it looks up none.',
  ),
  ZONESTEAD_CHECK_NETWORKS: preset(
    networks,
    '',
    'Health checks may probe addresses in these networks as well as public addresses. Every team may then probe them. A node that probes has its own list.',
  ),
  ZONESTEAD_CHECK_PORTS: preset(portRanges, '80,443,1024-49151', 'Health checks may probe these ports.'),
};
