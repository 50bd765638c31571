// The looks at key rolls are shared between owners.
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '#store/database.ts';
import { takeDueRolls } from '#store/zone-keys.ts';
import { cloneDatabase } from '../../support/postgres/database.ts';

const database = await cloneDatabase();
const { db, close } = openDatabase(database.url, { max: 1, name: 'looks' });
afterAll(async () => {
  await close();
  await database.close();
});

test('an owner with many key rolls does not hold up the one of another owner, and a look is taken once', async () => {
  const { sql } = database;
  const now = new Date();
  await sql`insert into teams (id, name) values ('team_crowd', 'crowd'), ('team_single', 'single')`;
  await sql`
    insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
    select 'zone_' || n, case when n = 6 then 'team_single' else 'team_crowd' end, 'z' || n || '.example', 'example z' || n,
      'active', 60, 1, '{}' from generate_series(1, 6) n`;
  // The single one is the last that is due.
  await sql`
    insert into zone_keys (zone_id, algorithm, public_key, private_key, state, since, look_at)
    select 'zone_' || n, 13, 'p', 'k', 'published', ${now}, ${now}::timestamptz - (10 - n) * interval '1 s'
    from generate_series(1, 6) n`;
  const first = await takeDueRolls(db, now, 2);
  expect(first.toSorted()).toEqual(['zone_1', 'zone_6']);
  const rest = await takeDueRolls(db, now, 50);
  expect(rest.toSorted()).toEqual(['zone_2', 'zone_3', 'zone_4', 'zone_5']);
  expect(await takeDueRolls(db, now, 50)).toEqual([]);
});
