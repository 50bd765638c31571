// Setting up a service from nothing, for the command line: database, roles and migrations. Everything may be repeated.
import { ensureDatabase, ensureRole, giveDatabase } from '../store/admin.ts';
import { migrateDatabase } from '../store/migrate.ts';

export { migrateDatabase } from '../store/migrate.ts';

export interface Roles {
  /** Owns the database; used by the api. */
  service: { name: string; password: string };
  /** Password of role `pdns`, used by PowerDNS and its companion. */
  nameserverPassword: string;
}

/** The address of a database on the same server, for another login. */
export function databaseUrl(url: string, database: string, login?: { name: string; password: string }): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  if (login) {
    changed.username = encodeURIComponent(login.name);
    changed.password = encodeURIComponent(login.password);
  }
  return changed.toString();
}

/**
 * Makes database and roles, and migrates.
 * @param adminUrl of a superuser
 * @returns the address for the api
 */
export async function prepareDatabase(adminUrl: string, database: string, roles: Roles): Promise<string> {
  await ensureRole(adminUrl, roles.service.name, roles.service.password, true);
  await ensureDatabase(adminUrl, database);
  await giveDatabase(adminUrl, database, roles.service.name);
  const url = databaseUrl(adminUrl, database, roles.service);
  await migrateDatabase(url);
  await ensureRole(adminUrl, 'pdns', roles.nameserverPassword, false);
  return url;
}
