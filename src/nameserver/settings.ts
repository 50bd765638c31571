// The names of the settings that this room reads, apart from its modules: help lists them without loading the room.

/** The node that follows the feed. */
export const NODE_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'ZONESTEAD_FEED_URL',
  'ZONESTEAD_FEED_CA',
  'ZONESTEAD_NODE_KEY',
  'ZONESTEAD_NODE_NAME',
  'ZONESTEAD_NODE_STATE',
  'ZONESTEAD_NODE_BEHIND_SECONDS',
  'ZONESTEAD_NODE_COMPARE_MINUTES',
  'ZONESTEAD_NODE_REMOVALS',
  'ZONESTEAD_KNOT_FOLDER',
  'ZONESTEAD_KEYMGR',
] as const;

/** The resolver that the api uses. */
export const OUTSIDE_SETTINGS = [
  'ZONESTEAD_RESOLVER',
  'ZONESTEAD_DELEGATION_CHECK',
  'ZONESTEAD_PRIVATE_TLDS',
  'ZONESTEAD_NAMESERVER_ADDRESSES',
] as const;
