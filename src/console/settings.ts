// The settings of the console by name. Apart from the plugin, so that an api without console loads none of it.
export const CONSOLE_SETTINGS = ['ZONESTEAD_CONSOLE', 'ZONESTEAD_CONSOLE_URL', 'ZONESTEAD_SESSION_KEY'] as const;
