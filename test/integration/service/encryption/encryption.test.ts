// The private keys of zones in a real database: encrypted from the start, encrypted again under writes, and taken from
// a real name server after the key that encrypts them was lost.
import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { Keyring, nameOfKey, newKeyringKey, parseKeyringKeys } from '#base/keyring.ts';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { ownerOfKey } from '#store/zone-keys.ts';
import { readZone } from '../../../support/feed/feed-reader.ts';
import { zonestead } from '../../../support/program/command-line.ts';
import { startTestService } from '../../../support/service/service.ts';

const [first, second, lost] = [newKeyringKey(), newKeyringKey(), newKeyringKey()];
const nameOf = (key: string) => key.split(':')[0] as string;
const keyringOf = (text: string) =>
  new Keyring(parseKeyringKeys(text) as Exclude<ReturnType<typeof parseKeyringKeys>, string>);
// A replica that knows both keys, and one that still encrypts with the old one: the middle of a rotation.
const service = await startTestService({
  settings: { ZONESTEAD_ENCRYPTION_KEYS: `${first},${second}` },
  warnings: ['private keys of zones are encrypted with keys that ZONESTEAD_ENCRYPTION_KEYS lacks'],
});
const { sql, request, url } = service;
const nodeKey = (await adminMintNodeKey(service.database.url, 'reader', {}, randomBytes, new Date())).text;

interface Row {
  zone_id: string;
  public_key: string;
  private_key: string;
}
const rows = () => sql<Row[]>`select zone_id, public_key, private_key from zone_keys order by id`;
const keyNames = async () => [...new Set((await rows()).map((row) => nameOfKey(row.private_key)))];
const encryptKeys = async (keys: string, ...words: string[]) => {
  vi.stubEnv('DATABASE_URL', service.database.url);
  vi.stubEnv('ZONESTEAD_ENCRYPTION_KEYS', keys);
  try {
    return await zonestead('admin', 'encrypt-keys', ...words);
  } finally {
    vi.unstubAllEnvs();
  }
};
const create = (zoneName: string) => request('POST', '/zones', { zoneName, owner: `org:${service.admin.team}` });
/** Whether any row of any table has the text. */
async function hasText(wanted: string): Promise<boolean> {
  const tables = await sql<{ name: string }[]>`
    select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`;
  const counts = await Promise.all(
    tables.map(({ name }) => sql.unsafe(`select 1 from ${name} t where strpos(t::text, $1) > 0 limit 1`, [wanted])),
  );
  return counts.some(({ length }) => length > 0);
}
const served = async (zone: { id: string }, at = url) => (await readZone(at, nodeKey, zone.id)).lines[0];

test('no private key is in clear in any table, also that of a deleted and a rolled one, and name servers get them', async () => {
  const [zone, rolled, deleted] = [await service.zone(), await service.zone(), await service.zone()];
  expect((await request('POST', `/zones/${rolled.id}/keys/roll`, {})).status).toBe(200);
  await request('DELETE', `/zones/${deleted.id}`);
  expect(await hasText('v1.')).toBe(true);
  expect(await hasText('PRIVATE KEY')).toBe(false);
  expect(await keyNames()).toEqual([nameOf(first)]);
  expect(await served(zone)).toMatchObject({
    kind: 'zone',
    keys: [{ privateKey: expect.stringContaining('PRIVATE KEY'), algorithm: 13, state: 'active' }],
  });
  expect(await service.dns.dig(zone.zoneName, 'SOA', '+dnssec')).toContain('RRSIG');
  // The former owner gets the key back.
  const { body } = await create(deleted.zoneName);
  expect(body).toMatchObject({ key: { kept: true } });
  expect(await served(body as { id: string })).toMatchObject({ keys: [{ algorithm: 13 }] });
});

test('a text that was copied to another zone is refused', async () => {
  const [one, other] = [await service.zone(), await service.zone()];
  const [before] = await sql<Row[]>`select * from zone_keys where zone_id = ${other.id}`;
  await sql`update zone_keys set private_key = (select private_key from zone_keys where zone_id = ${one.id}) where zone_id = ${other.id}`;
  const answer = await fetch(`${url}/v1/feed/zones/${other.id}`, { headers: { authorization: `Bearer ${nodeKey}` } });
  expect([answer.status, await answer.json()]).toEqual([
    503,
    expect.objectContaining({ message: expect.stringContaining(`${other.zoneName} cannot be read: it does not open`) }),
  ]);
  await sql`update zone_keys set private_key = ${before?.private_key ?? ''} where zone_id = ${other.id}`;
});

test('all private keys are encrypted with another key under writes, without a failed request', async () => {
  const zone = await service.zone();
  // Those of an installation of before are in clear.
  const [clear] = await sql<Row[]>`select * from zone_keys where zone_id = ${zone.id}`;
  const pem = keyringOf(first).open(clear?.private_key ?? '', ownerOfKey({ publicKey: clear?.public_key ?? '' }));
  await sql`update zone_keys set private_key = ${pem} where zone_id = ${zone.id}`;
  await sql`
    insert into zone_keys (zone_id, algorithm, public_key, private_key, state, since, created_at)
    select ${zone.id}, 13, 'spare-' || n, ${pem}, 'retired', now(), now() from generate_series(1, 3000) n`;
  const gone = await service.zone();
  await request('DELETE', `/zones/${gone.id}`);
  const count = await encryptKeys(`${second},${first}`, '--dry-run', '--output', 'json');
  expect(JSON.parse(count.out)).toMatchObject({ key: nameOf(second), current: 0, clear: 3001, missing: 0 });
  const statuses = new Set<number>();
  let isDone = false;
  const writes = (async () => {
    while (!isDone) {
      const created = await create(`z${randomBytes(4).toString('hex')}.example`);
      statuses.add(created.status);
      const { id } = created.body as { id: string };
      statuses.add((await request('POST', `/zones/${id}/keys/roll`, {})).status);
      statuses.add((await request('DELETE', `/zones/${id}`)).status);
    }
  })();
  const { code, out } = await encryptKeys(`${second},${first}`);
  isDone = true;
  await writes;
  expect([code, out]).toEqual([0, expect.stringMatching(/\d{4} private keys are newly encrypted with the key/)]);
  expect([...statuses].sort()).toEqual([200, 204]);
  await encryptKeys(`${second},${first}`);
  expect(await keyNames()).toEqual([nameOf(second)]);
  expect(await hasText('PRIVATE KEY')).toBe(false);
  expect(await hasText(`v1.${nameOf(first)}.`)).toBe(false);
  await sql`delete from zone_keys where public_key like 'spare-%'`;
  const later = await service.anotherApi({ settings: { ZONESTEAD_ENCRYPTION_KEYS: second } });
  expect(await served(zone, later.url)).toMatchObject({ keys: [{ privateKey: pem }] });
});

test('a lost key is named, and the name servers give back the private keys that belong to their public keys', async () => {
  const zones = [await service.zone(), await service.zone()] as const;
  await service.settled();
  const [before] = await Promise.all([served(zones[0]), served(zones[1])]);
  const ids = zones.map(({ id }) => id);
  for (const row of await sql<Row[]>`select * from zone_keys where zone_id = any(${ids})`) {
    const owner = ownerOfKey({ publicKey: row.public_key });
    const text = keyringOf(lost).seal(keyringOf(`${first},${second}`).open(row.private_key, owner), owner);
    await sql`update zone_keys set private_key = ${text} where zone_id = ${row.zone_id}`;
  }
  // A zone whose public key no name server has the private key of.
  const [, forged] = zones;
  await sql`update zone_keys set public_key = 'AAAA' where zone_id = ${forged.id}`;
  const again = await service.anotherApi();
  await expect.poll(() => service.log.join('')).toContain(nameOf(lost));
  expect(
    (await request('POST', `/zones/${zones[0].id}/records`, { name: 'x', type: 'A', content: '192.0.2.1' })).status,
  ).toBe(201);
  expect(await service.dns.dig(`x.${zones[0].zoneName}`, 'A', '+short')).toContain('192.0.2.1');
  const counted = await encryptKeys(`${first},${second}`, '--dry-run');
  expect([counted.code, counted.out]).toEqual([1, expect.stringContaining(`lacks: "${nameOf(lost)}"`)]);
  // The parts that nodes send are deleted at the end.
  await sql.unsafe(`create table seen_parts (content jsonb);
    create function see_part() returns trigger language plpgsql as
      'begin insert into public.seen_parts values (new.content); return new; end';
    create trigger see_part before insert on salvage_parts for each row execute function see_part()`);
  const taken = await encryptKeys(`${first},${second}`, '--from-nodes');
  expect(taken.out).toContain('1 private keys came from the name servers');
  expect(taken.out).toContain(`${forged.zoneName}: no name server has the private key`);
  expect(taken.code).toBe(1);
  expect(await served(zones[0], again.url)).toEqual(
    expect.objectContaining({ keys: (before as { keys: unknown }).keys }),
  );
  expect(await hasText('""kind"": ""keys""')).toBe(true);
  expect(await hasText('PRIVATE KEY')).toBe(false);
});

test('the command without keys, and the return of zones with other keys than the api, are refused', async () => {
  vi.stubEnv('DATABASE_URL', service.database.url);
  try {
    expect((await zonestead('admin', 'encrypt-keys')).err).toContain('set ZONESTEAD_ENCRYPTION_KEYS');
    const salvage = await zonestead('admin', 'nodes', 'salvage', '--zone', 'x.example');
    expect(salvage.err).toContain('set ZONESTEAD_ENCRYPTION_KEYS as the api has it');
  } finally {
    vi.unstubAllEnvs();
  }
});
