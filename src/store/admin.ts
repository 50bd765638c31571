// The database for an administrator: one connection for a piece of work, and the steps that prepare a server before the
// first migration, with the login of the name server's role.
import { type Db, openDatabase } from './database.ts';
import { sql } from './drizzle.ts';

/** Runs `work` on one connection, which is closed afterwards. */
export async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { max: 1, name: 'zonestead-admin' });
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

/** Creates a database unless it exists, from a template if one is named. @param url the URL of an administrator */
export async function ensureDatabase(url: string, name: string, template = 'template1'): Promise<void> {
  await withDatabase(url, async (db) => {
    const databaseRows = await db.build.execute(sql`select from pg_database where datname = ${name}`);
    if (databaseRows.length > 0) return;
    await db.build.execute(sql`create database ${sql.identifier(name)} template ${sql.identifier(template)}`);
  });
}

/**
 * Makes a login role unless it exists, and sets its password. The role gets no right over other roles: up to PostgreSQL
 * 15 a role with CREATEROLE may change the password of every role that is not a superuser, and make itself a member of
 * pg_execute_server_program.
 */
export async function ensureRole(url: string, name: string, password: string): Promise<void> {
  await withDatabase(url, async (db) => {
    const roleRows = await db.build.execute(sql`select from pg_roles where rolname = ${name}`);
    if (roleRows.length === 0) await db.build.execute(sql`create role ${sql.identifier(name)}`);
    // A utility statement takes no parameters; the literal is quoted by Postgres itself.
    const quotedRows = await db.build.execute(sql`select quote_literal(${password}) as literal`);
    const literal = sql.raw(quotedRows[0]?.literal as string);
    await db.build.execute(sql`alter role ${sql.identifier(name)} login nocreaterole password ${literal}`);
  });
}

/** Gives a database to a role. */
export async function giveDatabase(url: string, name: string, role: string): Promise<void> {
  await withDatabase(url, async (db) => {
    await db.build.execute(sql`alter database ${sql.identifier(name)} owner to ${sql.identifier(role)}`);
  });
}
