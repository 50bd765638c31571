// Zone files and manifests on the command line: export, diff, apply, and their previews, with a running service.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { applyZoneFile } from '#cli/zones/apply.ts';
import { createClient } from '#client/client.ts';
import { createRecord } from '#contract/operations/records.ts';
import { importZoneFile } from '#contract/operations/zone-files.ts';
import { zonestead } from '../../support/program/command-line.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { on, withReplies } from '../../support/service/fake-client.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const admin = await service.key();
vi.stubEnv('ZONESTEAD_URL', service.url);
vi.stubEnv('ZONESTEAD_API_KEY', admin.text);
vi.stubEnv('NO_COLOR', '1');
const folder = await temporaryFolder('zone-files');

/** Writes a file, and returns its path. */
async function file(text: string): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.txt`);
  await writeFile(path, text);
  return path;
}

/** A new zone with these records, each as the words of `records create`. */
async function zoneWith(name: string, ...records: string[][]): Promise<void> {
  await service.zone(name, admin);
  for (const words of records) expect((await zonestead('records', 'create', name, ...words)).err).toBe('');
}

const contents = async (zone: string) =>
  JSON.parse((await zonestead('records', 'list', zone, '-o', 'json')).out)
    .records.map((row: Record<string, unknown>) => `${row.name} ${row.ttl} ${row.type} ${row.content}`)
    .sort();
const serialOf = async (zone: string) => JSON.parse((await zonestead('zones', 'get', zone, '-o', 'json')).out).serial;

test('an exported zone file is equal to the zone, in any spelling', async () => {
  await zoneWith('same.example', ['www', 'AAAA', '2001:db8::1'], ['@', 'MX', 'mail.example.net'], ['@', 'TXT', 'x y']);
  const { out } = await zonestead('zones', 'export', 'same.example');
  expect(out).toMatch(/^\$ORIGIN same\.example\.\n/);
  expect(await zonestead('diff', await file(out))).toEqual({ code: 0, out: '', err: '' });
  const other = '$ORIGIN SAME.example.\nwww AAAA 2001:DB8:0::1\n@ MX 10 Mail.Example.NET.\n@ TXT "x y"\n';
  expect(await zonestead('diff', await file(other))).toEqual({ code: 0, out: '', err: '' });
});

test('diff shows the changes of a zone file with code 1, and apply makes exactly these', async () => {
  await zoneWith('shop.example', ['www', 'A', '192.0.2.1'], ['old', 'TXT', 'gone'], ['api', 'A', '192.0.2.3']);
  const text = '$ORIGIN shop.example.\n$TTL 3600\nwww A 192.0.2.2\napi 60 A 192.0.2.3\nnew A 192.0.2.4\n';
  const path = await file(text);
  const shown = [
    '- api 3600 A 192.0.2.3',
    '+ api 60 A 192.0.2.3',
    '+ new 3600 A 192.0.2.4',
    '- old 3600 TXT gone',
    '- www 3600 A 192.0.2.1',
    '+ www 3600 A 192.0.2.2',
  ];
  const serial = await serialOf('shop.example');
  const diff = await zonestead('diff', path);
  expect([diff.code, diff.out.trimEnd().split('\n')]).toEqual([1, ['shop.example:', ...shown]]);
  expect((await zonestead('zones', 'apply', path, '--dry-run')).out.trimEnd().split('\n')).toEqual(shown);
  expect(await serialOf('shop.example')).toBe(serial);
  const [set] = JSON.parse((await zonestead('diff', path, '-o', 'json')).out).zones[0].differences;
  expect(set).toMatchObject({ name: 'api', type: 'A', before: [{ ttl: 3600 }], after: [{ ttl: 60 }] });
  expect((await zonestead('zones', 'apply', path)).out).toContain('1 created, 2 updated, 1 deleted');
  expect(await contents('shop.example')).toEqual([
    'api 60 A 192.0.2.3',
    'new 3600 A 192.0.2.4',
    'www 3600 A 192.0.2.2',
  ]);
  expect((await zonestead('diff', path)).code).toBe(0);
});

test('apply deletes more than one record only if it is confirmed', async () => {
  await zoneWith('many.example', ['a', 'A', '192.0.2.1'], ['b', 'A', '192.0.2.1'], ['c', 'A', '192.0.2.1']);
  const path = await file('; nothing but c\nc A 192.0.2.1\n');
  expect((await zonestead('zones', 'apply', path)).err).toContain('which zone it is: begin it with a line "$ORIGIN');
  const unsure = await zonestead('zones', 'apply', path, '--zone', 'many.example');
  expect([unsure.code, unsure.err]).toEqual([
    1,
    'this deletes 2 records of many.example; repeat the command with --yes',
  ]);
  expect(await contents('many.example')).toHaveLength(3);
  expect((await zonestead('zones', 'apply', path, '--zone', 'many.example', '--yes')).err).toBe('');
  expect(await contents('many.example')).toEqual(['c 3600 A 192.0.2.1']);
});

test('an error of diff has code 2 and names the line, the object or the file', async () => {
  await service.zone('wrong.example', admin);
  const cases: [string, string][] = [
    ['$ORIGIN wrong.example.\nwww A 192.0.2.1\nwww A nonsense\n', 'line 3: content: '],
    ['$ORIGIN wrong.example.\nwww CNAME a.example.\nwww A 192.0.2.1\n', 'line '],
    ['$ORIGIN absent.example.\n', 'no zone absent.example that this API key can see'],
    ['kind: DNSRecord\nmetadata: { name: one }\nspec: { zoneRef: { name: z } }\n', 'the file has no DNSZone z; give'],
    ['kind: DNSZone\nmetadata: { name: z }\nspec: {}\n', 'DNSZone z: spec.zoneName is missing'],
    ['kind: Service\n', 'no DNSZone and no DNSRecord'],
    ['kind: [\n', 'the file is not YAML'],
  ];
  for (const [text, message] of cases) {
    const ended = await zonestead('diff', await file(text));
    expect([text, ended.code, ended.out]).toEqual([text, 2, '']);
    expect(ended.err).toContain(message);
  }
  expect((await zonestead('diff', '/nowhere/file')).err).toBe('/nowhere/file cannot be read: there is no such file');
});

test('exported manifests are equal to the zone; diff compares their records and leaves others out', async () => {
  const pool = ['192.0.2.1', '192.0.2.2'].map((address) => ['pool', 'A', address]);
  await zoneWith('objects.example', ...pool, ['@', 'MX', 'mail.example.net', '--priority', '5'], ['other', 'TXT', 'x']);
  const { out } = await zonestead('zones', 'export', 'objects.example', '--format', 'manifests', '-n', 'team');
  expect(await zonestead('diff', await file(out))).toEqual({ code: 0, out: '', err: '' });
  const objects = parseAllDocuments(out, { version: '1.1' }).map((each) => each.toJS());
  const changed = objects.filter(({ spec }) => spec.name !== 'other');
  for (const { spec } of changed) {
    if (spec.values) spec.values[1].content = '192.0.2.9';
    if (spec.zoneName) Object.assign(spec, { defaultTtl: 600, denial: 'NSEC3' });
  }
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: changed }, null, 1);
  const diff = await zonestead('diff', await file(list));
  expect([diff.code, diff.err]).toEqual([1, '']);
  expect(diff.out.split('\n')).toEqual(
    expect.arrayContaining([
      'objects.example:',
      '~ default TTL 3600 becomes 600',
      '~ denial NSEC becomes NSEC3',
      '- pool 3600 A 192.0.2.2',
    ]),
  );
  expect(diff.out).not.toContain('other');
  expect((await zonestead('zones', 'apply', await file(list))).err).toContain('apply them with kubectl apply -f');
});

test('a preview of a change of a zone changes nothing', async () => {
  await zoneWith('dry.example', ['www', 'A', '192.0.2.1']);
  const serial = await serialOf('dry.example');
  const said = async (...words: string[]) => (await zonestead('zones', ...words, '--dry-run')).out.trimEnd();
  expect(await said('create', 'unborn.example')).toBe(
    `would create the zone unborn.example for the owner org:${admin.team}`,
  );
  expect(await said('update', 'dry.example', '--default-ttl', '60')).toBe('would set defaultTtl to 60 of dry.example');
  expect(await said('park', 'dry.example')).toBe('would park dry.example');
  expect(await said('delete', 'dry.example')).toBe('would delete dry.example with 1 records');
  expect(await serialOf('dry.example')).toBe(serial);
  expect((await zonestead('zones', 'list')).out).not.toContain('unborn.example');
});

test('apply writes nothing if the zone changed after the file was compared with it', async () => {
  await zoneWith('crossed.example', ['www', 'A', '192.0.2.1']);
  const path = await file('$ORIGIN crossed.example.\nwww A 192.0.2.2\n');
  const client = createClient({ baseUrl: service.url, key: admin.text });
  const crossed = withReplies(
    client,
    on(importZoneFile, async (input, options) => {
      const body = { name: 'theirs', type: 'A' as const, content: '192.0.2.3' };
      await client.call(createRecord, { params: input.params, body });
      return client.call(importZoneFile, input, options);
    }),
  );
  const session = {
    client: crossed,
    signal: new AbortController().signal,
    format: 'table' as const,
    print: () => undefined,
    warn: () => undefined,
  };
  await expect(applyZoneFile(session, { path, text: await readFile(path, 'utf8') }, { yes: true })).rejects.toThrow(
    /crossed\.example changed after they were compared with .*run the command again/,
  );
  await client.close();
  expect(await contents('crossed.example')).toEqual(['theirs 3600 A 192.0.2.3', 'www 3600 A 192.0.2.1']);
});
