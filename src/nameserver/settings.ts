// The names of the settings that this room reads, apart from its modules: help lists them without loading the room.

/** The configuration of knotd. */
export const KNOT_SETTINGS = [
  'ZONESTEAD_KNOT_FOLDER',
  'ZONESTEAD_KNOT_DISK',
  'ZONESTEAD_NODE_NAME',
  'ZONESTEAD_KNOT_LISTEN',
  'ZONESTEAD_KNOT_PORT',
  'ZONESTEAD_KNOT_TLS_CERT_FILE',
  'ZONESTEAD_KNOT_TLS_KEY_FILE',
  'ZONESTEAD_KNOT_TLS_PORT',
  'ZONESTEAD_KNOT_WORKERS',
  'ZONESTEAD_KNOT_RATE_LIMIT',
  'ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT',
  'ZONESTEAD_KNOT_COOKIE_SECRET',
] as const;

/** The command that makes the configuration database. */
export const KNOT_CONF_SETTINGS = [...KNOT_SETTINGS, 'ZONESTEAD_KNOTC', 'ZONESTEAD_KNOTD'] as const;

/** An edge: a knotd that follows the catalog of nodes. */
export const EDGE_SETTINGS = [
  'ZONESTEAD_EDGE_PRIMARIES',
  'ZONESTEAD_EDGE_SECONDARY',
  'ZONESTEAD_EDGE_TSIG_NAME',
  'ZONESTEAD_EDGE_TSIG_ALGORITHM',
  'ZONESTEAD_EDGE_TSIG_SECRET',
  'ZONESTEAD_EDGE_WAIT_SECONDS',
  ...KNOT_SETTINGS,
  'ZONESTEAD_KNOTD',
] as const;

/** The metrics of an edge. They need neither its key nor its nodes. */
export const EDGE_METRICS_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'ZONESTEAD_KNOT_FOLDER',
  'ZONESTEAD_EDGE_SECONDARY',
] as const;

/** The node that follows the feed. */
export const NODE_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'ZONESTEAD_FEED_URL',
  'ZONESTEAD_FEED_CA',
  'NO_PROXY',
  'ZONESTEAD_NODE_KEY',
  'ZONESTEAD_NODE_STATE',
  'ZONESTEAD_NODE_BEHIND_SECONDS',
  'ZONESTEAD_NODE_LOAD_SECONDS',
  'ZONESTEAD_NODE_COMPARE_MINUTES',
  'ZONESTEAD_NODE_REMOVALS',
  'ZONESTEAD_KEYMGR',
  ...KNOT_SETTINGS,
] as const;

/** The resolver that the api uses. */
export const OUTSIDE_SETTINGS = [
  'ZONESTEAD_RESOLVER',
  'ZONESTEAD_DELEGATION_CHECK',
  'ZONESTEAD_PRIVATE_TLDS',
  'ZONESTEAD_NAMESERVER_ADDRESSES',
] as const;
