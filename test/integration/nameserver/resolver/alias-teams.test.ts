// ALIAS targets of several teams. A zone of one team must not redirect another team's ALIAS, although this service's
// own name server is the first resolver. Slow targets of one team must not delay those of another.
import type { Answer } from 'dns-packet';
import { afterAll, expect, test } from 'vitest';
import { startNameServer } from '../../../support/dns/fake-nameserver.ts';
import { startTestService } from '../../../support/service/service.ts';

/** The public DNS as a resolver sees it. It never answers names that begin with `slow`. */
const world: Record<string, string> = {};
const upstream = await startNameServer(({ packet }) => {
  const { name = '', type } = packet.questions[0] ?? {};
  if (name.startsWith('slow')) return undefined;
  const data = world[name];
  const answers: Answer[] = data !== undefined && type === 'A' ? [{ name, type: 'A', ttl: 300, data }] : [];
  return { aa: false, rcode: data === undefined ? 3 : 0, answers };
});
afterAll(() => upstream.close());
const service = await startTestService({ resolvers: ['own', upstream] });
const { dns, sql, request } = service;
const squatter = await service.key({ team: 'squatter' });

const expire = (target: string) => sql`update alias_answers set due_at = now() where target = ${`${target}.`}`;
const addresses = async (name: string) =>
  (await dns.lookup(name, 'A')).answers.map((line) => line.split(' ').at(-1)).sort();
const record = async (zone: { id: string }, body: object, key = service.admin) => {
  const reply = await request('POST', `/zones/${zone.id}/records`, body, key.text);
  expect(reply.status, reply.text).toBe(201);
};
/** Waits until the target was resolved once more for each owner that has it. */
async function resolvedAgain(target: string): Promise<void> {
  await expire(target);
  await expect
    .poll(async () => {
      const rows =
        await sql`select 1 from alias_answers where target = ${`${target}.`} and due_at <= now() + interval '25 s'`;
      return rows.length;
    })
    .toBe(0);
}

test('a zone with the name of a target does not lead the ALIAS of another team', async () => {
  world['lb.cloud.example'] = '192.0.2.1';
  const shop = await service.zone('shop.example');
  await record(shop, { name: '@', type: 'ALIAS', content: 'lb.cloud.example' });
  await expect.poll(() => addresses('shop.example')).toEqual(['192.0.2.1']);

  const squatted = await service.zone('cloud.example', squatter);
  await record(squatted, { name: 'lb', type: 'A', content: '203.0.113.66' }, squatter);
  await expect.poll(() => addresses('lb.cloud.example')).toEqual(['203.0.113.66']);
  await resolvedAgain('lb.cloud.example');
  expect(await addresses('shop.example')).toEqual(['192.0.2.1']);
  // A new target, and a target that the squatter denies.
  world['new.cloud.example'] = '192.0.2.2';
  await record(shop, { name: 'new', type: 'ALIAS', content: 'new.cloud.example' });
  await expect.poll(() => addresses('new.shop.example')).toEqual(['192.0.2.2']);
  // Through a CNAME in a zone of the team itself.
  await record(shop, { name: 'www', type: 'CNAME', content: 'lb.cloud.example' });
  await record(shop, { name: 'app', type: 'ALIAS', content: 'www.shop.example' });
  await expect.poll(() => addresses('app.shop.example')).toEqual(['192.0.2.1']);

  // The squatter's own records get the answer of its zone. No other team gets it.
  await record(squatted, { name: '@', type: 'ALIAS', content: 'lb.cloud.example' }, squatter);
  await expect.poll(() => addresses('cloud.example')).toEqual(['203.0.113.66']);
  expect(await addresses('shop.example')).toEqual(['192.0.2.1']);
});

test('a target in another zone of the same team is resolved by the own name server', async () => {
  const private_ = await service.zone('private.example');
  await record(private_, { name: 'lb', type: 'A', content: '192.0.2.20' });
  const front = await service.zone('front.example');
  await record(front, { name: '@', type: 'ALIAS', content: 'lb.private.example' });
  await expect.poll(() => addresses('front.example')).toEqual(['192.0.2.20']);
});

test('a private target of another team is not resolved, and its error says why', async () => {
  const theirs = await service.zone('inside.example', squatter);
  await record(theirs, { name: 'lb', type: 'A', content: '192.0.2.30' }, squatter);
  const front = await service.zone('outside.example');
  await record(front, { name: '@', type: 'ALIAS', content: 'lb.inside.example' });
  const error = async () =>
    (await sql`select error from alias_answers where target = 'lb.inside.example.'`)[0]?.error as string | undefined;
  await expect.poll(error).toBeTruthy();
  expect(await addresses('outside.example')).toEqual([]);
});

test("four hundred slow targets of one team do not delay another team's", { timeout: 300_000 }, async () => {
  const slow = await service.zone('slow-targets.example', squatter);
  await sql`insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
    select 'rec_slow' || n, no, 'n' || n, 'n' || n, 'ALIAS', 'slow' || n || '.example', 'slow' || n || '.example.', sha256(n::text::bytea)
    from zones, generate_series(1, 400) n where zones.id = ${slow.id}`;
  await expect
    .poll(() => upstream.queries.filter(({ packet }) => /^slow/.test(packet.questions[0]?.name ?? '')).length)
    .toBeGreaterThan(4);
  world['quick.example'] = '192.0.2.40';
  const quick = await service.zone('quick-target.example');
  // Written by SQL, so that the worker resolves the target and not the request.
  await sql`insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
    select 'rec_quick', no, 'app', 'app', 'ALIAS', 'quick.example', 'quick.example.', 'x' from zones where id = ${quick.id}`;
  await expect
    .poll(async () => (await sql`select ipv4 from alias_answers where target = 'quick.example.'`)[0]?.ipv4)
    .toEqual(['192.0.2.40']);
  // In the order of arrival, all 400 would come first, which takes 17 s with 32 slots.
  const names = upstream.queries.map(({ packet }) => packet.questions[0]?.name ?? '');
  const before = names.slice(0, names.indexOf('quick.example')).filter((name) => name.startsWith('slow'));
  expect(new Set(before).size).toBeLessThan(400);
  // The counts of the zone do not include records that were written behind the API.
  await sql`delete from records where id like 'rec_slow%' or id = 'rec_quick'`;
});
