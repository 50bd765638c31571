// Replicas of the api that decide about zone transfers at the same time: one source, and no slot of two nodes.
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { decideTransfers } from '#service/nodes/transfers.ts';
import { adminPutSecondary } from '#service/secondaries/administration.ts';
import { openDatabase } from '#store/database.ts';
import { cloneDatabase } from '../../../support/postgres/database.ts';

const REPLICAS = 4;
const database = await cloneDatabase();
const { sql } = database;
const key = await adminMintNodeKey(database.url, 'nodes', {}, randomBytes, new Date());
const [, keyId = ''] = key.text.split('_');
const replicas = Array.from({ length: REPLICAS }, () => openDatabase(database.url, { max: 2 }));
afterAll(async () => {
  await Promise.all(replicas.map(({ close }) => close()));
  await database.close();
});

const report = (name: string, secondsAgo = 0) => sql`
  insert into nodes (name, instance, key_id, version, engine, cursor, position, zones, failing_count, failing, started_at, first_at, reported_at)
  values (${name}, ${name}, ${keyId}, '1', 'Knot DNS', 'cursor', pg_current_snapshot(), 0, 0, '[]', now(), now(), now() - make_interval(secs => ${secondsAgo}))
  on conflict (name, instance) do update set reported_at = excluded.reported_at`;

const decideAtOnce = async () => {
  const moves = await Promise.all(replicas.map(({ db }) => decideTransfers(db)));
  return moves.filter((move) => move !== null);
};
const plan = async () => (await sql`select source, generation from transfer_plan`)[0];
const slots = async () => (await sql`select node, slot from transfer_slots order by slot`).map(({ node }) => node);

test('replicas that decide at the same time give each node one slot, and move the source once', async () => {
  const input = { name: 'eu', addresses: ['192.0.2.53'], zones: 'all' as const };
  await adminPutSecondary(database.url, input, randomBytes, new Date());
  let { generation } = (await plan()) as { generation: number };
  for (const name of ['a', 'b', 'c', 'd', 'e']) await report(name);
  for (let round = 0; round < 10; round++) {
    const first = await decideAtOnce();
    expect(first).toEqual([{ source: expect.any(String), before: round === 0 ? null : expect.any(String) }]);
    const { source } = first[0]!;
    generation += 1;
    expect(await plan()).toEqual({ source, generation });
    expect((await slots()).length).toBe(4);
    expect(new Set(await slots()).size).toBe(4);
    expect(await decideAtOnce()).toEqual([]);
    // The source dies, and one of the others takes its place; it is back for the next round.
    for (const name of ['a', 'b', 'c', 'd', 'e']) await report(name, name === source ? 60 : 0);
  }
});

test('replicas that decide at the same time give a slot that became free to one of the nodes that wait for it', async () => {
  await sql`delete from nodes where name = (select node from transfer_slots where node <> (select source from transfer_plan) limit 1)`;
  for (const name of ['x', 'y', 'z']) await report(name);
  const before = await slots();
  for (let round = 0; round < 5; round++) await decideAtOnce();
  const after = await slots();
  expect(after.length).toBe(4);
  expect(after.filter((node) => !before.includes(node))).toHaveLength(1);
});
