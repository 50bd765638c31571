// The database constraints behind the rules: a bug or a second writer cannot store records that DNS could not serve.
import { expect, test } from 'vitest';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false, writesBehind: true });
const { sql } = service;
const zone = await service.zone('constraints.example');
const [{ no } = { no: 0 }] = await sql`select no from zones where id = ${zone.id}`;

type Query = typeof sql;
let ids = 0;
const insert = (on: Query, name: string, type: string, change: object = {}) =>
  on`insert into records ${on({
    id: `rec_sql_${++ids}`,
    zone_no: no,
    name,
    ordername: name,
    type,
    content: 'x',
    rdata: 'x',
    digest: Buffer.from(`${type}-${ids}`),
    ttl: null,
    priority: null,
    ...change,
  })}`;
const constraintOf = async (statement: Promise<unknown>) =>
  statement.then(
    () => 'taken',
    (error: { code: string; constraint_name: string }) => `${error.code} ${error.constraint_name}`,
  );

test('a CNAME next to another record is refused in both orders', async () => {
  await insert(sql, 'a-first', 'A');
  expect(await constraintOf(insert(sql, 'a-first', 'CNAME'))).toBe('23P01 records_cname_alone');
  await insert(sql, 'cname-first', 'CNAME');
  expect(await constraintOf(insert(sql, 'cname-first', 'A'))).toBe('23P01 records_cname_alone');
  expect(await constraintOf(insert(sql, 'cname-first', 'CNAME'))).toBe('23505 records_one_cname_idx');
});

test('an update cannot move a record next to a CNAME either', async () => {
  await insert(sql, 'stays', 'CNAME');
  await insert(sql, 'moves', 'A', { id: 'rec_moves' });
  expect(await constraintOf(sql`update records set ordername = 'stays', name = 'stays' where id = 'rec_moves'`)).toBe(
    '23P01 records_cname_alone',
  );
  expect(await constraintOf(sql`update records set type = 'CNAME' where id = 'rec_moves'`)).toBe('taken');
});

test.each([
  ['CNAME', 'A'],
  ['A', 'CNAME'],
  ['CNAME', 'CNAME'],
])('two concurrent transactions, %s and %s at one name: the second waits for the first and fails', async (one, two) => {
  const name = `race-${one}-${two}`.toLowerCase();
  const [first, second] = [service.database.connect(), service.database.connect()];
  try {
    await first`begin`;
    await insert(first, name, one);
    const late = constraintOf(second.begin((on) => insert(on as unknown as Query, name, two)));
    const waits = async () =>
      (
        await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into%'`
      ).length;
    await expect.poll(waits).toBe(1);
    await first`commit`;
    expect(await late).toMatch(/^23(P01 records_cname_alone|505 records_one_cname_idx)$/);
    expect(await sql`select type from records where ordername = ${name}`).toEqual([{ type: one }]);
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
});

test('the same wire form twice at one name and type is refused', async () => {
  const digest = Buffer.from('same');
  await insert(sql, 'twice', 'A', { digest });
  expect(await constraintOf(insert(sql, 'twice', 'A', { digest }))).toBe('23505 records_rdata_key');
  expect(await constraintOf(insert(sql, 'twice', 'AAAA', { digest }))).toBe('taken');
});

test.each([
  [{ ttl: 29 }, 'records_ttl'],
  [{ ttl: 86_401 }, 'records_ttl'],
  [{ priority: -1 }, 'records_priority'],
  [{ priority: 65_536 }, 'records_priority'],
])('a record with %j is refused', async (change, constraint) => {
  expect(await constraintOf(insert(sql, 'bounds', 'MX', change))).toBe(`23514 ${constraint}`);
});

test('a record cannot outlive its zone', async () => {
  expect(await constraintOf(insert(sql, 'lost', 'A', { zone_no: 2_000_000_000 }))).toMatch(/^23503 /);
});

test('two zones of one name are impossible, and so is a zone with values out of range', async () => {
  const clone = (change: object) => sql`
    insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
    select r.id, z.team_id, r.name, r.tree, r.state, r.default_ttl, r.serial, z.ds
    from zones z, jsonb_populate_record(z, ${sql.json(change as never)}) r where z.id = ${zone.id}`;
  const fresh = { id: 'zone_sql', name: 'sql.example', tree: 'example sql' };
  expect(await constraintOf(clone({ id: 'zone_sql' }))).toBe('23505 zones_name_key');
  expect(await constraintOf(clone({ ...fresh, tree: 'example constraints' }))).toBe('23505 zones_tree_idx');
  expect(await constraintOf(clone({ ...fresh, state: 'gone' }))).toBe('23514 zones_state');
  expect(await constraintOf(clone({ ...fresh, default_ttl: 29 }))).toBe('23514 zones_default_ttl');
  expect(await constraintOf(clone({ ...fresh, serial: 2 ** 32 }))).toBe('23514 zones_serial');
  expect(await constraintOf(clone(fresh))).toBe('taken');
});
