// A node with a real knotd holds zones that a restored database lacks, and an administrator brings them back from it.
import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { adminListNodes } from '#service/nodes/administration.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { prepareRestoredNode } from '../../../support/knot/restored-node.ts';
import { zonestead } from '../../../support/program/command-line.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { before, after, knot, key, node, restored } = await prepareRestoredNode();
const dns = createResolver({ address: '127.0.0.1', port: knot.port }, await temporaryFolder('salvaged'));

const RECORDS = [
  ['@', 'MX', 'mail.example.net', { priority: 10 }],
  ['@', 'TXT', '"v=spf1 -all"'],
  ['quoted', 'TXT', '"a \\"b\\" \\\\ c;d"'],
  ['www', 'A', '192.0.2.1', { ttl: 60 }],
  ['www', 'A', '192.0.2.2', { ttl: 60 }],
  ['*.apps', 'AAAA', '2001:db8::1'],
  ['out', 'NS', 'ns.example.net'],
  ['_sip._tcp', 'SRV', '1 2 5060 sip.example.net', {}],
  ['zz-after-a-ttl', 'A', '192.0.2.3'],
] as const;

/** Runs `zonestead admin nodes salvage …` with the restored database. */
async function salvage(...words: string[]) {
  vi.stubEnv('DATABASE_URL', after.database.url);
  try {
    return await zonestead('admin', 'nodes', 'salvage', ...words);
  } finally {
    vi.unstubAllEnvs();
  }
}
const held = async () =>
  (await adminListNodes(after.database.url)).flatMap((row) => row.held?.zones.map(({ name }) => name) ?? []).sort();
const recordsOf = async (service: typeof before, id: string, text?: string) => {
  const { records } = (await service.request('GET', `/zones/${id}/records?limit=100`, undefined, text)).body as {
    records: { name: string; type: string; content: string; ttl: number; priority: number | null }[];
  };
  return records
    .map(({ name, type, content, ttl, priority }) => `${name} ${ttl} ${type} ${priority} ${content}`)
    .sort();
};
const zoneOf = async (service: typeof before, id: string) =>
  (await service.request('GET', `/zones/${id}`)).body as {
    serial: number;
    ds: unknown;
    owner: string;
    defaultTtl: number;
    denial: string;
  };

test('A zone that only a node has comes back with its id, records and key, and no node can plant one', async () => {
  await node.start();
  const zone = await before.zone();
  const { zoneName } = zone;
  await before.request('PATCH', `/zones/${zone.id}`, { denial: 'NSEC3' });
  const child = await before.zone(`child.${zoneName}`);
  for (const [name, type, content, more] of RECORDS) await before.record(zone, name, type, content, more);
  await before.record(child, 'deep', 'A', '192.0.2.9');
  const original = { zone: await zoneOf(before, zone.id), records: await recordsOf(before, zone.id) };
  await expect.poll(() => dns.dig(`deep.${child.zoneName}`, 'A')).toContain('192.0.2.9');
  await expect.poll(() => dns.dig(`_sip._tcp.${zoneName}`, 'SRV')).toContain('sip.example.net');
  await node.stop();
  const foreign = await after.key({ team: 'other' });
  const foreignZone = await after.zone(`x.${zoneName}`, foreign);
  await restored.start();
  await expect.poll(held).toEqual([child.zoneName, zoneName].sort());

  // The team of the backup has another id here, and another secret sealed it.
  const unproven = await salvage('--zone', zoneName);
  expect([unproven.code, unproven.out]).toEqual([1, expect.stringContaining('nothing proves whose zone it is')]);
  const [{ secret }] = (await before.sql`select seal_secret as secret from service`) as unknown as [{ secret: Buffer }];
  await after.sql`update service set seal_secret = ${secret}`;
  const unknown = await salvage('--zone', zoneName);
  expect(unknown.out).toContain(`its team ${before.admin.team} is not in the database`);
  await after.sql`insert into teams (id, name) values (${before.admin.team}, 'restored')`;

  // Another team has a zone below, which it made before the nodes reported.
  expect((await salvage('--zone', zoneName)).out).toContain('overlaps with a zone of another team');
  await after.request('DELETE', `/zones/${foreignZone.id}`, undefined, foreign.text);
  await after.sql`delete from quarantined_names`;
  const second = { zoneName: `y.${zoneName}`, owner: `org:${foreign.team}` };
  const refused = await after.request('POST', '/zones', second, foreign.text);
  expect([refused.status, refused.body]).toMatchObject([
    409,
    { message: expect.stringContaining('nodes salvage --zone') },
  ]);

  const dry = await salvage('--all', '--dry-run');
  expect([dry.code, dry.out]).toEqual([
    0,
    expect.stringMatching(/dry run: .*: brought back, with 9 records and the key/),
  ]);
  expect(await held()).toHaveLength(2);
  expect(await after.sql`select from salvage_parts`).toHaveLength(0);
  expect((await salvage('--all')).err).toMatch(/2 zones with their DNSSEC keys.*--yes/);

  const { code, out } = await salvage('--all', '--yes');
  expect([code, out]).toEqual([
    0,
    expect.stringContaining('2 zones brought back, 0 there already, 0 not brought back'),
  ]);
  const [row] = await after.sql`select * from zones where id = ${zone.id}`;
  expect(row).toMatchObject({ team_id: before.admin.team, name: zoneName });
  expect(Number(row?.serial)).toBeGreaterThan(original.zone.serial);
  const reader = await after.key({ team: 'restored' });
  const back = await after.request('GET', `/zones/${zone.id}`, undefined, reader.text);
  expect(back.body).toMatchObject({ ds: original.zone.ds, defaultTtl: original.zone.defaultTtl, denial: 'NSEC3' });
  await expect.poll(held).toEqual([]);
  const { ds } = original.zone as unknown as {
    ds: { keyTag: number; algorithm: number; digestType: number; digest: string }[];
  };
  const anchor = { ds: `${ds[0]?.keyTag} ${ds[0]?.algorithm} ${ds[0]?.digestType} ${ds[0]?.digest}` };
  await expect.poll(async () => (await dns.delv(zoneName, `deep.${child.zoneName}`, 'A', anchor)).state).toBe('secure');
  expect(await recordsOf(after, zone.id, reader.text)).toEqual(original.records);

  const again = await salvage('--zone', zoneName);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('0 zones brought back, 1 there already')]);
  // Without a request of an administrator, nothing that a node sends is taken.
  const part = { token: 'x', instance: randomUUID(), zone: 'planted.test', content: { kind: 'failed', error: 'x' } };
  const send = async (text: string) => {
    const headers = { authorization: `Bearer ${text}`, 'content-type': 'application/json' };
    const answer = await fetch(`${after.url}/v1/feed/salvage`, { method: 'POST', headers, body: JSON.stringify(part) });
    return [answer.status, await answer.text()];
  };
  expect(await send(key)).toEqual([409, expect.stringContaining('no administrator asks')]);
  expect((await send(foreign.text))[0]).toBe(403);
});
