// The names of the console's settings. They are apart from the plugin, so that an api without a console does not load
// it.
export const CONSOLE_SETTINGS = [
  'ZONESTEAD_CONSOLE',
  'ZONESTEAD_CONSOLE_URL',
  'ZONESTEAD_SESSION_KEY',
  'ZONESTEAD_OIDC_ISSUER',
  'ZONESTEAD_OIDC_CLIENT_ID',
  'ZONESTEAD_OIDC_CLIENT_SECRET',
  'ZONESTEAD_OIDC_SCOPES',
  'ZONESTEAD_OIDC_GROUPS_CLAIM',
  'ZONESTEAD_OIDC_TRUST_EMAIL',
  'ZONESTEAD_OIDC_TEAMS',
] as const;
