// YAML that the command line prints, read by kubectl: texts of others stay values, and never become fields or objects.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';
import { toYaml } from '#base/yaml.ts';
import { createClient } from '#client/client.ts';
import { createRecord } from '#contract/operations/records.ts';
import { createZone } from '#contract/operations/zones.ts';
import { zonestead } from '../../support/program/command-line.ts';
import { effort, nextSeed } from '../../support/runner/seed.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';
import { createLocalKubectl } from './local-kubectl.support.ts';

const folder = await temporaryFolder('manifests');
const read = await createLocalKubectl(folder);
const service = await startTestService({ nameserver: false, writesBehind: true });
const client = createClient({ baseUrl: service.url, key: service.admin.text });
afterAll(() => client.close());
vi.stubEnv('ZONESTEAD_URL', service.url);
vi.stubEnv('ZONESTEAD_API_KEY', service.admin.text);

/** With other line breaks between them, one line for YAML 1.2, and a whole document for YAML 1.1. */
const BINDING = [
  'x',
  '---',
  'apiVersion: rbac.authorization.k8s.io/v1',
  'kind: ClusterRoleBinding',
  'metadata: {name: evil}',
  'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}',
  '---',
];
const PIECES = [
  ...['\u0085', '\u2028', '\u2029', '\ufeff', '\u202e', '\u200f', '\u00a0', '\u3000', '\u{e0041}', '\u0000', '\u001b'],
  ...['\t', '\n', '\r', ' ', 'apiVersion: v1', 'kind: X', '---', '...', '- ', '? ', ': ', '#', ' #', '"', "'", '\\'],
  ...['\\u0085', '{', '}', '[', ']', ',', '&a', '*a', '!!str', '|', '>', '%', '@', '`', '~', 'null', 'true', 'yes'],
  ...['y', 'on', '0x1f', '0o7', '07', '1_0', '1:30', '1e3', '.inf', '.NaN', '=', '<<', '2001-12-14', 'é', '😀', 'a'],
  ...['0', '-', '.', '+', '\ue000', '\u0378', '\ud7ff'],
];

const TEXTS = effort(10_000, 1_000);

test(`${TEXTS} hostile texts in YAML are for kubectl the same values as in JSON`, async () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(''));
  const texts = [...PIECES, ...fc.sample(text, { numRuns: TEXTS, seed: nextSeed() })];
  const objects = Array.from({ length: 200 }, (_, at) => {
    const own = texts.filter((_, index) => index % 200 === at);
    const annotations = Object.fromEntries(own.map((value, index) => [`a${index}`, value]));
    const metadata = { name: `o${at}`, annotations };
    return { apiVersion: 'zonestead.dev/v1alpha1', kind: 'DNSRecord', metadata, spec: { values: own } };
  });
  expect(await read(objects.map(toYaml).join('\n---\n'))).toEqual(objects);
}, 120_000);

test('a record that is older than the rule is exported with the same value, and nothing else, and can be deleted', async () => {
  const { id } = await client.call(createZone, {
    body: { zoneName: 'old.example', owner: `org:${service.admin.team}` },
  });
  const record = await client.call(createRecord, {
    params: { id },
    body: { name: '_acme-challenge', type: 'TXT', content: 'note' },
  });
  const hostile = BINDING.join('\u0085');
  await service.sql`update records set content = ${hostile} where id = ${record.id}`;
  const escapes = BINDING.join('\\194\\133');
  const command = ['zones', 'export', 'old.example', '--format', 'manifests'];
  const yaml = await zonestead(...command);
  const objects = (await read(yaml.out)) as { kind: string; spec: { content?: string } }[];
  expect(objects.map(({ kind, spec }) => [kind, spec.content])).toEqual([
    ['DNSZone', undefined],
    ['DNSRecord', `"${escapes}"`],
  ]);
  expect(JSON.parse((await zonestead(...command, '-o', 'json')).out).items).toEqual(objects);
  // The list has the text as it is stored.
  const list = await zonestead('records', 'list', 'old.example', '-o', 'yaml');
  const wrapped = `apiVersion: v1\nkind: X\nmetadata: {name: x}\n${list.out}`;
  expect(await read(wrapped)).toMatchObject([{ kind: 'X', records: [{ content: hostile }] }]);
  expect((await zonestead('records', 'delete', 'old.example', '_acme-challenge', 'TXT')).code).toBe(0);
});

test.each([
  ['U+0085', 'TXT', `"a\u0085b"`, '\\194\\133'],
  ['U+2028', 'TXT', 'a\u2028b', '\\226\\128\\168'],
  ['U+202E', 'CAA', '0 issue "\u202eca.example"', '\\226\\128\\174'],
] as const)('a content with %s is refused with its escape', async (code, type, content, escapes) => {
  const zoneName = `new-${code.slice(2).toLowerCase()}.example`;
  const { id } = await client.call(createZone, { body: { zoneName, owner: `org:${service.admin.team}` } });
  const creation = client.call(createRecord, { params: { id }, body: { name: 'x', type, content } });
  await expect(creation).rejects.toMatchObject({ status: 400, field: 'content' });
  if (type !== 'TXT') return;
  await expect(creation).rejects.toThrow(`has the character ${code}; remove it, or write it as ${escapes}`);
  const escaped = await client.call(createRecord, {
    params: { id },
    body: { name: 'x', type, content: `"a${escapes}b"` },
  });
  expect(escaped.content).toBe(`"a${escapes}b"`);
});

test('a zone file cannot begin an object in the manifests of its import', async () => {
  const path = join(folder, 'hostile.zone');
  const lines = [`${BINDING.join('\u0085').replaceAll(' ', '')} A 192.0.2.1`, `t TXT "${BINDING.join('\u2028')}"`];
  await writeFile(path, `$ORIGIN file.example.\nwww 300 A 192.0.2.1\n${lines.join('\n')}\n`);
  const yaml = await zonestead('import', path, '--manifests');
  expect([yaml.code, (await read(yaml.out)).map((object) => (object as { kind: string }).kind)]).toEqual([
    1,
    ['DNSZone', 'DNSRecord'],
  ]);
  expect(yaml.err).toMatch(/Refused: line 3: .*\\u0085/);
  expect(yaml.err).not.toMatch(/[^\P{C}\n]/u);
  const json = await zonestead('import', path, '--manifests', '--skip-refused', '-o', 'json');
  expect([json.code, JSON.parse(json.out).items]).toEqual([0, await read(yaml.out)]);
});

test('a PowerDNS cannot begin an object either, with a record that is disabled', async () => {
  const name = `${BINDING.join('\u0085')}.pdns.example.`;
  const rrsets = [{ name, type: 'A', ttl: 300, records: [{ content: '192.0.2.1', disabled: true }] }];
  const server = createServer((_, reply) => reply.end(JSON.stringify({ name: 'pdns.example.', rrsets })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  const key = join(folder, 'pdns.key');
  await writeFile(key, 'secret');
  const address = `powerdns+http://127.0.0.1:${(server.address() as AddressInfo).port}/pdns.example`;
  const { code, out, err } = await zonestead('import', address, '--powerdns-key', key, '--manifests');
  expect([code, await read(out)]).toMatchObject([0, [{ kind: 'DNSZone' }]]);
  expect(err).toMatch(/Skipped: x\\u0085---\\u0085/);
  expect(err.split('\n').every((line) => line.length < 700)).toBe(true);
});
