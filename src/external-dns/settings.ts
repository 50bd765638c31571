// The names of the settings that the webhook provider reads, apart from its modules: help lists them without loading
// the webhook provider.

export const EXTERNAL_DNS_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'ZONESTEAD_URL',
  'ZONESTEAD_URL_CA',
  'ZONESTEAD_API_KEY',
  'ZONESTEAD_EXTERNAL_DNS_LISTEN',
  'ZONESTEAD_EXTERNAL_DNS_OWNER_ID',
  'ZONESTEAD_EXTERNAL_DNS_SHARE',
  'ZONESTEAD_EXTERNAL_DNS_ADOPT',
  'ZONESTEAD_EXTERNAL_DNS_MASS_DELETION',
] as const;
