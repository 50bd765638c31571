// The names of the settings that HTTP servers read, apart from their modules.

export const PROXY_SETTINGS = [
  'ZONESTEAD_TRUSTED_PROXIES',
  'ZONESTEAD_PROXY_HEADER',
  'ZONESTEAD_PROXY_PROTOCOL',
] as const;

export const TLS_SETTINGS = ['ZONESTEAD_TLS_LISTEN', 'ZONESTEAD_TLS_CERT_FILE', 'ZONESTEAD_TLS_KEY_FILE'] as const;
