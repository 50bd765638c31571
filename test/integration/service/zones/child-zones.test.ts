// A zone whose parent is hosted here too. The parent must serve the child's NS and DS, or validators treat the child as
// bogus. No client writes these records: they are derived from the child.
import { expect, test } from 'vitest';
import { refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { request, dns } = service;
const parent = await service.zone('family.example');
const child = await service.zone('child.family.example');
await service.record(parent, 'www', 'A', '192.0.2.1');
await service.record(child, 'www', 'A', '192.0.2.2');
await service.record(child, '@', 'TXT', 'apex of the child');

test('the child has status done at creation, and validates with the trust anchor of the parent alone', async () => {
  expect(child.status).toBe('done');
  for (const [name, type] of [
    ['www.child.family.example', 'A'],
    ['child.family.example', 'TXT'],
    ['child.family.example', 'DNSKEY'],
  ] as const) {
    expect(await dns.delv('family.example', name, type)).toMatchObject({ state: 'secure', negative: null });
  }
  const { state, negative } = await dns.delv('family.example', 'nothing.child.family.example', 'A');
  expect([state, negative]).toEqual(['secure', 'nxdomain']);
});

test('the child has its DS in the parent, signed there, equal to the answer of GET /ds', async () => {
  const { answers } = await dns.lookup('child.family.example', 'DS');
  const wanted = child.ds.map((ds) => `${ds.keyTag} ${ds.algorithm} ${ds.digestType} ${ds.digest}`);
  expect(answers.map((line) => line.split(' DS ')[1]).sort()).toEqual(wanted.sort());
  expect((await dns.delv('family.example', 'child.family.example', 'DS')).state).toBe('secure');
});

test('the child is in no list of records of the parent', async () => {
  const { body } = await request('GET', `/zones/${parent.id}/records`);
  expect((body.records as { name: string }[]).map(({ name }) => name)).toEqual(['www']);
});

test('the child owns its names: a record for them in the parent is refused with 409, and the error names the child (X15)', async () => {
  for (const name of ['child', 'www.child', 'a.b.child', '*.child']) {
    const reply = await request('POST', `/zones/${parent.id}/records`, { name, type: 'A', content: '192.0.2.9' });
    expect(refusal(reply)).toBe('409 conflict');
    expect(reply.body.message).toContain(child.id);
  }
  for (const [type, content] of [
    ['NS', 'ns.example.net'],
    ['DS', `1 13 2 ${'ab'.repeat(32)}`],
  ]) {
    const reply = await request('POST', `/zones/${parent.id}/records`, { name: 'child', type, content });
    expect(refusal(reply)).toBe('409 conflict');
  }
});

test('the child stays delegated while the parent is parked, and while it is parked itself', async () => {
  await request('POST', `/zones/${parent.id}/park`);
  await expect.poll(async () => (await dns.lookup('www.family.example', 'A')).rcode).toBe('NXDOMAIN');
  expect((await dns.delv('family.example', 'www.child.family.example', 'A')).state).toBe('secure');
  await request('POST', `/zones/${parent.id}/unpark`);
  await request('POST', `/zones/${child.id}/park`);
  await expect.poll(async () => (await dns.lookup('www.child.family.example', 'A')).rcode).toBe('NXDOMAIN');
  expect((await dns.delv('family.example', 'www.child.family.example', 'A')).state).toBe('secure');
  expect((await dns.delv('family.example', 'www.family.example', 'A')).state).toBe('secure');
  await request('POST', `/zones/${child.id}/unpark`);
});

const create = (zoneName: string) => request('POST', '/zones', { zoneName, owner: parent.owner });

test('a new child cannot hide names of the parent, and the error names one', async () => {
  const record = await service.record(parent, 'deep.taken', 'A', '192.0.2.1');
  for (const name of ['taken.family.example', 'deep.taken.family.example']) {
    const reply = await create(name);
    expect(refusal(reply)).toBe('409 conflict');
    expect(reply.body.message).toContain('deep.taken');
  }
  await request('DELETE', `/zones/${parent.id}/records/${record.id}`);
  expect((await create('taken.family.example')).status).toBe(200);
});

test('a new child cannot replace a delegation, but may be below one, because the delegate may delegate back', async () => {
  await service.record(parent, 'away', 'NS', 'ns.example.net');
  expect(refusal(await create('away.family.example'))).toBe('409 conflict');
  expect((await create('below.away.family.example')).status).toBe(200);
  expect((await dns.lookup('below.away.family.example', 'SOA')).aa).toBe(true);
  expect((await dns.lookup('other.away.family.example', 'A')).packet.authorities).toMatchObject([
    { name: 'away.family.example', type: 'NS', data: 'ns.example.net' },
  ]);
});

test('a new child several labels below the apex makes the names between exist, as provably empty', async () => {
  expect((await create('far.down.below.family.example')).status).toBe(200);
  for (const name of ['down.below.family.example', 'below.family.example']) {
    expect(await dns.delv('family.example', name, 'A')).toMatchObject({ state: 'secure', negative: 'nodata' });
  }
  expect((await dns.delv('family.example', 'far.down.below.family.example', 'SOA')).state).toBe('secure');
});

test('a new child between parent and grandchild takes over the delegation', async () => {
  const grandchild = await service.zone('x.mid.family.example');
  await service.record(grandchild, 'www', 'A', '192.0.2.7');
  expect((await create('mid.family.example')).status).toBe(200);
  expect((await dns.delv('family.example', 'www.x.mid.family.example', 'A')).state).toBe('secure');
  expect((await dns.lookup('mid.family.example', 'DS')).answers).toHaveLength(2);
});

test("the parent's serial moves when a child comes and when it goes, and stays with the changes of the child", async () => {
  const serial = async () => (await request('GET', `/zones/${parent.id}`)).body.serial as number;
  const before = await serial();
  const born = await service.zone('serial.family.example');
  // The parent delegates it when the name servers have it.
  await service.settled();
  const after = await serial();
  expect(after).toBeGreaterThan(before);
  await service.record(born, 'www', 'A', '192.0.2.1');
  expect(await serial()).toBe(after);
  await request('DELETE', `/zones/${born.id}`);
  expect(await serial()).toBeGreaterThan(after);
});

test('when the child is deleted, its delegation disappears, and its names can be used in the parent again', async () => {
  const gone = await service.zone('gone.family.example');
  expect((await dns.lookup('gone.family.example', 'DS')).answers).toHaveLength(2);
  await request('DELETE', `/zones/${gone.id}`);
  await expect.poll(async () => (await dns.lookup('gone.family.example', 'A')).rcode).toBe('NXDOMAIN');
  expect(await dns.delv('family.example', 'gone.family.example', 'DS')).toMatchObject({
    state: 'secure',
    negative: 'nxdomain',
  });
  await service.record(parent, 'gone', 'A', '192.0.2.3');
  await expect
    .poll(async () => (await dns.lookup('gone.family.example', 'A')).answers)
    .toEqual(['gone.family.example 3600 A 192.0.2.3']);
});
