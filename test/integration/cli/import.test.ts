// `zonestead import` with the real program and a running service.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createClient } from '#client/client.ts';
import { fetchRecords, fetchZones } from '#client/lists.ts';
import { createRecord } from '#contract/operations/records.ts';
import { createZone } from '#contract/operations/zones.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false, limits: true });
const admin = await service.key({ zoneWrites: 1_000, recordWrites: 100_000 });
const folder = await temporaryFolder('import');
const client = createClient({ baseUrl: service.url, key: admin.text });
const MAIN = inject('program');

/** Runs `zonestead import …` and waits up to 100 s for its end. */
function run(words: readonly string[], key: string | null = admin.text) {
  const access = key === null ? {} : { ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: key };
  const env = { PATH: process.env.PATH ?? '', ...COMPILED, ...access };
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [MAIN, 'import', ...words], { env, timeout: 100_000 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err });
    });
  });
}

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function recordsOf(zone: string): Promise<string[]> {
  const [found] = await fetchZones(client, { zoneName: zone });
  if (found === undefined) return [];
  const records = await fetchRecords(client, found.id, {});
  return records.map(({ name, ttl, type, content }) => `${name} ${ttl} ${type} ${content}`).sort();
}

const head = (zone: string) => `$ORIGIN ${zone}.\n@ 300 SOA ns1.old.example. host 1 2 3 4 5\n@ NS ns1.old.example.\n`;

test('a zone file: the plan changes nothing, the import makes it, and a repetition finds nothing to do', async () => {
  const path = await fileOf('one.zone', `${head('one.example')}www 300 A 192.0.2.1\nm MX 5 mail.example.net.\n`);
  const without = await run([path]);
  expect([without.code, without.out]).toEqual([1, expect.stringContaining('--create creates it')]);
  const plan = await run([path, '--create', '--dry-run']);
  expect(plan.code).toBe(0);
  expect(plan.out.split('\n')).toEqual([
    `one.example, from ${path}:`,
    '  create  www 300 A 192.0.2.1 (line 4)',
    '  create  m 300 MX 5 mail.example.net (line 5)',
    '  skip  line 2: The service makes this record itself.',
    '  skip  line 3: The service makes this record itself.',
    'one.example: 2 to create, 0 to change, 0 unchanged, 2 skipped, 0 refused.',
    'It counts as 2 record writes, and the key may make 100000 in 60 seconds.',
    '',
  ]);
  expect(await fetchZones(client, { zoneName: 'one.example' })).toEqual([]);
  expect((await run([path, '--create'])).code).toBe(0);
  expect(await recordsOf('one.example')).toEqual(['m 300 MX mail.example.net', 'www 300 A 192.0.2.1']);
  const again = await run([path]);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('0 to create, 0 to change, 2 unchanged')]);
});

test('a refused line keeps the whole zone as it is, another zone is imported, and --skip-refused leaves the line out', async () => {
  const broken = await fileOf('broken.zone', `${head('broken.example')}a A 192.0.2.1\nb A 300.0.0.1\n`);
  const good = await fileOf('good.csv', 'name,type,value,comment\nwww,A,192.0.2.1,the shop\n');
  const first = await run([broken, '--create']);
  expect(first.code).toBe(1);
  expect(first.out).toMatch(/refuse {2}line 5: content: .*300\.0\.0\.1/);
  expect(await fetchZones(client, { zoneName: 'broken.example' })).toEqual([]);
  const both = await run([broken, good, '--zone', 'good.example', '--create', '--skip-refused', '-o', 'json']);
  expect(JSON.parse(both.out).zones.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'imported',
    'imported',
  ]);
  // --zone names the zone of both files, and the names of the first are outside of it.
  expect(await recordsOf('good.example')).toEqual(['www 3600 A 192.0.2.1']);
  const [zone] = await fetchZones(client, { zoneName: 'good.example' });
  expect((await fetchRecords(client, zone!.id, {}))[0]?.comment).toBe('the shop');
});

test('a record that contradicts a record of the service is refused, and the others wait for it', async () => {
  const { id } = await client.call(createZone, { body: { zoneName: 'taken.example', owner: `org:${admin.team}` } });
  await client.call(createRecord, {
    params: { id },
    body: { name: 'www', type: 'CNAME', content: 'host.example.net' },
  });
  const path = await fileOf('taken.zone', `${head('taken.example')}www A 192.0.2.1\nb A 192.0.2.1\n`);
  const { code, out } = await run([path]);
  expect([code, out]).toEqual([1, expect.stringMatching(/refuse {2}line 4: .*of the service/)]);
  expect(await recordsOf('taken.example')).toEqual(['www 3600 CNAME host.example.net']);
});

test('an empty zone gets thousands of records at once, and a zone with records in several changes', async () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `n${from + at} 300 A 192.0.2.1\n`).join('');
  const path = await fileOf('large.zone', head('large.example') + lines(0, 2_500));
  expect((await run([path, '--create'])).code).toBe(0);
  const [zone] = await fetchZones(client, { zoneName: 'large.example' });
  expect(await recordsOf('large.example')).toHaveLength(2_500);
  expect(zone?.serial).toBeGreaterThan(0);
  const more = await fileOf('more.zone', head('large.example') + lines(1_000, 4_600));
  const { code, out, err } = await run([more, '--zone', 'large.example']);
  expect(err.trim().split('\n')).toEqual(
    [1_000, 2_000, 2_100].map((made) => `large.example: ${made} of 2100 changes are made`),
  );
  expect([code, out]).toEqual([0, expect.stringContaining('2100 to create, 0 to change, 1500 unchanged')]);
  expect(await recordsOf('large.example')).toHaveLength(4_600);
});

test('thousands of records of an empty zone get their comments', async () => {
  const rows = Array.from({ length: 1_200 }, (_, at) => `n${at},A,192.0.2.1,${at % 2 === 0 ? `number ${at}` : ''}\n`);
  const path = await fileOf('many.csv', `name,type,value,comment\n${rows.join('')}`);
  expect((await run([path, '--zone', 'many.example', '--create'])).code).toBe(0);
  const [zone] = await fetchZones(client, { zoneName: 'many.example' });
  const comments = (await fetchRecords(client, zone!.id, {})).flatMap(({ comment }) => comment ?? []);
  expect(comments.sort()).toEqual(Array.from({ length: 600 }, (_, at) => `number ${2 * at}`).sort());
});

test('a key with a low limit imports a zone of any size: it counts at most half of the limit', async () => {
  const key = await service.key({ recordWrites: 5 });
  const lines = Array.from({ length: 60 }, (_, at) => `n${at} A 192.0.2.1\n`).join('');
  await client.call(createZone, { body: { zoneName: 'slow.example', owner: `org:${admin.team}` } });
  const { code } = await run([await fileOf('slow.zone', head('slow.example') + lines)], key.text);
  expect(code).toBe(0);
  expect(await recordsOf('slow.example')).toHaveLength(60);
});

test('500 records pass with a key of the default limit, and the plan says what they cost', async () => {
  const key = await service.key();
  const lines = Array.from({ length: 500 }, (_, at) => `n${at} A 192.0.2.1\n`).join('');
  const path = await fileOf('first.zone', head('first.example') + lines);
  const plan = await run([path, '--create', '--dry-run'], key.text);
  expect(plan.out).toContain('It counts as 30 record writes, and the key may make 60 in 60 seconds.');
  const start = performance.now();
  expect((await run([path, '--create'], key.text)).code).toBe(0);
  expect(performance.now() - start).toBeLessThan(30_000);
  expect(await recordsOf('first.example')).toHaveLength(500);
});

test.each([
  ['a few records', 3],
  ['a zone file', 1_500],
])('--create leaves nothing behind if %s cannot be written', async (_, count) => {
  const key = await service.key({ records: 'read', manageZones: 'write', zoneWrites: 100 });
  const name = `reader-${count}.example`;
  const lines = Array.from({ length: count }, (__, at) => `n${at} A 192.0.2.1\n`).join('');
  const path = await fileOf(`${name}.zone`, head(name) + lines);
  const { code, out } = await run([path, '--create'], key.text);
  expect([code, out]).toEqual([1, expect.stringContaining(`${name} is not imported: `)]);
  expect(await fetchZones(client, { zoneName: name })).toEqual([]);
  // The same command succeeds with another key.
  expect((await run([path, '--create'])).code).toBe(0);
  expect(await recordsOf(name)).toHaveLength(count);
});

test('a file that names its zone itself adds to a zone with other records only with --zone', async () => {
  const { id } = await client.call(createZone, { body: { zoneName: 'corp.example', owner: `org:${admin.team}` } });
  await client.call(createRecord, { params: { id }, body: { name: 'www', type: 'A', content: '192.0.2.1' } });
  const path = await fileOf('customer.zone', `${head('corp.example')}vpn A 203.0.113.66\n`);
  const plan = await run([path, '--dry-run']);
  expect(plan.out).toContain('only the text of the file names it; give --zone');
  const refused = await run([path]);
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('give --zone')]);
  expect(await recordsOf('corp.example')).toEqual(['www 3600 A 192.0.2.1']);
  expect((await run([path, '--zone', 'corp.example'])).code).toBe(0);
  expect(await recordsOf('corp.example')).toHaveLength(2);
});

test('--manifests prints the objects without a service', async () => {
  const registry = 'TXT "heritage=external-dns,external-dns/owner=prod,external-dns/resource=ingress/a/b"';
  const text = `www 300 A 192.0.2.1\nq LUA A "1"\nweb A 192.0.2.2\na-web ${registry}\n`;
  const path = await fileOf('objects.zone', head('objects.example') + text);
  const refused = await run([path, '--manifests'], null);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Refused: line 5: type: LUA')]);
  const { code, out } = await run([path, '--manifests', '--skip-unsupported', '--external-dns', '-n', 'team'], null);
  expect(code).toBe(0);
  expect(parseAllDocuments(out).map((document) => document.toJS())).toEqual([
    expect.objectContaining({ kind: 'DNSZone', metadata: { name: 'objects.example', namespace: 'team' } }),
    expect.objectContaining({
      kind: 'DNSRecord',
      spec: expect.objectContaining({ name: 'www', type: 'A', ttl: 300, content: '192.0.2.1' }),
    }),
  ]);
});

test.each([
  [['nowhere.zone'], 'nowhere.zone cannot be read'],
  [['axfr://[fe80::1%eth0]/x.example'], 'axfr://[fe80::1%eth0]/x.example: fe80::1%eth0 has a zone id'],
  [['axfr://[::ffff:192.0.2.1]:53/x.example'], 'is an IPv4 address in the form of IPv6; write 192.0.2.1'],
  [['axfr://127.0.0.1:1/x.example'], 'axfr://127.0.0.1:1/x.example: the server '],
  [['powerdns+http://127.0.0.1:1'], '--powerdns-key must name a file'],
])('%j is refused with the reason', async (words, said) => {
  const { code, err } = await run(words);
  expect([code, err]).toEqual([1, expect.stringContaining(said)]);
});
