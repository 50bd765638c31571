// Sets up the database, its role and its schema from the command line. All steps can be repeated.
import { ensureDatabase, ensureRole, giveDatabase } from '#store/admin.ts';
import { migrateDatabase } from '#store/migrate.ts';

export { type MigrationPlan, migrateDatabase, planMigration } from '#store/migrate.ts';
export { indexesToBuild } from '#store/schema-steps.ts';
export { LOCK_EFFECTS } from '#store/statement-locks.ts';

interface Roles {
  /** The role that owns the database; the API uses it. */
  service: { name: string; password: string };
}

/** The URL of another database on the same server, optionally with another login. */
export function databaseUrl(url: string, database: string, login?: { name: string; password: string }): string {
  const newUrl = new URL(url);
  newUrl.pathname = `/${database}`;
  if (login) {
    newUrl.username = encodeURIComponent(login.name);
    newUrl.password = encodeURIComponent(login.password);
  }
  return newUrl.toString();
}

/**
 * Creates the database and its role, and runs the migrations as this role, which has no rights beyond its database.
 * @param adminUrl the URL of the server with the login of a superuser
 * @returns the URL for the API
 */
export async function prepareDatabase(adminUrl: string, database: string, roles: Roles): Promise<string> {
  await ensureRole(adminUrl, roles.service.name, roles.service.password);
  await ensureDatabase(adminUrl, database);
  await giveDatabase(adminUrl, database, roles.service.name);
  const url = databaseUrl(adminUrl, database, roles.service);
  await migrateDatabase(url);
  return url;
}
