// A fresh database for one test file, cloned from the template in about 100 ms, and the proof that nothing is left
// connected to it at the end.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import { inject } from 'vitest';
import { databaseUrl } from '#service/accounts/bootstrap.ts';

export interface TestDatabase {
  name: string;
  /** As the api's role. */
  url: string;
  /** For tests that look behind the API. As the api's role; a connection of one's own is `connect()`. */
  sql: Sql;
  /** One more client with one connection, which the test closes; one that stays open fails the file. */
  connect(url?: string): Sql;
  /** Drops the database. @throws when a client is still connected to it */
  close(): Promise<void>;
}

const LEAVE_MS = 30_000;
const ADMIN_IDLE_S = 10;

/** @param from (Default: the migrated template.) `template1` is empty. */
export async function cloneDatabase(from?: string): Promise<TestDatabase> {
  const { adminUrl, template, service } = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = administrator(adminUrl);
  await admin`create database ${admin(name)} template ${admin(from ?? template)} owner ${admin(service.name)}`;
  const url = databaseUrl(adminUrl, name, service);
  const open = (address: string, max: number) =>
    postgres(address, { max, onnotice: () => undefined, connection: { application_name: 'test' } });
  const sql = open(url, 4);
  return {
    name,
    url,
    sql,
    connect: (address = url) => open(address, 1),
    close: async () => {
      await sql.end({ timeout: 1 });
      const left = await leftOpen(admin, name);
      await dropDatabase(adminUrl, name);
      if (left.length > 0) throw new Error(`still connected to the test database at its end: ${left.join('; ')}`);
    },
  };
}

/** Drops a database and the connections to it. @param url the URL of an administrator */
export async function dropDatabase(url: string, name: string): Promise<void> {
  const admin = administrator(url);
  await admin`drop database if exists ${admin(name)} with (force)`;
}

const administrators = new Map<string, Sql>();

/**
 * One connection a worker, which closes itself when it is idle: the files of a worker make and drop a database each.
 */
function administrator(url: string): Sql {
  const open = () => postgres(url, { max: 1, idle_timeout: ADMIN_IDLE_S, onnotice: () => undefined });
  const admin = administrators.get(url) ?? open();
  administrators.set(url, admin);
  return admin;
}

/** The open connections, after a backend whose client has disconnected had time to notice it. */
async function leftOpen(admin: Sql, name: string): Promise<string[]> {
  for (const until = performance.now() + LEAVE_MS; ; ) {
    const rows = await admin`
      select application_name, usename, state, left(query, 100) as query from pg_stat_activity
      where datname = ${name} and backend_type = 'client backend'`;
    if (rows.length === 0 || performance.now() >= until) {
      return rows.map((row) => `${row.application_name} (${row.usename}, ${row.state}: ${row.query})`);
    }
    await sleep(20);
  }
}
