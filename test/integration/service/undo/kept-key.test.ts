// A zone that its owner creates again while its name is in quarantine keeps its DNSSEC key.
import { expect, test } from 'vitest';
import type { DsRecord, ZoneCreated } from '#contract/zone.ts';
import { adminReleaseName } from '#service/zones/quarantine.ts';
import { refusal } from '../../../support/http/requests.ts';
import type { TestKey } from '../../../support/service/keys.ts';
import { addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';
import { undoZone } from '../../../support/service/undo.ts';

const service = await startTestService();
const { request, sql, admin } = service;

const remove = async (id: string, key: TestKey = admin) =>
  expect((await request('DELETE', `/zones/${id}`, undefined, key.text)).status).toBe(204);
const create = async (zoneName: string, more: object = {}, key: TestKey = admin) => {
  const reply = await request('POST', '/zones', { zoneName, owner: `org:${key.team}`, ...more }, key.text);
  expect(reply.status).toBe(200);
  return reply.body as unknown as ZoneCreated;
};
const anchorOf = ([ds]: readonly DsRecord[]) => ({
  ds: [ds?.keyTag, ds?.algorithm, ds?.digestType, ds?.digest].join(' '),
});
const tagOf = ({ ds }: ZoneCreated) => ds[0]?.keyTag as number;

test('a zone that is deleted and created again has the same DS, and resolvers with the old anchor accept its answers', async () => {
  const before = await create('made.example');
  expect(before.key).toEqual({ keyTag: tagOf(before), kept: false });
  await service.record(before, 'www', 'A', '192.0.2.1');
  await remove(before.id);
  const after = await create('made.example');
  expect(after.id).not.toBe(before.id);
  expect(after.ds).toEqual(before.ds);
  expect(after.key).toEqual({ keyTag: tagOf(before), kept: true });
  expect(after.serial).toBeGreaterThan(before.serial);
  expect((await request('GET', `/zones/${after.id}/records`)).body.records).toEqual([]);
  await service.record(after, 'www', 'A', '192.0.2.2');
  const answer = await service.dns.delv('made.example', 'www.made.example', 'A', anchorOf(before.ds));
  expect(answer).toMatchObject({ state: 'secure', records: ['www.made.example. 3600 IN A 192.0.2.2'] });
  const { changes } = (await request('GET', `/zones/${after.id}/changes`)).body;
  const made = (changes as { action: string; after: unknown }[]).find(({ action }) => action === 'zone.create');
  expect(made?.after).toMatchObject({ key: { keyTag: tagOf(before), kept: true } });
});

test('the zone gets another key if the request asks for one, which says what to replace', async () => {
  const before = await create('fresh.example');
  await remove(before.id);
  const after = await create('fresh.example', { newKey: true });
  expect(tagOf(after)).not.toBe(tagOf(before));
  expect(after.key).toEqual({ keyTag: tagOf(after), kept: false, formerKeyTag: tagOf(before) });
  const body = { zoneName: 'wrong.example', owner: `org:${admin.team}`, newKey: 'yes' };
  expect(refusal(await request('POST', '/zones', body))).toBe('400 bad_request');
});

test('the newest key wins if several zones of the name were deleted', async () => {
  const first = await create('often.example');
  await remove(first.id);
  const second = await create('often.example', { newKey: true });
  await remove(second.id);
  const third = await create('often.example');
  expect(third.ds).toEqual(second.ds);
  await remove(third.id);
  expect((await create('often.example')).ds).toEqual(second.ds);
});

test('another owner never gets the key, also when the name is free again', async () => {
  const other = await service.key({ team: 'other' });
  const before = await create('theirs.example');
  await remove(before.id);
  const taken = await request('POST', '/zones', { zoneName: 'theirs.example', owner: `org:${other.team}` }, other.text);
  expect(refusal(taken)).toBe('409 conflict');
  // An owner keeps a limited number of names, and the oldest are let go.
  await sql`delete from quarantined_names`;
  const foreign = await create('theirs.example', {}, other);
  expect([foreign.key?.kept, tagOf(foreign) === tagOf(before)]).toEqual([false, false]);
  // A person who deleted a zone of the team does not take its key along.
  const shared = await create('shared.example');
  const person = await addPerson(service, { team: 'first' });
  await remove(shared.id, person);
  await sql`delete from quarantined_names`;
  const personal = await request('POST', '/zones', { zoneName: 'shared.example', owner: 'personal' }, person.text);
  expect(personal.body).toMatchObject({ owner: 'personal', key: { kept: false } });
});

test('the key ends with the quarantine, and with its release', async () => {
  const [ended, released] = [await create('ended.example'), await create('released.example')];
  for (const { id } of [ended, released]) await remove(id);
  await sql`update deleted_zones set until = now() where id = ${ended.id}`;
  await adminReleaseName(service.database.url, 'released.example', new Date());
  for (const before of [ended, released]) {
    const after = await create(before.zoneName);
    expect([after.key?.kept, tagOf(after) === tagOf(before)]).toEqual([false, false]);
  }
});

test('a parent that is hosted here delegates to the zone with the same DS', async () => {
  await create('tree.example');
  const before = await create('kid.tree.example');
  const asked = async () => (await service.dns.lookup('kid.tree.example', 'DS')).answers;
  await expect.poll(asked).toHaveLength(2);
  const ds = await asked();
  await remove(before.id);
  await create('kid.tree.example');
  await expect.poll(asked).toEqual(ds);
});

test('the PowerDNS API gives the key back as well', async () => {
  const headers = { 'x-api-key': admin.text, 'content-type': 'application/json' };
  const pdns = async (method: string, path: string, body?: object) => {
    const address = new URL(`/api/v1/servers/localhost/zones${path}`, service.url);
    return fetch(address, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  };
  const body = { name: 'power.example.', kind: 'Native', nameservers: [] };
  const dsOf = async () =>
    (await request('GET', '/zones?zoneName=power.example')).body.zones as unknown as ZoneCreated[];
  expect((await pdns('POST', '', body)).status).toBe(201);
  const [before] = await dsOf();
  expect((await pdns('DELETE', '/power.example.')).status).toBe(204);
  const rrset = { name: 'www.power.example.', type: 'A', ttl: 60, records: [{ content: '192.0.2.1' }] };
  expect((await pdns('POST', '', { ...body, rrsets: [rrset] })).status).toBe(201);
  const [after] = await dsOf();
  expect(after?.ds).toEqual(before?.ds);
});

test('a refused restore names the zone that exists again, the records of both, and whether the key changes', async () => {
  const first = await undoZone(service, 'again.kept.example');
  await first.add('old', 'A', '192.0.2.1');
  await remove(first.id);
  const second = await create('again.kept.example');
  const restore = (body: object = {}) => request('POST', '/zones:restore', { zoneName: 'again.kept.example', ...body });
  const refused = await restore();
  expect(refusal(refused)).toBe('409 conflict');
  for (const words of [`as ${second.id} with 0 records`, `${first.id} has 1 records`, 'stay valid'])
    expect(refused.body.message).toContain(words);
  await remove(second.id);
  const third = await create('again.kept.example', { newKey: true });
  const former = await restore({ zoneId: first.id });
  expect(former.body.message).toContain(`the DNSSEC key ${tagOf(second)} instead of ${tagOf(third)}`);
  await remove(third.id);
  expect((await restore({ zoneId: first.id, dryRun: true })).body).toMatchObject({ keyTag: tagOf(second) });
  expect((await restore({ zoneId: first.id })).body).toMatchObject({ ds: second.ds });
  expect(await first.records()).toEqual(['old A 3600 192.0.2.1']);
});
