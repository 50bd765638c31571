// The settings of the console by name. Apart from the plugin, so that an api without console loads none of it.
export const CONSOLE_SETTINGS = [
  'ZONESTEAD_CONSOLE',
  'ZONESTEAD_CONSOLE_URL',
  'ZONESTEAD_SESSION_KEY',
  'ZONESTEAD_OIDC_ISSUER',
  'ZONESTEAD_OIDC_CLIENT_ID',
  'ZONESTEAD_OIDC_CLIENT_SECRET',
  'ZONESTEAD_OIDC_SCOPES',
  'ZONESTEAD_OIDC_GROUPS_CLAIM',
  'ZONESTEAD_OIDC_TEAMS',
] as const;
