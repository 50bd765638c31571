// A zone is created with a key of other name servers: it is signed with it from its first answer, and the key is in no
// other place.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { DsRecord, ZoneCreated } from '#contract/zone.ts';
import type { ZoneKeys } from '#contract/zone-keys.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { type KeyFiles, makeBindKey } from '../../../support/dns/key-files.ts';
import { refusal } from '../../../support/http/requests.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import type { TestKey } from '../../../support/service/keys.ts';
import { startTestService } from '../../../support/service/service.ts';

let ahead = 0;
const service = await startTestService({ time: () => new Date(Date.now() + ahead) });
const { request, admin } = service;
const folder = await temporaryFolder('keys');
const { signal } = new AbortController();

const LIMIT_MS = 60_000;
const half = ({ privateKey, dnskey }: KeyFiles) => ({ privateKey, dnskey });
const post = (zoneName: string, more: object, key: TestKey = admin) =>
  request('POST', '/zones', { zoneName, owner: `org:${key.team}`, ...more }, key.text);
const create = async (zoneName: string, more: object): Promise<ZoneCreated> => {
  const reply = await post(zoneName, more);
  expect([reply.status, reply.body.message]).toEqual([200, undefined]);
  return reply.body as unknown as ZoneCreated;
};
const keysOf = async (zone: { id: string }) =>
  (await request('GET', `/zones/${zone.id}/keys`)).body as unknown as ZoneKeys;
/** The DS record that BIND computes of a key. */
const dsOf = async ({ path }: KeyFiles) => {
  const args = ['-2', path.replace(/private$/, 'key')];
  const { out } = await runCommand({ command: 'dnssec-dsfromkey', args, timeoutMs: 60_000, signal });
  return (out.trim().split('\n')[0] ?? '').replace(/^.* DS /, '').toLowerCase();
};
const valuesOf = (ds: DsRecord | undefined) => [ds?.keyTag, ds?.algorithm, ds?.digestType, ds?.digest].join(' ');

test.each([
  ['RSASHA256', ['-b', '2048', '-f', 'KSK']],
  ['ECDSAP256SHA256', ['-f', 'KSK']],
  ['ECDSAP384SHA384', ['-f', 'KSK']],
  ['ED25519', ['-f', 'KSK']],
])(
  'a zone with a key of BIND and %s has its DS record, and is secure below it from the first answer',
  async (algorithm, words) => {
    const name = `${algorithm.toLowerCase()}.example`;
    const files = await makeBindKey(folder, name, algorithm, words);
    const ds = await dsOf(files);
    const zone = await create(name, { key: half(files) });
    const tag = Number(ds.split(' ')[0]);
    expect(zone.key).toEqual({ keyTag: tag, kept: false, imported: true });
    expect(valuesOf(zone.ds[0])).toBe(ds);
    const { keys, roll } = await keysOf(zone);
    expect([keys.map(({ keyTag, state }) => [keyTag, state]), roll]).toEqual([[[tag, 'active']], null]);
    await service.record(zone, 'www', 'A', '192.0.2.1');
    expect(await service.dns.delv(name, `www.${name}`, 'A', { ds })).toMatchObject({ state: 'secure' });
    expect(await service.dns.delv(name, `absent.${name}`, 'A', { ds })).toMatchObject({
      state: 'secure',
      negative: 'nxdomain',
    });
  },
);

test('a zone below a hosted one is secure with its imported key at once', async () => {
  const parent = await service.zone('above.example');
  const files = await makeBindKey(folder, 'moved.above.example', 'ECDSAP256SHA256');
  const zone = await create('moved.above.example', { key: half(files) });
  await service.record(zone, 'www', 'A', '192.0.2.1');
  const anchor = { ds: valuesOf(parent.ds[0]) };
  await service.settled();
  expect(await service.dns.delv('above.example', 'www.moved.above.example', 'A', anchor)).toMatchObject({
    state: 'secure',
  });
});

test('a zone rolls from an imported key of RSA to algorithm 13', async () => {
  const files = await makeBindKey(folder, 'child.rsa.example', 'RSASHA256', ['-b', '2048', '-f', 'KSK']);
  const parent = await service.zone('rsa.example');
  const zone = await create('child.rsa.example', { key: half(files) });
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await service.settled();
  expect((await request('POST', `/zones/${zone.id}/keys/roll`, { algorithm: 13 })).status).toBe(200);
  const anchor = { ds: valuesOf(parent.ds[0]) };
  const seen: string[] = [];
  for (const end = Date.now() + LIMIT_MS; ; await sleep(50)) {
    const { keys, roll } = await keysOf(zone);
    const states = keys.map(({ algorithm, state }) => `${algorithm} ${state}`).join(', ');
    if (seen.at(-1) !== states) {
      seen.push(states);
      await service.settled();
      expect(await service.dns.delv('rsa.example', 'www.child.rsa.example', 'A', anchor)).toMatchObject({
        state: 'secure',
      });
    }
    if (roll === null) break;
    if (Date.now() > end) throw new Error(`${states}: ${roll.waitsFor}`);
    if (roll.nextStepAt !== null) ahead = Math.max(ahead, Date.parse(roll.nextStepAt) - Date.now());
  }
  expect(seen).toEqual([
    ...['8 active, 13 presigning', '8 active, 13 published', '8 active, 13 ready', '8 postsigning, 13 active'],
    '13 active',
  ]);
});

test('the private key is in no log, no history, no stored answer and no other table', async () => {
  const files = await makeBindKey(folder, 'secret.example', 'ECDSAP256SHA256');
  const body = { zoneName: 'secret.example', owner: `org:${admin.team}`, key: half(files) };
  const token = { 'idempotency-key': 'import-once' };
  const first = await request('POST', '/zones', body, admin.text, token);
  const again = await request('POST', '/zones', body, admin.text, token);
  expect([first.status, again.body]).toEqual([200, first.body]);
  const zone = first.body as unknown as ZoneCreated;
  const [, number = ''] = /^PrivateKey: (\S+)$/m.exec(files.privateKey) ?? [];
  const octets = Buffer.from(number, 'base64');
  const [{ stored = '' } = {}] = await service.sql<{ stored: string }[]>`
    select private_key as stored from zone_keys where zone_id = ${zone.id}`;
  const lines = stored.split('\n').filter((line) => line.length > 20 && !line.startsWith('-'));
  const secrets = [number, octets.toString('hex'), octets.toString('base64url'), ...lines];
  expect(secrets.length).toBeGreaterThan(3);
  const history = JSON.stringify((await request('GET', `/zones/${zone.id}/changes`)).body);
  const tables = await service.sql<{ name: string }[]>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'zone_keys'`;
  const rows: string[] = [];
  for (const { name } of tables) {
    const [row] = await service.sql.unsafe(`select coalesce(string_agg(t::text, ' '), '') as text from ${name} t`);
    rows.push(String(row?.text));
  }
  const places = { log: service.log.join('\n'), history, rows: rows.join('\n'), answer: JSON.stringify(first.body) };
  expect(places.rows).toContain('secret.example');
  for (const secret of secrets) for (const text of Object.values(places)) expect(text).not.toContain(secret);
});

test('a wrong key creates nothing, and its sentence says how to correct it', async () => {
  const key = half(await makeBindKey(folder, 'wrong.example', 'ECDSAP256SHA256'));
  const zsk = half(await makeBindKey(folder, 'wrong.example', 'ECDSAP256SHA256', []));
  const bad: [object, string, string][] = [
    [{ key: zsk }, 'key.dnskey', 'zone-signing key (flags 256)'],
    [{ key: { ...key, dnskey: zsk.dnskey.replace(' 256 ', ' 257 ') } }, 'key.dnskey', 'does not fit'],
    [{ key: { privateKey: key.dnskey } }, 'key.privateKey', 'public half'],
    [{ key: { privateKey: 'x'.repeat(16_385) } }, 'key.privateKey', 'at most 16384 characters'],
    [{ key: { dnskey: key.dnskey } }, 'key.privateKey', 'must be a text'],
    [{ key, newKey: true }, 'newKey', 'must be false or omitted'],
  ];
  for (const [more, field, sentence] of bad) {
    const reply = await post('wrong.example', more);
    expect([refusal(reply), reply.body.field]).toEqual(['400 bad_request', field]);
    expect(reply.body.message).toContain(sentence);
  }
  expect((await request('GET', '/zones?zoneName=wrong.example')).body.zones).toEqual([]);
  await create('wrong.example', { key });
});

test('a key that may not create zones learns nothing about the key that it sends', async () => {
  const reader = await service.key({ manageZones: 'read' });
  const reply = await post('reader.example', { key: { privateKey: 'damaged' } }, reader);
  expect(refusal(reply)).toBe('403 forbidden');
});

test('a key of another zone is refused, also of one that was deleted, and the same zone gets it again', async () => {
  const other = await service.key({ team: 'other' });
  const files = await makeBindKey(folder, 'one.example', 'ECDSAP256SHA256');
  const { privateKey } = files;
  const first = await create('one.example', { key: { privateKey } });
  for (const key of [admin, other]) {
    const reply = await post('two.example', { key: { privateKey } }, key);
    expect([refusal(reply), reply.body.field]).toEqual(['409 conflict', 'key.privateKey']);
    expect(reply.body.message).not.toContain('one.example');
  }
  expect((await request('DELETE', `/zones/${first.id}`)).status).toBe(204);
  expect(refusal(await post('two.example', { key: { privateKey } }))).toBe('409 conflict');
  const again = await create('one.example', { key: { privateKey } });
  expect([again.ds, again.key]).toEqual([first.ds, { keyTag: first.key?.keyTag, kept: false, imported: true }]);
  await service.record(again, 'www', 'A', '192.0.2.1');
  const anchor = { ds: valuesOf(first.ds[0]) };
  expect(await service.dns.delv('one.example', 'www.one.example', 'A', anchor)).toMatchObject({ state: 'secure' });
});

test('an imported key takes the place of the key of a deleted zone', async () => {
  const before = await create('former.example', {});
  await request('DELETE', `/zones/${before.id}`);
  const files = await makeBindKey(folder, 'former.example', 'ED25519');
  const after = await create('former.example', { key: half(files) });
  const [tag, formerKeyTag] = [after.ds[0]?.keyTag, before.ds[0]?.keyTag];
  expect(after.key).toEqual({ keyTag: tag, kept: false, imported: true, formerKeyTag });
  expect(valuesOf(after.ds[0])).toBe(await dsOf(files));
});
