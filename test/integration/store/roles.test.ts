// The role of the api owns its database and has no right over any other role of the server. Up to PostgreSQL 15 a role
// with CREATEROLE could take over every role that is not a superuser, and through a predefined role the machine.
import { chmod } from 'node:fs/promises';
import postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import { prepareDatabase } from '#service/accounts/bootstrap.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { removePostgresState, startPostgres } from '../../../deploy/local/parts/postgres.ts';
import { debianPostgres } from '../../support/postgres/debian-postgres.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const { signal } = new AbortController();
const INSUFFICIENT_PRIVILEGE = '42501';
const TAKEOVERS = [
  'create role mine',
  'create role mine superuser login',
  `alter role bystander password 'mine'`,
  'alter role bystander nologin',
  'grant bystander to zonestead',
  'grant pg_execute_server_program to zonestead',
  'grant pg_read_all_data to zonestead',
  'alter role zonestead createrole',
  'drop role bystander',
  'set role bystander',
];

async function expectNoPower(adminUrl: string, serviceUrl: string): Promise<void> {
  const open = (url: string) => postgres(url, { max: 1, onnotice: () => undefined });
  const [admin, service] = [open(adminUrl), open(serviceUrl)];
  try {
    await admin`create role bystander login password 'own'`;
    const [role] = await admin`
      select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls from pg_roles where rolname = 'zonestead'`;
    expect(Object.entries(role ?? {}).filter(([, may]) => may)).toEqual([]);
    for (const statement of TAKEOVERS) {
      const code = await service.unsafe(statement).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
      expect([statement, code]).toEqual([statement, INSUFFICIENT_PRIVILEGE]);
    }
  } finally {
    await admin`drop role if exists bystander`;
    await Promise.all([admin.end(), service.end()]);
  }
}

test('the role of the api has no power over other roles', async () => {
  const { adminUrl, port, service } = inject('postgres');
  await expectNoPower(adminUrl, `postgres://${service.name}:${service.password}@127.0.0.1:${port}/postgres`);
});

test('the role of the api needs no power over other roles on the oldest PostgreSQL either, where all migrations run', {
  timeout: 300_000,
}, async () => {
  const stateDir = await temporaryFolder('roles');
  await chmod(stateDir, 0o755);
  const { postgres: port } = await allocatePorts([{ name: 'postgres' }], { stateDir });
  const server = await startPostgres({ binDir: await debianPostgres(), stateDir, port, durable: false, signal });
  try {
    const service = { name: 'zonestead', password: 'secret' };
    const roles = { service };
    const url = await prepareDatabase(server.url, 'zonestead', roles);
    // Every start of the bootstrap says the same again.
    expect(await prepareDatabase(server.url, 'zonestead', roles)).toBe(url);
    await expectNoPower(server.url, url);
  } finally {
    await server.stop();
    await removePostgresState(stateDir);
  }
});
