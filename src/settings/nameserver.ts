// The settings of the commands that run next to a name server: nameserver and pdns-conf with PowerDNS, node with Knot DNS.
import { addresses, hostPort, httpUrl, nodeName, oneOf, postgresServerUrl, text, wholeNumber } from './forms.ts';
import { optional, preset, required, secret } from './setting.ts';

export const NAMESERVER_SETTINGS = {
  // nameserver
  ZONESTEAD_NAMESERVER_DATABASE_URL: secret(
    required(postgresServerUrl, 'The name server and its PowerDNS read the database at this address.'),
  ),
  ZONESTEAD_PDNS_SOCKET: preset(
    text('file'),
    '/run/pdns/pdns.controlsocket',
    'The control socket of PowerDNS has this path.',
  ),
  ZONESTEAD_POLL_MS: preset(
    wholeNumber(5, 5_000),
    '25',
    'The name server polls the database for changed zones at this interval in milliseconds.',
  ),
  ZONESTEAD_PDNS_ADDRESS: optional(
    hostPort,
    'readiness does not depend on PowerDNS',
    'PowerDNS answers queries at this address. The process is ready only while it does.',
  ),
  ZONESTEAD_PDNS_CONF: optional(
    text('file'),
    'the file is left alone',
    'The name server updates the configuration of PowerDNS in this file when it starts. If the file changes, it restarts PowerDNS.',
  ),

  // pdns-conf
  ZONESTEAD_PDNS_LISTEN: preset(addresses, '0.0.0.0', 'PowerDNS listens at these addresses, for instance 0.0.0.0,::.'),
  ZONESTEAD_PDNS_PORT: preset(wholeNumber(1, 65_535), '5353', 'PowerDNS listens on this port, over UDP and TCP.'),
  ZONESTEAD_PDNS_THREADS: preset(wholeNumber(1, 64), '2', 'PowerDNS runs this many receiver threads.'),
  ZONESTEAD_PDNS_DATABASE_CA: optional(
    text('file'),
    'the authorities of the machine',
    'PowerDNS verifies the certificate of Postgres with the authorities in this PEM file if the address has ?sslmode=verify-full.',
  ),

  // node
  ZONESTEAD_FEED_URL: required(
    httpUrl,
    'The node follows the feed of the api at this base address. Requests go to the paths below /v1/feed there.',
  ),
  ZONESTEAD_FEED_CA: optional(
    text('file'),
    'the authorities of the machine',
    'The node verifies the certificate of the api with the authorities in this PEM file.',
  ),
  ZONESTEAD_NODE_KEY: secret(required(text('text'), 'The node authenticates at the api with this node key.')),
  ZONESTEAD_NODE_NAME: required(
    nodeName,
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
    'A node that is behind the feed by more seconds is not ready. It serves its zones in any case.',
  ),
  ZONESTEAD_NODE_COMPARE_MINUTES: preset(
    wholeNumber(1, 10_080),
    '60',
    'The node compares each zone of its name server with the api once in this many minutes.',
  ),
  ZONESTEAD_NODE_REMOVALS: preset(
    oneOf('guarded', 'all'),
    'guarded',
    'With guarded, the node does not believe a list that lacks more than 20 zones and more than half of them, until it comes again 10 minutes later. With all, it removes the zones at once.',
  ),
  ZONESTEAD_KNOT_FOLDER: preset(
    text('folder'),
    '/var/lib/zonestead/knot',
    'The control socket and the keys of the knotd that the node feeds are in this folder.',
  ),
  ZONESTEAD_KEYMGR: preset(
    text('program'),
    '/usr/sbin/keymgr',
    'The node imports the keys of zones with this program of Knot DNS.',
  ),
};
