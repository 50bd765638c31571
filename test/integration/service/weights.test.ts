// Weights over REST and DNS: the whole way from a record to the answers of a real name server. Knot 3.2 answers with
// all records.
import { afterAll, expect, inject, test } from 'vitest';
import { addToDigest, EMPTY_DIGEST } from '#dns/served.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { isSince } from '#nameserver/knot/version.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { createServedSource } from '#service/nodes/source.ts';
import { openDatabase } from '#store/database.ts';
import { computeZoneDigest, readZone } from '../../support/feed/follower.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService();
const { request, dns } = service;
const { signal } = new AbortController();
const { db, close } = openDatabase(service.database.url, { max: 2, name: 'weights' });
afterAll(() => close());

const answersOf = async (name: string, questions = 40) => {
  const lookups = await Promise.all(Array.from({ length: questions }, () => dns.lookup(name, 'A')));
  return new Set(lookups.map(({ answers }) => answers.map((line) => line.split(' ').at(-1)).join(' ')));
};
const draws = isSince(service.knot.version, '3.4');

test('a name is answered with one record at a time from the first weight on, and with all after the last one', async () => {
  const zone = await service.zone('weights.example');
  const name = 'www.weights.example';
  const [one, two] = ['192.0.2.1', '192.0.2.2'];
  const first = (await service.record(zone, 'www', 'A', one)) as { id: string };
  const second = (await service.record(zone, 'www', 'A', two)) as { id: string };
  expect(await answersOf(name, 1)).toEqual(new Set([`${one} ${two}`]));
  const put = (id: string, content: string, weight: number | null) =>
    request('PUT', `/zones/${zone.id}/records/${id}`, { name: 'www', type: 'A', content, weight });
  expect(await put(first.id, one, 1)).toMatchObject({ status: 200, body: { weight: 1 } });
  const drawn = draws ? new Set([one, two]) : new Set([`${one} ${two}`]);
  expect(await answersOf(name)).toEqual(drawn);
  expect((await dns.delv('weights.example', name, 'A')).state).toBe('secure');
  expect(await put(second.id, two, 255)).toMatchObject({ status: 200 });
  const { body } = await request('GET', `/zones/${zone.id}/changes`);
  expect(JSON.stringify(body)).toContain('"weight":255');
  expect(await put(first.id, one, null)).toMatchObject({ status: 200 });
  expect(await put(second.id, two, null)).toMatchObject({ status: 200 });
  expect(await answersOf(name)).toEqual(new Set([`${one} ${two}`]));
});

test('a weight is a whole number from 1 to 255, of an address at a name that is not a wildcard', async () => {
  const zone = await service.zone('refused.example');
  const post = (body: object) => request('POST', `/zones/${zone.id}/records`, body);
  const a = { name: 'www', type: 'A', content: '192.0.2.1' };
  for (const weight of [0, 256, 1.5, '1']) expect(await post({ ...a, weight })).toMatchObject({ status: 400 });
  const refusals = [
    [{ ...a, name: '*.dev', weight: 1 }, 'The wildcard *.dev has no weight'],
    [{ name: 'alias', type: 'CNAME', content: 'www.example.com', weight: 1 }, 'A CNAME record has no weight'],
  ] as const;
  for (const [body, words] of refusals) {
    const { status, text } = await post(body);
    expect({ status, isSaid: text.includes(words) }, text).toEqual({ status: 400, isSaid: true });
  }
});

test('the report of a node says whether its knotd draws', async () => {
  const engine = async () => (await service.sql`select engine from nodes`)[0]?.engine;
  const suffix = draws ? '' : ' (without weights and NSEC3)';
  await expect.poll(engine).toBe(`Knot DNS ${service.knot.version}${suffix}`);
  const zone = await service.zone('evenly.example');
  const { body } = await request('GET', `/zones/${zone.id}/nodes`);
  expect(body.nodes).toMatchObject([draws ? { current: expect.any(Boolean) } : { evenly: true }]);
  expect(JSON.stringify(body.nodes).includes('evenly')).toBe(!draws);
});

test('a node has the zone and its weights as the api renders them', async () => {
  const zone = await service.zone('equal.example');
  for (const last of [1, 2, 3])
    await service.record(zone, 'www', 'A', `192.0.2.${last}`, last === 3 ? {} : { weight: last });
  await service.settled();
  const { knot } = service;
  const keys = keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder });
  const engine = zoneEngine({ control: knot.control, folder: knot.folder, keys });
  const held = (await Array.fromAsync(engine.read('equal.example', signal))).flat();
  const rendered = await readZone(createServedSource({ db }), zone.id);
  expect(held.find(({ name }) => name === 'www')?.weights).toEqual([1, 2, 1]);
  expect(rendered).not.toBeNull();
  expect(addToDigest(EMPTY_DIGEST, held)).toBe(computeZoneDigest(rendered!));
});
