// The rights and limits of a key are the same through the PowerDNS API as through the REST API.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRrsets, powerDnsClient, replace } from '../../../support/doors/powerdns/client.ts';
import { effort } from '../../../support/runner/seed.ts';
import type { KeyOptions, TestKey } from '../../../support/service/keys.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false, limits: true });
const admin = await service.key({ zoneWrites: 1_000, recordWrites: 100_000 });
const ZONE = 'rights.example';
const zone = await service.zone(ZONE, admin);
const other = await service.zone('other-rights.example', admin);
const foreign = await service.zone('foreign-rights.example', await service.key({ team: 'second' }));

function put(key: TestKey, name: string, type: string, content: string, of = `${ZONE}.`) {
  return powerDnsClient(service.url, key.text)('PATCH', `/zones/${of}`, {
    rrsets: [replace(name === '@' ? of : `${name}.${of}`, type, [content])],
  });
}

test("another team's zone does not exist", async () => {
  const send = powerDnsClient(service.url, admin.text);
  const path = `/zones/${foreign.zoneName}.`;
  for (const [method, address, body] of [
    ['GET', path],
    ['PATCH', path, { rrsets: [] }],
    ['PUT', path, {}],
    ['DELETE', path],
    ['GET', `${path}/export`],
    ['PUT', `${path}/notify`],
    ['PUT', `${path}/rectify`],
    ['GET', `${path}/cryptokeys`],
    ['GET', `${path}/metadata`],
  ] as const) {
    const [one, absent] = await Promise.all([
      send(method, address, body),
      send(method, address.replace('foreign', 'absent'), body),
    ]);
    expect([method, address, one.status, one.text]).toEqual([method, address, 404, absent.text]);
  }
  expect((await send('GET', `/zones?zone=${foreign.zoneName}.`)).body).toEqual([]);
  const names = ((await send('GET', '/zones')).body as { name: string }[]).map(({ name }) => name);
  expect(names.sort()).toEqual([`${other.zoneName}.`, `${ZONE}.`]);
  const created = await send('POST', '/zones', { name: `sub.${foreign.zoneName}.`, kind: 'Native' });
  expect([created.status, created.body]).toEqual([409, { error: expect.stringContaining('another team') }]);
});

test('a key that is limited to challenges reads and writes only those', async () => {
  const key = await service.key({
    manageZones: 'none',
    onlyNames: ['_acme-challenge', '_acme-challenge.*'],
    onlyTypes: ['TXT'],
  });
  await put(admin, 'secret', 'A', '192.0.2.1');
  expect((await put(key, '_acme-challenge.www', 'TXT', '"token"')).status).toBe(204);
  for (const [name, type, content] of [
    ['www', 'TXT', '"token"'],
    ['_acme-challenge', 'A', '192.0.2.1'],
    ['secret', 'A', '192.0.2.2'],
  ] as const) {
    const { status, body } = await put(key, name, type, content);
    expect([name, status, body]).toEqual([name, 403, { error: expect.stringMatching(/may only write/) }]);
  }
  const send = powerDnsClient(service.url, key.text);
  expect(formatRrsets((await send('GET', `/zones/${ZONE}`)).body)).toEqual([
    `_acme-challenge.www.${ZONE}. TXT 300 "token"`,
  ]);
  expect((await send('GET', `/zones/${ZONE}/export`)).status).toBe(403);
  expect((await send('POST', '/zones', { name: 'new-rights.example.', kind: 'Native' })).status).toBe(403);
  expect((await send('PUT', `/zones/${ZONE}`, {})).status).toBe(403);
  expect((await send('DELETE', `/zones/${ZONE}`)).status).toBe(403);
});

test('an expired key, a revoked key and a key from another network are refused like no key', async () => {
  const past = new Date(Date.now() - 1_000);
  for (const options of [
    { expiresAt: past },
    { revokedAt: past },
    { networks: ['192.0.2.0/24'] },
  ] satisfies KeyOptions[]) {
    const key = await service.key(options);
    expect([options, (await put(key, 'www', 'A', '192.0.2.1')).status]).toEqual([options, 401]);
  }
});

test('a changed RRset counts as one record write, and a full window is answered 429 with Retry-After', async () => {
  const key = await service.key({ recordWrites: 3 });
  const two = {
    rrsets: [replace(`one.${ZONE}.`, 'A', ['192.0.2.1', '192.0.2.2']), replace(`two.${ZONE}.`, 'A', ['192.0.2.1'])],
  };
  const send = powerDnsClient(service.url, key.text);
  expect((await send('PATCH', `/zones/${ZONE}`, two)).status).toBe(204);
  // Nothing changes, but the service had to look.
  expect((await send('PATCH', `/zones/${ZONE}`, two)).status).toBe(204);
  const full = await put(key, 'three', 'A', '192.0.2.1');
  expect([full.status, full.body]).toEqual([429, { error: expect.any(String) }]);
  expect(Number(full.headers['retry-after'])).toBeGreaterThan(0);
  const creator = await service.key({ recordWrites: 1, zoneWrites: 10 });
  const rrsetsOf = (name: string) =>
    ['a', 'b'].map((label) => ({ name: `${label}.${name}`, type: 'A', ttl: 60, records: [{ content: '192.0.2.1' }] }));
  const create = (name: string) =>
    powerDnsClient(service.url, creator.text)('POST', '/zones', { name, kind: 'Native', rrsets: rrsetsOf(name) });
  expect((await create('limited.example.')).status).toBe(201);
  expect((await create('beyond.example.')).status).toBe(429);
  expect((await powerDnsClient(service.url, admin.text)('GET', '/zones/beyond.example.')).status).toBe(404);
});

const LEVELS = ['none', 'read', 'write'] as const;
const anyKey = fc.record({
  records: fc.constantFrom(...LEVELS),
  manageZones: fc.constantFrom(...LEVELS),
  grant: fc.option(fc.constantFrom(...LEVELS), { nil: null }),
  onlyNames: fc.option(fc.constantFrom(['www'], ['*.dev'], ['@', 'www*']), { nil: null }),
  onlyTypes: fc.option(fc.constantFrom(['A'], ['TXT'], ['A', 'TXT']), { nil: null }),
  team: fc.constantFrom('first', 'first', 'first', 'second'),
});
const anyRecord = fc.record({
  name: fc.constantFrom('www', 'a.dev', '@', 'www2'),
  type: fc.constantFrom('A', 'TXT'),
});

/** A value that was never written. */
let values = 0;
function nextValue(type: string): string {
  values += 1;
  return type === 'A' ? `10.${values >> 16}.${(values >> 8) & 255}.${values & 255}` : `"value ${values}"`;
}

test('a key with any rights gets the status and the sentence of the REST API', async () => {
  await fc.assert(
    fc.asyncProperty(anyKey, anyRecord, async ({ grant, onlyNames, onlyTypes, ...levels }, { name, type }) => {
      const key = await service.key({
        ...levels,
        recordWrites: 100,
        ...(grant === null ? {} : { grants: { [zone.id]: grant } }),
        ...(onlyNames === null ? {} : { onlyNames: [...onlyNames] }),
        ...(onlyTypes === null ? {} : { onlyTypes: [...onlyTypes] }),
      });
      const path = `/zones/${zone.id}/records`;
      const rest = await service.request('POST', path, { name, type, content: nextValue(type) }, key.text);
      const door = await put(key, name, type, nextValue(type));
      expect(door.status).toBe(rest.status === 201 || rest.status === 200 ? 204 : rest.status);
      if (rest.status >= 400) expect(door.body).toEqual({ error: rest.body.message });
      const [listed, read] = await Promise.all([
        service.request('GET', path, undefined, key.text),
        powerDnsClient(service.url, key.text)('GET', `/zones/${ZONE}`),
      ]);
      expect(read.status).toBe(listed.status);
      if (listed.status === 200) {
        const rows = listed.body.records as { name: string; type: string }[];
        const places = new Set(rows.map((row) => `${row.name === '@' ? '' : `${row.name}.`}${ZONE}. ${row.type}`));
        expect(formatRrsets(read.body).map((text) => text.split(' ', 2).join(' '))).toEqual([...places].sort());
      }
    }),
    { numRuns: effort(60, 15) },
  );
});
