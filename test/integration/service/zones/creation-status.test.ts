// The creation status: the step that a new zone still needs, according to its parent. The resolver is a scripted one.
import type { Answer } from 'dns-packet';
import { afterAll, expect, test } from 'vitest';
import { formatHostPort } from '#base/address.ts';
import { type Script, startNameServer } from '../../../support/dns/fake-nameserver.ts';
import { startTestService } from '../../../support/service/service.ts';

/** DS records by zone. A zone without an entry does not exist. */
const parents: Record<string, Answer[]> = {};
const script: Script = ({ packet }) => {
  const answers = parents[packet.questions[0]?.name ?? ''];
  return answers === undefined ? { aa: false, rcode: 3 } : { aa: false, answers };
};
const upstream = await startNameServer(script);
afterAll(() => upstream.close());
let now = Date.now();
const service = await startTestService({
  resolvers: [upstream],
  settings: { ZONESTEAD_DELEGATION_CHECK: 'on', ZONESTEAD_PRIVATE_TLDS: 'corp' },
  now: () => now,
  nameserver: false,
});
const { admin, request } = service;
const create = async (zoneName: string, headers = {}) =>
  (await request('POST', '/zones', { zoneName, owner: `org:${admin.team}` }, admin.text, headers)).body;
/** A DS record of the zone, as its parent answers it. */
const publishedDs = (zone: Record<string, unknown>): Answer => {
  const [first] = zone.ds as { keyTag: number; algorithm: number; digestType: number; digest: string }[];
  const data = { ...first, digest: Buffer.from(first?.digest ?? '', 'hex') };
  return { name: String(zone.zoneName), type: 'DS', ttl: 60, data };
};
const status = async (id: unknown) => (await request('GET', `/zones/${id}`)).body.status;

test('a zone whose parent shows no DS of ours is ds_required, and done when it does', async () => {
  parents['waiting.example'] = [];
  const zone = await create('waiting.example');
  expect(zone).toMatchObject({
    status: 'ds_required',
    id: expect.stringMatching(/^zone_/),
    nameservers: expect.arrayContaining([expect.any(String)]),
    ds: [expect.objectContaining({ digestType: 2 }), expect.objectContaining({ digestType: 4 })],
  });
  expect(await status(zone.id)).toBe('ds_required');
  parents['waiting.example'] = [publishedDs(zone)];
  now += 10_000;
  expect(await status(zone.id)).toBe('done');
});

test('a single label that the root does not delegate needs a Handshake claim, unless it is a private name', async () => {
  const claimed = await create('mytld');
  expect(claimed).toMatchObject({ status: 'handshake_claim_required', id: expect.any(String), ds: expect.any(Array) });
  expect(await status(claimed.id)).toBe('handshake_claim_required');
  expect(await create('corp')).toMatchObject({ status: 'done' });
});

test('a zone below a zone that is hosted here is done at once: NS and DS are in the parent', async () => {
  await create('parent.example');
  const questions = upstream.queries.length;
  expect(await create('child.parent.example')).toMatchObject({ status: 'done' });
  expect(upstream.queries).toHaveLength(questions);
});

test('lists and suffix_of send no query', async () => {
  const questions = upstream.queries.length;
  const found = await request('GET', '/zones?suffix_of=www.waiting.example');
  expect(found.body).not.toHaveProperty('status');
  expect((await request('GET', '/zones')).status).toBe(200);
  expect(upstream.queries).toHaveLength(questions);
});

test('a repeated creation answers the same zone with its current status', async () => {
  const headers = { 'idempotency-key': 'once' };
  const first = await create('again.example', headers);
  expect(await create('again.example', headers)).toEqual(first);
  expect(first.status).toBe('ds_required');
});

test('the parent of a zone is asked through a resolver that has an IPv6 address alone', async () => {
  const resolver = await startNameServer(script, { address: '::1' });
  try {
    const settings = { ZONESTEAD_RESOLVER: formatHostPort(resolver.address, resolver.port) };
    const api = await service.anotherApi({ settings });
    parents['six.example'] = [];
    const questions = upstream.queries.length;
    const { body } = await api.request('POST', '/zones', { zoneName: 'six.example', owner: `org:${admin.team}` });
    expect(body.status).toBe('ds_required');
    parents['six.example'] = [publishedDs(body)];
    now += 10_000;
    expect((await api.request('GET', `/zones/${body.id}`)).body.status).toBe('done');
    expect(upstream.queries).toHaveLength(questions);
  } finally {
    await resolver.close();
  }
});
