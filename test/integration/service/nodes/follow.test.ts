// A name server that follows the changes has the zones as they are, after each of many random operations over HTTP; and
// these zones are those that a model derives from the rows.
import fc from 'fast-check';
import type { Sql, TransactionSql } from 'postgres';
import { afterAll, expect, test } from 'vitest';
import { createServedSource, type ZoneHead } from '#service/nodes/source.ts';
import { keepAliasAnswer, markOwnedZones } from '#store/alias-answers.ts';
import { openDatabase } from '#store/database.ts';
import { computeZoneDigest, Follower, type HeldZone, listHeads, readZone } from '../../../support/feed/follower.ts';
import { servedByModel, sorted } from '../../../support/feed/served-model.ts';
import { type Operation, operation } from '../../../support/model/operations.ts';
import { World } from '../../../support/model/zone-family.ts';
import { nextSeed } from '../../../support/runner/seed.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false, writesBehind: true });
const { sql } = service;
const { db, close } = openDatabase(service.database.url, { max: 4, name: 'follower' });
const source = createServedSource({ db });
afterAll(() => close());

const OPERATIONS = 120;
const HOUR_MS = 3_600_000;

/** Every zone that exists is held with the version and the serial that it has now, and no other zone. */
async function expectHeads(followers: readonly Follower[]): Promise<ZoneHead[]> {
  const heads = await listHeads(source);
  const byId = (all: readonly ZoneHead[]) => [...all].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const { zones } of followers) expect(byId([...zones.values()].map(({ head }) => head))).toEqual(byId(heads));
  return heads;
}

/** Every zone is held with the RRsets that it has now as well. */
async function expectCurrent(followers: readonly Follower[]): Promise<void> {
  for (const head of await expectHeads(followers)) {
    const now = (await readZone(source, head.id)) as HeldZone;
    expect(now.head).toEqual(head);
    const [sets, digest] = [sorted(now.sets.values()), computeZoneDigest(now)];
    for (const { zones } of followers) {
      const held = zones.get(head.id) as HeldZone;
      expect(sorted(held.sets.values()), head.name).toEqual(sets);
      expect(computeZoneDigest(held)).toBe(digest);
    }
  }
}

/** Compares every zone with the RRsets that the rules of DNS give for the rows. */
async function expectAsModel(follower: Follower): Promise<void> {
  const model = await servedByModel(sql);
  for (const [id, { head, sets }] of follower.zones) expect(sorted(sets.values()), head.name).toEqual(model.get(id));
}

/** Every ALIAS target gets other addresses, as from the resolver. */
async function renewAliases(turn: number): Promise<void> {
  for (const { target, owner } of await sql<
    { target: string; owner: string }[]
  >`select target, owner from alias_answers`) {
    const answer = {
      ipv4: [`192.0.2.${turn % 250}`],
      ipv6: [`2001:db8:0:0:0:0:0:${turn.toString(16)}`],
      ttl: 60 + turn,
    };
    const resolution = { ...answer, error: null, failures: 0, nextMs: HOUR_MS };
    const mark = await keepAliasAnswer(db, { target, owner }, resolution, true);
    await markOwnedZones(db, { target, owner }, mark as string, Math.floor(Date.now() / 1000));
  }
}

/** A transaction that got its id long before it commits. */
class LateWriter {
  readonly #connection: Sql = service.database.connect();
  #commit: (() => void) | null = null;
  #done: Promise<unknown> = Promise.resolve();

  async begin(zoneId: string, name: string): Promise<void> {
    const started = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#commit = released.resolve;
    this.#done = this.#connection.begin(async (tx: TransactionSql) => {
      await tx`update zones set changed_xid = pg_current_xact_id(), serial = serial + 1 where id = ${zoneId}`;
      await tx`insert into feed_changes (kind, zone_id, names) values ('changed', ${zoneId}, ${[name]})`;
      await tx`
        insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
        select ${`rec_${name}`}, no, ${name}, ${name}, 'A', '192.0.2.9', '192.0.2.9', ${Buffer.from(name)} from zones where id = ${zoneId}`;
      started.resolve();
      await released.promise;
    });
    await Promise.race([started.promise, this.#done]);
  }

  async commit(): Promise<void> {
    this.#commit?.();
    this.#commit = null;
    await this.#done;
  }

  async close(): Promise<void> {
    await this.commit();
    await this.#connection.end();
  }
}

test('followers have every zone as it is, after each of many operations', { timeout: 300_000 }, async () => {
  const late = await service.zone('late.test');
  const isChange = (each: Operation) => each.do !== 'look';
  const [operations = []] = fc.sample(
    fc.array(operation.filter(isChange), { minLength: OPERATIONS, maxLength: OPERATIONS, size: 'max' }),
    { numRuns: 1, seed: nextSeed() },
  );
  const followers = [new Follower(source, true), new Follower(source, false)];
  const world = new World(service, 'walk.test');
  const writer = new LateWriter();
  try {
    for (const zone of [0, 1, 3]) await world.do({ do: 'zone.create', zone });
    for (const [turn, each] of operations.entries()) {
      await world.do(each);
      if (turn % 15 === 7) await renewAliases(turn);
      if (turn % 20 === 3) await writer.begin(late.id, `n${turn}`);
      if (turn % 20 === 13) await writer.commit();
      for (const follower of followers) await follower.follow();
      await (turn % 4 === 3 ? expectCurrent(followers) : expectHeads(followers));
      if (turn % 10 === 9) await expectAsModel(followers[0] as Follower);
    }
  } finally {
    await writer.close();
  }
  for (const follower of followers) await follower.follow();
  await expectCurrent(followers);
  expect(followers[0]?.zones.get(late.id)?.sets.size).toBe(1 + OPERATIONS / 20);
});
