// The settings of the name server node, which runs next to Knot DNS.
import {
  cookieSecret,
  hostName,
  hostPorts,
  httpUrl,
  listenAddresses,
  networks,
  nodeNameForm,
  octets,
  oneOf,
  onOff,
  pins,
  text,
  wholeNumber,
} from './forms.ts';
import { optional, preset, required, secret } from './setting.ts';

export const NAMESERVER_SETTINGS = {
  ZONESTEAD_FEED_URL: required(
    httpUrl,
    'The node follows the feed of the api at this base address. Requests go to the paths below /v1/feed there.',
  ),
  ZONESTEAD_FEED_CA: optional(
    text('file'),
    'the authorities of the machine',
    'The node verifies the certificate of the api with the authorities in this PEM file. It reads the file again for each request.',
  ),
  NO_PROXY: optional(
    text('comma-separated hosts and networks'),
    'none',
    'The node connects to an api at these hosts, below these domains or in these networks directly, although HTTPS_PROXY or HTTP_PROXY name a proxy, for instance .svc,10.0.0.0/8,fd00::/8. Networks apply to an address in ZONESTEAD_FEED_URL, and not to a name.',
  ),
  ZONESTEAD_NODE_KEY: secret(required(text('text'), 'The node authenticates at the api with this node key.')),
  ZONESTEAD_NODE_NAME: required(
    nodeNameForm,
    'The node reports under this name, for instance ns1-eu. Each node needs a different one.',
  ),
  ZONESTEAD_NODE_STATE: preset(
    text('folder'),
    '/var/lib/zonestead/node',
    'The node stores in this folder how far it is. Each node needs a folder of its own.',
  ),
  ZONESTEAD_NODE_BEHIND_SECONDS: preset(
    wholeNumber(10, 604_800),
    '300',
    'After its start, a node is not ready until it caught up with the feed, or this many seconds passed. Later it stays ready, because it answers from the zones that it has.',
  ),
  ZONESTEAD_NODE_LOAD_SECONDS: preset(
    wholeNumber(10, 86_400),
    '600',
    'After a start of its name server, a node is not ready until the name server has loaded every zone that it served before, or this many seconds passed, or half of them without another zone. Zones that the name server cannot load count as failing.',
  ),
  ZONESTEAD_NODE_COMPARE_MINUTES: preset(
    wholeNumber(1, 10_080),
    '60',
    'The node compares each zone of its name server with the api once in this many minutes.',
  ),
  ZONESTEAD_NODE_REMOVALS: preset(
    oneOf('guarded', 'all'),
    'guarded',
    '`guarded`: the node keeps zones that a list of another database lacks, as after a restore, for 24 hours or until `zonestead admin nodes accept-removals`. It ignores a zone list that lacks more than 20 zones and more than half of them, unless the api still sends it 10 minutes later. `all`: the node removes the zones immediately.',
  ),
  ZONESTEAD_NODE_PROBES: preset(
    onOff,
    'off',
    'With on, the node probes addresses for the health checks of the api, where at least three nodes with keys of their own do. It probes only addresses and ports that its own ZONESTEAD_CHECK_NETWORKS and ZONESTEAD_CHECK_PORTS permit, and no address of its machine that is not in these networks. It needs connections to these addresses.',
  ),
  ZONESTEAD_KNOT_FOLDER: preset(
    text('folder'),
    '/var/lib/zonestead/knot',
    'The control socket and the keys of the knotd that the node feeds are in this folder.',
  ),
  ZONESTEAD_KNOT_DISK: optional(
    octets,
    'a journal of at most 20,000 MiB',
    'The databases of the knotd together take less than this size of their volume, for instance 1Gi.',
  ),
  ZONESTEAD_KNOT_LISTEN: preset(
    listenAddresses,
    '*',
    'The knotd listens at these addresses, for instance 192.0.2.1,2001:db8::1. With *, it listens on all IPv4 and IPv6 addresses of the machine.',
  ),
  ZONESTEAD_KNOT_PORT: preset(wholeNumber(1, 65_535), '5353', 'The knotd listens on this port, over UDP and TCP.'),
  ZONESTEAD_KNOT_TLS_CERT_FILE: optional(
    text('file'),
    'no DNS over TLS',
    'The knotd also answers over TLS (RFC 7858), with the certificate in this PEM file, the leaf first. It needs Knot DNS 3.4 or later. The file is read again after a change.',
  ),
  ZONESTEAD_KNOT_TLS_KEY_FILE: optional(
    text('file'),
    'no DNS over TLS',
    'The private key of that certificate is in this PEM file. It is read again after a change.',
  ),
  ZONESTEAD_KNOT_TLS_PORT: preset(
    wholeNumber(1, 65_535),
    '8853',
    'The knotd answers over TLS on this port. Clients expect 853.',
  ),
  ZONESTEAD_KNOT_WORKERS: preset(wholeNumber(1, 64), '2', 'The knotd answers queries over UDP with this many threads.'),
  ZONESTEAD_KNOT_RATE_LIMIT: preset(
    wholeNumber(0, 1_000_000),
    '1000',
    'The knotd sends this many answers a second of one kind in one zone to one network of clients, /24 or /56; with Knot DNS 3.4, this many of all kinds and zones to one address. Further answers are truncated, so that real clients repeat over TCP. 0 means no limit.',
  ),
  ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT: preset(
    networks,
    '',
    'The limit does not apply to clients at these addresses and in these networks.',
  ),
  ZONESTEAD_KNOT_COOKIE_SECRET: secret(
    optional(
      cookieSecret,
      'derived from the node key',
      'The knotd makes DNS cookies with this secret. Nodes that share an address need the same one.',
    ),
  ),
  ZONESTEAD_EDGE_PRIMARIES: required(
    hostPorts,
    'The edge transfers zones from these nodes, the usual source first, for instance node-0.example.net:53,192.0.2.2:53. It resolves names at its start and with each check.',
  ),
  ZONESTEAD_EDGE_PRIMARY_PINS: preset(
    pins,
    '',
    'The edge transfers zones over TLS (RFC 9103), from nodes whose certificate has one of these pins: the SHA-256 of its public key in base64. ZONESTEAD_EDGE_PRIMARIES then has the ports of TLS, such as node-0.example.net:853. It needs Knot DNS 3.4 or later. Without pins, transfers are not encrypted.',
  ),
  ZONESTEAD_EDGE_SECONDARY: preset(
    nodeNameForm,
    'edge',
    'The edge follows the catalog zone of the secondary with this name.',
  ),
  ZONESTEAD_EDGE_TSIG_NAME: optional(
    hostName,
    'the name of the secondary and .zonestead',
    'The TSIG key of that secondary has this name.',
  ),
  ZONESTEAD_EDGE_TSIG_ALGORITHM: preset(
    oneOf('hmac-sha256', 'hmac-sha384', 'hmac-sha512'),
    'hmac-sha256',
    'The TSIG key has this algorithm.',
  ),
  ZONESTEAD_EDGE_TSIG_SECRET: secret(
    required(text('base64'), 'The edge transfers zones with this secret of the TSIG key.'),
  ),
  ZONESTEAD_EDGE_WAIT_SECONDS: preset(
    wholeNumber(0, 604_800),
    '300',
    'After its start, an edge is not ready until it has all zones of its catalog, or until it has the catalog and this many seconds passed.',
  ),
  ZONESTEAD_KNOTC: preset(
    text('program'),
    '/usr/sbin/knotc',
    'The command knot-conf writes the configuration database with this program of Knot DNS.',
  ),
  ZONESTEAD_KNOTD: preset(
    text('program'),
    '/usr/sbin/knotd',
    'The command knot-conf starts this program of Knot DNS if it has the option --start.',
  ),
  ZONESTEAD_KEYMGR: preset(
    text('program'),
    '/usr/sbin/keymgr',
    'The node imports the keys of zones with this program of Knot DNS.',
  ),
};
