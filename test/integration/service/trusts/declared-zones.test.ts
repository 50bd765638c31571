// Zones that the installation declares for a trust by their names: the trust has its right on those that the team has,
// and gets it on the others when the team creates them.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { adminReadTrust, adminRevokeTrust } from '#service/credentials/administration.ts';
import { ensureTrust } from '#service/credentials/ensure-trust.ts';
import { refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';
import { issuerKey, seconds } from '../../../support/tokens/keys.ts';

const ISSUER = 'https://kubernetes.default.svc';
const service = await startTestService({ nameserver: false });
const { request, database } = service;
const key = await issuerKey('one');
const other = await service.key({ team: 'other' });

/** @param name the name of the trust, and the namespace whose tokens it accepts */
const ensure = (name: string, zones: readonly string[] | undefined, records: 'read' | 'write' = 'write') =>
  ensureTrust(
    database.url,
    {
      team: 'first',
      zones,
      terms: {
        ...{ name, records, issuer: ISSUER, match: { 'kubernetes.io': { namespace: name } } },
        keySource: { kind: 'pinned', jwks: { keys: [key.jwk as Record<string, unknown>] } },
      },
    },
    randomBytes,
    new Date(),
  );

async function write(namespace: string, zone: string, name = 'www'): Promise<string> {
  const account = { namespace, serviceaccount: { name: 'web', uid: `uid-${namespace}` } };
  const times = { iat: seconds(), exp: seconds() + 600 };
  const sub = `system:serviceaccount:${namespace}:web`;
  const token = await key.sign({ iss: ISSUER, sub, aud: ['zonestead'], ...times, 'kubernetes.io': account });
  const reply = await request('POST', `/zones/${zone}/records`, { name, type: 'A', content: '192.0.2.1' }, token);
  return reply.status === 201 ? 'written' : refusal(reply);
}

const awaited = async (trust: string) => (await adminReadTrust(database.url, trust)).awaitedZones;

test('a declared zone that exists is in the grants at once, and one that the team creates later from its creation on', async () => {
  const now = await service.zone('now.example');
  const made = await ensure('later', ['Later.Example.', 'now.example', 'later.example']);
  expect(made).toMatchObject({ state: 'registered', awaitedZones: ['later.example'] });
  expect(await awaited(made.trustId)).toEqual(['later.example']);
  const later = await service.zone('later.example');
  const foreign = await service.zone('foreign.example');
  expect(await Promise.all([now, later, foreign].map(({ id }) => write('later', id)))).toEqual([
    'written',
    'written',
    '404 no_zone',
  ]);
  expect(await awaited(made.trustId)).toEqual([]);
  expect(await ensure('later', ['later.example', 'now.example'])).toMatchObject({ state: 'known', awaitedZones: [] });
});

test('a declared zone gives its right on the zone of its own team alone', async () => {
  const { trustId } = await ensure('ours', ['theirs.example']);
  const theirs = await service.zone('theirs.example', other);
  expect(await write('ours', theirs.id)).toBe('404 no_zone');
  expect(await awaited(trustId)).toEqual(['theirs.example']);
});

test('a declared zone that was deleted is granted again when it is created again or restored', async () => {
  await ensure('again', ['again.example', 'back.example']);
  const first = await service.zone('again.example');
  await request('DELETE', `/zones/${first.id}`);
  expect(await write('again', (await service.zone('again.example')).id)).toBe('written');

  const back = await service.zone('back.example');
  await request('DELETE', `/zones/${back.id}`);
  // Declared while the zone was deleted.
  await ensure('declared-since', ['back.example']);
  expect((await request('POST', '/zones:restore', { zoneName: 'back.example' })).status).toBe(201);
  expect(await write('again', back.id, 'a')).toBe('written');
  expect(await write('declared-since', back.id, 'b')).toBe('written');
});

test('a declared zone that left the declaration, or whose level changed, counts as declared last', async () => {
  const { trustId } = await ensure('fewer', ['left.example', 'kept.example']);
  expect((await ensure('fewer', ['kept.example'], 'read')).state).toBe('changed');
  const [left, kept] = [await service.zone('left.example'), await service.zone('kept.example')];
  expect(await write('fewer', left.id)).toBe('404 no_zone');
  expect(await write('fewer', kept.id)).toBe('403 forbidden');
  await ensure('fewer', undefined);
  expect(await awaited(trustId)).toEqual([]);
});

test('a declared zone gives nothing to a trust that was revoked before the zone was created', async () => {
  const { trustId } = await ensure('revoked', ['revoked.example']);
  await adminRevokeTrust(database.url, trustId, new Date());
  const zone = await service.zone('revoked.example');
  const [row] = await service.sql`select count(*)::int as n from trust_zone_grants where zone_id = ${zone.id}`;
  expect(row?.n).toBe(0);
});

test('a declared zone is missed by no creation that runs at the same time', async () => {
  for (let round = 0; round < 10; round += 1) {
    const at = [1, 2, 3].map((n) => `at-once-${round}-${n}`);
    const pairs = at.map((name) => Promise.all([service.zone(`${name}.example`), ensure(name, [`${name}.example`])]));
    const zones = (await Promise.all(pairs)).map(([zone]) => zone);
    const results = await Promise.all(zones.map(({ id }, n) => write(at[n] ?? '', id)));
    expect(results).toEqual(at.map(() => 'written'));
  }
});

test('a declared zone must be the name of a zone', async () => {
  await expect(ensure('wrong', ['a..example'])).rejects.toThrow(/a\.\.example/);
});
