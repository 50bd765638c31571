import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '#store/database.ts';
import { sql } from '#store/drizzle.ts';
import { teamByName } from '#store/keys.ts';
import { lockZone } from '#store/zones.ts';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.ts';

let ground: TestDatabase;
let database: Database;

beforeAll(async () => {
  ground = await cloneDatabase();
  database = openDatabase(ground.url, { max: 1 });
});
afterAll(async () => {
  await database.close();
  await ground.close();
});

const NAMED = sql`select statement, generic_plans + custom_plans as runs from pg_prepared_statements`;

test('a statement with parameters is prepared once on a connection, and run by its name from then on', async () => {
  for (let run = 0; run < 3; run++) await teamByName(database.db, 'nobody');
  const found = (await database.db.build.execute(NAMED)).filter(({ statement }) =>
    String(statement).includes('"teams"'),
  );
  expect(found.map(({ runs }) => Number(runs))).toEqual([3]);
});

test('a statement with parameters is prepared inside a transaction too, and stays so for the next one', async () => {
  for (let run = 0; run < 2; run++) await database.db.transaction((tx) => lockZone(tx, 'zone_none'));
  const found = (await database.db.build.execute(NAMED)).filter(({ statement }) =>
    String(statement).includes('for no key'),
  );
  expect(found.map(({ runs }) => Number(runs))).toEqual([2]);
});

test('a statement with parameters is prepared again when the columns of its answer have changed', async () => {
  const probe = (value: number) => database.db.build.execute(sql`select * from pg_temp.shape where a = ${value}`);
  await database.db.build.execute(sql`create temp table shape as select 1 as a`);
  expect([...(await probe(1))]).toEqual([{ a: 1 }]);
  await database.db.build.execute(sql`alter table pg_temp.shape add column b integer default 2`);
  expect([...(await probe(1))]).toEqual([{ a: 1, b: 2 }]);
});

test('a connection can be kept from naming statements, for poolers that lose them', async () => {
  const plain = openDatabase(`${ground.url}?prepare=false`, { max: 1 });
  try {
    await teamByName(plain.db, 'nobody');
    expect([...(await plain.db.build.execute(NAMED))]).toEqual([]);
  } finally {
    await plain.close();
  }
});
