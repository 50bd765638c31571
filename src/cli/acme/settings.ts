// The names of the settings that the ACME hook reads, apart from its modules: help lists them without loading the hook.

export const ACME_SETTINGS = [
  'ZONESTEAD_URL',
  'ZONESTEAD_URL_CA',
  'ZONESTEAD_API_KEY',
  'ZONESTEAD_NAMESERVER_ADDRESSES',
  'ZONESTEAD_RESOLVER',
  'ZONESTEAD_PROPAGATION_SECONDS',
  'ZONESTEAD_PROPAGATION_TIMEOUT',
] as const;
