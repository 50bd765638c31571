// The rights of PowerDNS in the database: role pdns reads through schema pdns, and has no other right.
import { expect, test } from 'vitest';
import { startTestService } from '../../support/service.ts';

const service = await startTestService();
const zone = await service.zone('role.example');
await service.record(zone, 'www', 'A', '192.0.2.1');

async function asPdns(statement: string): Promise<string> {
  const sql = service.database.connect(service.database.nameserverUrl);
  try {
    return `${(await sql.unsafe(statement)).length} rows`;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  } finally {
    await sql.end();
  }
}

const DENIED = /^42501 permission denied/;
const tables = await service.sql`
  select format('%I.%I', table_schema, table_name) as name from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;

test('role pdns cannot read a table of any schema', async () => {
  expect(tables.length).toBeGreaterThan(9);
  for (const { name } of tables)
    expect([name, await asPdns(`select * from ${name}`)]).toEqual([name, expect.stringMatching(DENIED)]);
});

test('role pdns cannot write a table', async () => {
  for (const { name } of tables) {
    for (const statement of [`delete from ${name}`, `truncate ${name}`, `alter table ${name} add column x int`]) {
      expect([statement, await asPdns(statement)]).toEqual([statement, expect.stringMatching(/^42501 /)]);
    }
  }
  expect(await asPdns(`update public.zones set state = 'parked'`)).toMatch(DENIED);
  expect(await asPdns(`insert into public.teams (id, name) values ('x', 'x')`)).toMatch(DENIED);
});

test('role pdns cannot write through a view or a function', async () => {
  const views = await service.sql`select viewname as name from pg_views where schemaname = 'pdns'`;
  expect(views.length).toBeGreaterThan(4);
  for (const { name } of views) {
    expect(await asPdns(`delete from pdns.${name}`)).toMatch(/^(42501|55000) /);
  }
  // 0A000: the view has no column of a table.
  expect(await asPdns(`update pdns.domains set account = 'x'`)).toMatch(/^(0A000|42501|55000) /);
  const functions = await service.sql`
    select p.proname as name, p.provolatile as volatility, p.prosecdef as definer, p.proconfig::text as config
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'pdns'`;
  expect(functions.length).toBeGreaterThan(9);
  for (const { name, volatility, definer, config } of functions) {
    // Postgres refuses writes in functions that are not volatile.
    expect([name, volatility === 'v']).toEqual([name, false]);
    // A function with its owner's rights must not look names up in the caller's schemas.
    if (definer) expect([name, config]).toEqual([name, '{"search_path=\\"\\""}']);
  }
});

test('role pdns cannot create objects or change to another role', async () => {
  for (const statement of [
    'create table public.mine (n int)',
    'create table pdns.mine (n int)',
    'create schema mine',
    'create role mine',
    'set role zonestead',
    `alter role zonestead password 'x'`,
    'grant zonestead to pdns',
    `copy (select 1) to program 'true'`,
    `select pg_read_file('/etc/passwd')`,
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and false union select pg_reload_conf()',
  ]) {
    expect([statement, await asPdns(statement)]).toEqual([statement, expect.stringMatching(/^42501 /)]);
  }
});

test('role pdns reads the data that PowerDNS needs', async () => {
  const [{ no } = { no: 0 }] = await service.sql`select no from zones where id = ${zone.id}`;
  for (const call of [
    `pdns.soa('SOA', 'role.example')`,
    `pdns.lookup('www.role.example', ${no})`,
    `pdns.keys('role.example')`,
    `pdns.order_first(${no})`,
    `pdns.order_after('', ${no})`,
    `pdns.order_before('zz', ${no})`,
    `pdns.order_last(${no})`,
    `pdns.changed_since('0')`,
    'pdns.domains',
    'pdns.cryptokeys',
  ]) {
    expect([call, await asPdns(`select * from ${call}`)]).toEqual([call, '1 rows']);
  }
  expect(await asPdns('select * from pdns.records')).toBe('4 rows');
});

test('no other role can use schema pdns, which contains the private keys', async () => {
  const grants = await service.sql`
    select distinct grantee from information_schema.role_table_grants where table_schema = 'pdns'
    union select distinct grantee from information_schema.role_routine_grants where specific_schema = 'pdns'`;
  expect(grants.map(({ grantee }) => grantee).sort()).toEqual(['pdns', 'zonestead']);
});

test('the private key is in no answer of the API and in no row of history', async () => {
  const [row] = await service.sql`select csk_private as key from zones where id = ${zone.id}`;
  const secret = /PrivateKey: (\S+)/.exec(row?.key)?.[1] as string;
  expect(secret).toHaveLength(44);
  const history = await service.sql`select jsonb_agg(to_jsonb(c))::text as text from changes c`;
  const answers = await Promise.all(
    ['/zones', `/zones/${zone.id}`, `/zones/${zone.id}/ds`, `/zones/${zone.id}/records`].map((path) =>
      service.request('GET', path),
    ),
  );
  for (const text of [history[0]?.text, ...answers.map((reply) => reply.text), service.log.join('')]) {
    expect(text).not.toContain(secret);
  }
});
