// The names of the settings that this room reads, apart from its modules: help lists them without loading the room.

/** The process next to PowerDNS. */
export const NAMESERVER_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'ZONESTEAD_NAMESERVER_DATABASE_URL',
  'ZONESTEAD_PDNS_SOCKET',
  'ZONESTEAD_POLL_MS',
  'ZONESTEAD_PDNS_ADDRESS',
] as const;

/** The configuration file of PowerDNS. */
export const CONF_SETTINGS = [
  'ZONESTEAD_NAMESERVER_DATABASE_URL',
  'ZONESTEAD_PDNS_LISTEN',
  'ZONESTEAD_PDNS_PORT',
  'ZONESTEAD_PDNS_THREADS',
  'ZONESTEAD_PDNS_DATABASE_CA',
] as const;

/** The resolver that the api uses. */
export const OUTSIDE_SETTINGS = [
  'ZONESTEAD_RESOLVER',
  'ZONESTEAD_DELEGATION_CHECK',
  'ZONESTEAD_PRIVATE_TLDS',
  'ZONESTEAD_NAMESERVER_ADDRESSES',
] as const;
