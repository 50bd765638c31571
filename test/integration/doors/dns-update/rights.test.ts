// The rights of a key at the port of DNS updates are those of the REST API: the same changes are refused, with the same
// sentence.
import { expect, test } from 'vitest';
import { update, updateKey } from '../../../support/doors/dns-update/client.ts';
import { change, type Entry, when } from '../../../support/doors/dns-update/message.ts';
import type { KeyOptions } from '../../../support/service/keys.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({
  settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' },
  nameserver: false,
  limits: true,
});
const port = service.updatePort();
const admin = await updateKey(service, { zoneWrites: 1_000, recordWrites: 1_000 });
const zone = await service.zone('rights.example', admin);
const other = await service.zone('other.example', await service.key({ team: 'second' }));

const KEYS: Readonly<Record<string, KeyOptions>> = {
  'may do everything': {},
  'may only read': { records: 'read' },
  'may only manage zones': { records: 'none', manageZones: 'write' },
  'may do nothing': { records: 'none', manageZones: 'none' },
  'may write this zone alone': { records: 'none', manageZones: 'none', grants: { [zone.id]: 'write' } },
  'may read this zone, and write others': { records: 'write', grants: { [zone.id]: 'read' } },
  'may not see this zone': { records: 'write', manageZones: 'none', grants: { [zone.id]: 'none' } },
  'is for challenges': { onlyNames: ['_acme-challenge', '_acme-challenge.*'], onlyTypes: ['TXT'] },
  'is for addresses': { onlyTypes: ['A', 'AAAA'] },
  'is of another team': { team: 'second' },
};

const CASES = Object.entries(KEYS).flatMap(([who, options]) =>
  (['_acme-challenge', 'www'] as const).flatMap((name) =>
    (['TXT', 'A'] as const).map((type) => ({ who, options, name, type })),
  ),
);

/** Response codes of the service by the status of the REST API. */
const RCODES: Readonly<Record<number, string>> = { 201: 'NOERROR', 403: 'REFUSED', 404: 'NOTAUTH' };

test.for(CASES)('a key that $who is judged as over REST for $type at $name', async ({ options, name, type }) => {
  const key = await updateKey(service, options);
  const content = type === 'A' ? `192.0.2.${CASES.length}` : `"${key.id}"`;
  const post = await service.request('POST', `/zones/${zone.id}/records`, { name, type, content }, key.text);
  if (post.status === 201)
    await service.request('DELETE', `/zones/${zone.id}/records/${post.body.id}`, undefined, admin.text);
  const absolute = `${name}.${zone.zoneName}`;
  const rcode = RCODES[post.status];
  const send = (...changes: Entry[]) => update(port, key, { zone: zone.zoneName, changes });
  // Deletions that change nothing are refused too, so that a key does not learn what is there.
  for (const entry of [
    change.add(absolute, 60, type, content),
    change.deleteRrset(absolute, type),
    change.delete(absolute, type, content),
  ]) {
    const reply = await send(entry);
    expect(reply).toMatchObject({ rcode, isSigned: true });
    if (rcode === 'REFUSED') expect(post.body.message).toContain(reply.text);
  }
  const asked = await update(port, key, { zone: zone.zoneName, prerequisites: [when.absent(absolute, type)] });
  expect(asked.rcode).toBe(rcode);
});

test('a key from another team learns nothing of a zone, and no zone is changed', async () => {
  const key = await updateKey(service);
  const add = (name: string) => [change.add(`www.${name}`, 60, 'A', '192.0.2.1')];
  const [here, nowhere] = await Promise.all(
    [other.zoneName, 'none.example'].map((name) => update(port, key, { zone: name, changes: add(name) })),
  );
  expect(here).toMatchObject({ rcode: 'NOTAUTH', isSigned: true });
  expect(here?.text?.replace(other.zoneName, '')).toBe(nowhere?.text?.replace('none.example', ''));
  const owner = await updateKey(service, { team: 'second' });
  expect(await update(port, owner, { zone: other.zoneName, changes: add(other.zoneName) })).toMatchObject({
    rcode: 'NOERROR',
  });
});

test('a key has its write limit: each RRset of the changes counts, and prerequisites alone do not', async () => {
  const key = await updateKey(service, { recordWrites: 3 });
  const add = (name: string) => change.add(`${name}.${zone.zoneName}`, 60, 'TXT', '"limited"');
  const send = (...changes: Entry[]) => update(port, key, { zone: zone.zoneName, changes });
  for (let index = 0; index < 5; index += 1) {
    const asked = await update(port, key, { zone: zone.zoneName, prerequisites: [when.used(zone.zoneName)] });
    expect(asked.rcode).toBe('NOERROR');
  }
  // Half of the limit is the most that a message counts.
  expect(await send(add('l1'), add('l2'))).toMatchObject({ rcode: 'NOERROR' });
  expect(await send(add('l3'), add('l4'))).toMatchObject({ rcode: 'REFUSED', text: expect.stringContaining('3') });
  expect(await send(add('l3'))).toMatchObject({ rcode: 'NOERROR' });
  expect(await send(add('l4'))).toMatchObject({ rcode: 'REFUSED' });
  const { body } = await service.request(
    'GET',
    `/zones/${zone.id}/records?content=%22limited%22`,
    undefined,
    admin.text,
  );
  expect((body as { records: { name: string }[] }).records.map(({ name }) => name)).toEqual(['l1', 'l2', 'l3']);
});

test('challenges of DNS updates have a window that other records of the key do not empty', async () => {
  const key = await updateKey(service, { recordWrites: 1 });
  const add = (name: string) => change.add(`${name}.${zone.zoneName}`, 60, 'TXT', '"window"');
  const send = (...changes: Entry[]) => update(port, key, { zone: zone.zoneName, changes });
  expect(await send(add('w1'))).toMatchObject({ rcode: 'NOERROR' });
  expect(await send(add('w2'))).toMatchObject({ rcode: 'REFUSED' });
  expect(await send(add('_acme-challenge.w1'), add('w2'))).toMatchObject({ rcode: 'REFUSED' });
  expect(await send(add('_acme-challenge.w1'))).toMatchObject({ rcode: 'NOERROR' });
  expect(await send(add('_acme-challenge.w2'))).toMatchObject({ rcode: 'REFUSED' });
});

test('a key counts no write for an update of a busy zone', async () => {
  const key = await updateKey(service, { recordWrites: 1 });
  const { url } = await service.anotherApi({ busyAfterMs: 200 });
  const changes = [change.add(`busy.${zone.zoneName}`, 60, 'TXT', '"busy"')];
  const send = () => update(service.updatePort(url), key, { zone: zone.zoneName, changes });
  await service.sql.begin(async (sql) => {
    await sql`select from zones where id = ${zone.id} for update`;
    for (let index = 0; index < 2; index += 1) expect(await send()).toMatchObject({ rcode: 'SERVFAIL' });
  });
  expect(await send()).toMatchObject({ rcode: 'NOERROR' });
  expect(await send()).toMatchObject({ rcode: 'REFUSED' });
});
