// The settings of the connection to the database, which every command that has one reads together.
import { protectPostgresAddress } from './postgres-address.ts';

export const DATABASE_PROTECTION_SETTINGS = ['ZONESTEAD_DATABASE_CA', 'ZONESTEAD_DATABASE_WITHOUT_TLS'] as const;
export const DATABASE_SETTINGS = ['DATABASE_URL', ...DATABASE_PROTECTION_SETTINGS] as const;

export interface DatabaseProtection {
  ZONESTEAD_DATABASE_CA?: string | undefined;
  ZONESTEAD_DATABASE_WITHOUT_TLS?: 'refuse' | 'allow' | undefined;
}

/**
 * The address for the driver, with the options of TLS that the settings add. Not ok if the settings do not protect the
 * connection.
 */
export function protectedDatabaseUrl(
  url: string,
  { ZONESTEAD_DATABASE_CA: authorities, ZONESTEAD_DATABASE_WITHOUT_TLS: without }: DatabaseProtection,
): ReturnType<typeof protectPostgresAddress> {
  return protectPostgresAddress(url, { authorities, isUnverifiedAllowed: without === 'allow' });
}
