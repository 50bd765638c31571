// The order in which three name servers get a child zone and its delegation.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Resolver } from '../../../support/dns/resolver.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nodes: 3 });
const { servers } = service;
const CREATIONS = 8;

const isServed = async (server: Resolver, name: string) => {
  const { rcode, aa, answers } = await server.lookup(name, 'SOA');
  return rcode === 'NOERROR' && aa && answers.length === 1;
};
// A DS record lies in the parent zone (RFC 4035 section 3.1.4.1).
const isDelegated = async (server: Resolver, name: string) => (await server.lookup(name, 'DS')).answers.length > 0;

/**
 * Asks all name servers all the time, until `isOver`.
 * @returns the number of answers of name servers without the zone, to queries after another one had delegated it
 */
async function watch(name: string, isOver: () => Promise<boolean>): Promise<number> {
  let [delegatedAt, lame, isOn] = [Number.POSITIVE_INFINITY, 0, true];
  const asking = servers.map(async (server) => {
    while (isOn) {
      const asked = performance.now();
      const [served, delegated] = await Promise.all([isServed(server, name), isDelegated(server, name)]);
      if (delegated) delegatedAt = Math.min(delegatedAt, performance.now());
      if (!served && asked > delegatedAt) lame += 1;
      await sleep(1);
    }
  });
  await expect.poll(isOver, { timeout: 50_000, interval: 10 }).toBe(true);
  isOn = false;
  await Promise.all(asking);
  return lame;
}

/** The id of the zone with this name. */
const idOf = async (name: string) =>
  ((await service.request('GET', `/zones?zoneName=${name}`)).body.zones as { id: string }[])[0]?.id as string;

const allOf = async (what: (server: Resolver, name: string) => Promise<boolean>, name: string) =>
  (await Promise.all(servers.map((server) => what(server, name)))).every(Boolean);

test('every name server answers for a new child zone before one of them delegates it', async () => {
  await service.zone('parent.example');
  await expect.poll(() => allOf(isServed, 'parent.example'), { timeout: 20_000 }).toBe(true);
  const seen: number[] = [];
  for (let number = 0; number < CREATIONS; number += 1) {
    const name = `c${number}.parent.example`;
    const watching = watch(name, async () => (await allOf(isServed, name)) && allOf(isDelegated, name));
    await service.zone(name);
    seen.push(await watching);
  }
  expect(seen).toEqual(seen.map(() => 0));
}, 280_000);

/** Runs `work` while an instance of a node counts that reported a moment ago and applies nothing from now on. */
async function withStuckNode(work: () => Promise<void>): Promise<void> {
  await service.sql`
    insert into nodes (name, instance, key_id, version, engine, cursor, position, epoch, zones, failing_count, failing,
      started_at, first_at, reported_at)
    select 'ns9', 'stuck', key_id, version, engine, cursor, position, epoch, 0, 0, '[]', now(), now(), now() + interval '1 hour'
    from nodes where name = 'ns1' limit 1`;
  await work();
  await service.sql`delete from nodes where name = 'ns9'`;
}

test('name servers keep a deleted child zone until none delegates it, or until its time is over', async () => {
  const name = 'kid.parent.example';
  await service.zone(name);
  await expect.poll(() => allOf(isDelegated, name), { timeout: 20_000 }).toBe(true);
  const id = await idOf(name);
  await withStuckNode(async () => {
    expect((await service.request('DELETE', `/zones/${id}`)).status).toBe(204);
    await service.sql`update departing_zones set due = now() + interval '1 hour'`;
    const isNotDelegated = async (server: Resolver) => !(await isDelegated(server, name));
    await expect.poll(() => allOf(isNotDelegated, name), { timeout: 20_000 }).toBe(true);
    // Nodes that have a later zone have every earlier change as well, or a second of time for it.
    await service.zone('later.example');
    await expect.poll(() => allOf(isServed, 'later.example'), { timeout: 20_000 }).toBe(true);
    await sleep(1_000);
    expect(await allOf(isServed, name)).toBe(true);
    await service.sql`update departing_zones set due = now()`;
    const isAway = async (server: Resolver) => !(await isServed(server, name));
    await expect.poll(() => allOf(isAway, name), { timeout: 20_000 }).toBe(true);
  });
});

test('a node that is silent delays a delegation only until its time is over', async () => {
  const name = 'late.parent.example';
  await withStuckNode(async () => {
    await service.zone(name);
    await expect.poll(() => allOf(isServed, name), { timeout: 20_000 }).toBe(true);
    expect(await isDelegated(servers[0] as Resolver, name)).toBe(false);
    await service.sql`update zones set delegation_due = now() where name = ${name}`;
    await expect.poll(() => allOf(isDelegated, name), { timeout: 20_000 }).toBe(true);
  });
});

test('a child zone is delegated after the api that created it has ended, and one that is created again at once is served', async () => {
  const sql = service.sql;
  // As after a crash between the commit and the delegation: no process was told.
  await service.zone('crash.parent.example');
  await expect.poll(() => allOf(isDelegated, 'crash.parent.example'), { timeout: 20_000 }).toBe(true);
  await sql`update zones set delegation_xid = pg_current_xact_id(), delegation_due = now() + interval '30 s', changed_xid = pg_current_xact_id()
    where name = 'crash.parent.example'`;
  await sql`update zones set changed_xid = pg_current_xact_id() where name = 'parent.example'`;
  await expect
    .poll(async () => (await sql`select from zones where delegation_due is not null`).length, { timeout: 20_000 })
    .toBe(0);
  await expect.poll(() => allOf(isDelegated, 'crash.parent.example'), { timeout: 20_000 }).toBe(true);
  for (let round = 0; round < 3; round += 1) {
    const id = await idOf('crash.parent.example');
    await service.request('DELETE', `/zones/${id}`);
    const again = await service.zone('crash.parent.example');
    expect(again.key?.kept).toBe(true);
    await expect
      .poll(async () => (await allOf(isServed, 'crash.parent.example')) && allOf(isDelegated, 'crash.parent.example'), {
        timeout: 20_000,
      })
      .toBe(true);
  }
  expect(await sql`select from departing_zones`).toHaveLength(0);
});

test('parents that their owner keeps busy do not delay the delegations of other owners', async () => {
  const { sql } = service;
  const other = await service.key({ team: 'second', manageZones: 'write' });
  const parents = Array.from({ length: 6 }, (_, number) => `busy${number}.example`);
  await service.zone('calm.example', other);
  for (const parent of parents) {
    await service.zone(parent);
    await service.zone(`one.${parent}`);
    await service.zone(`two.${parent}`);
  }
  const waiting = () => sql<{ name: string }[]>`select name from zones where delegation_due is not null order by name`;
  await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBe(0);
  // As while each parent has an import that takes long.
  await sql.begin(async (tx) => {
    await tx`select from zones where name = any(${parents}) for update`;
    await sql`update zones set delegation_xid = pg_current_xact_id(), delegation_due = now() - interval '1 s'
      where name like '%.busy_.example'`;
    const began = performance.now();
    await service.zone('kid.calm.example', other);
    const isWaiting = async () => (await waiting()).some(({ name }) => name === 'kid.calm.example');
    await expect.poll(isWaiting, { timeout: 30_000, interval: 50 }).toBe(false);
    // One after the other they would have waited 2 s each for their parents' locks.
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(await waiting()).toHaveLength(12);
  });
  await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBe(0);
});
