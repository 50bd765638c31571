// The commands of docs/how-to/import-zones.md and of the pages about migrations, as a reader types them: with a real
// BIND and a real PowerDNS as the servers that people leave.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readDnskeys } from '#dns/dnssec/dnskey-text.ts';
import type { TsigKey } from '#dns/message/tsig.ts';
import { startSigningBind } from '../../support/dns/signing-bind.ts';
import type { ScenarioName } from '../../support/docs/plan.ts';
import type { Own } from '../../support/docs/reader.ts';
import { formatKeyFile } from '../../support/doors/dns-update/primary.ts';
import { startPowerDns } from '../../support/doors/powerdns/server.ts';
import { walk } from '../../support/doors/walk.ts';
import { startTransferSource } from '../../support/knot/transfer-source.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const ZONE = 'moved.example';
const service = await startTestService();
const key = await service.key();

/** Walks a page in an empty folder with these files. The walk returns the folder. */
const reader =
  (scenario: ScenarioName) =>
  async (own: Own = {}, files: Readonly<Record<string, string>> = {}) => {
    const folder = await temporaryFolder('import-page');
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const env = { ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: key.text };
    const ours = { '@ns1.example.net': `@127.0.0.1 -p ${service.dns.port}` };
    await walk(scenario, { service, folder, own: { ...ours, ...own }, env });
    return folder;
  };

async function recordsOf(zone: string): Promise<string[]> {
  const rows = await service.sql`select r.name, r.type, coalesce(r.ttl, z.default_ttl) as ttl, r.content
    from records r join zones z on z.no = r.zone_no where z.name = ${zone} order by r.name, r.type`;
  return rows.map(({ name, ttl, type, content }) => `${name} ${ttl} ${type} ${content}`);
}

/** Most pages move the same zone. */
beforeEach(() => forget(ZONE));

async function forget(zone: string): Promise<void> {
  const { body } = await service.request('GET', `/zones?zoneName=${zone}`, undefined, key.text);
  for (const { id } of (body as { zones: { id: string }[] }).zones) {
    expect((await service.request('DELETE', `/zones/${id}`, undefined, key.text)).status).toBe(204);
  }
}

test('a reader imports a zone file', async () => {
  await reader('import')();
  expect(await recordsOf('example.com')).toEqual(['@ 3600 MX mail.example.net', 'www 300 A 192.0.2.10']);
});

test('a reader divides a zone: the records of a label move to a zone below it, and all are answered', async () => {
  await forget('example.com');
  const { id } = await service.zone('example.com', key);
  const record = (name: string, content: string, type = 'A') => ({ name, type, content, ttl: 300 });
  const records = [
    record('www.eu', '192.0.2.10'),
    record('eu', '"a  text"', 'TXT'),
    record('a.b.eu', '192.0.2.11'),
    record('www', '192.0.2.12'),
    record('europe', '192.0.2.13'),
    record('eu.www', '192.0.2.14'),
  ];
  const changes = records.map((each) => ({ action: 'create', record: each }));
  const { status } = await service.request('POST', `/zones/${id}/records:batch`, { changes }, key.text);
  expect(status).toBe(200);
  await reader('divided zone')();
  expect(await recordsOf('eu.example.com')).toEqual([
    '@ 300 TXT "a  text"',
    'a.b 300 A 192.0.2.11',
    'www 300 A 192.0.2.10',
  ]);
  expect(await recordsOf('example.com')).toEqual([
    'eu.www 300 A 192.0.2.14',
    'europe 300 A 192.0.2.13',
    'www 300 A 192.0.2.12',
  ]);
});

test('a reader moves a zone from BIND', async () => {
  const tsig: TsigKey = { name: 'moved', algorithm: 'hmac-sha256', secret: randomBytes(32) };
  const text = `$TTL 3600\n@ SOA ns1 host 1 7200 3600 86400 300\n@ NS ns1\nns1 A 192.0.2.53\n@ MX 10 mail\nmail A 192.0.2.25\n`;
  const port = await startTransferSource('bind', ZONE, tsig, text);
  const old = { 'axfr://ns1.old.example': `axfr://127.0.0.1:${port}`, '@ns1.old.example': `@127.0.0.1 -p ${port}` };
  await reader('from BIND')(old, { 'transfer.key': formatKeyFile(tsig) });
  const expected = ['@ 3600 MX mail.moved.example', 'mail 3600 A 192.0.2.25', 'ns1 3600 A 192.0.2.53'];
  expect(await recordsOf(ZONE)).toEqual(expected);
});

test('a reader moves a signed zone from BIND with its key', async () => {
  const tsig: TsigKey = { name: 'moved', algorithm: 'hmac-sha256', secret: randomBytes(32) };
  const text =
    '$TTL 3600\n@ SOA ns1.old.example. host 1 7200 3600 86400 300\n@ NS ns1.old.example.\nwww A 192.0.2.80\n';
  const { at, path, privateKey, dnskey } = await startSigningBind(ZONE, text, tsig);
  const name = basename(path, '.private');
  const old = {
    'axfr://ns1.old.example': `axfr://127.0.0.1:${at.port}`,
    '@ns1.old.example': `@127.0.0.1 -p ${at.port}`,
    'Kmoved.example.+013+20326': name,
  };
  const halves = { [`${name}.private`]: privateKey, [`${name}.key`]: dnskey };
  await reader('from BIND with its key')(old, { 'transfer.key': formatKeyFile(tsig), ...halves });
  expect(await recordsOf(ZONE)).toEqual(['www 3600 A 192.0.2.80']);
  const rows =
    await service.sql`select k.public_key from zone_keys k join zones z on z.id = k.zone_id where z.name = ${ZONE}`;
  expect(rows.map((row) => row.public_key)).toEqual(readDnskeys(dnskey).map(({ publicKey }) => publicKey));
});

test('a reader moves zones from PowerDNS, as records and as objects', async () => {
  const pdns = await startPowerDns();
  const rrset = (name: string, type: string, content: string) => {
    return { name: `${name}${ZONE}.`, type, ttl: 300, records: [{ content, disabled: false }] };
  };
  const { status } = await pdns.send('POST', '/zones', {
    name: `${ZONE}.`,
    kind: 'Native',
    nameservers: ['ns1.old.example.'],
    rrsets: [
      rrset('www.', 'A', '192.0.2.80'),
      rrset('', 'MX', '10 mail.moved.example.'),
      rrset('mail.', 'A', '192.0.2.25'),
      rrset('lua.', 'LUA', `A "ifportup(443, {'192.0.2.1'})"`),
    ],
  });
  expect(status).toBe(201);
  const own = { 'http://pdns.example.net:8081': pdns.url };
  await reader('from PowerDNS')(own, { 'pdns.key': pdns.key });
  const expected = ['@ 300 MX mail.moved.example', 'mail 300 A 192.0.2.25', 'www 300 A 192.0.2.80'];
  expect(await recordsOf(ZONE)).toEqual(expected);
  await forget(ZONE);

  const folder = await reader('from PowerDNS-Operator')(own, { 'pdns.key': pdns.key });
  const objects = parseAllDocuments(await readFile(join(folder, 'moved.yaml'), 'utf8')).map((each) => each.toJS());
  expect(objects.map(({ kind, metadata }) => `${metadata.namespace} ${kind} ${metadata.name}`)).toEqual([
    'team-a DNSZone moved.example',
    'team-a DNSRecord moved.example-mx',
    'team-a DNSRecord mail.moved.example-a',
    'team-a DNSRecord www.moved.example-a',
  ]);
});

test('a reader moves a zone that external-dns writes, with its owners', async () => {
  await reader('from external-dns')();
  expect(await recordsOf(ZONE)).toEqual(['www 300 A 192.0.2.80']);
  const sets = await service.sql`select owner, name, type from owned_sets`;
  expect(sets).toEqual([{ owner: 'external-dns:prod/ingress/shop/web', name: 'www', type: 'A' }]);
});

test('a reader moves a zone from Cloudflare', async () => {
  await reader('from Cloudflare')();
  expect(await recordsOf(ZONE)).toEqual(['@ 300 ALIAS shop.example.net', 'www 300 A 192.0.2.80']);
});

test('a reader moves a zone from deSEC', async () => {
  await reader('from deSEC')();
  expect(await recordsOf(ZONE)).toEqual(['@ 3600 MX mail.moved.example', 'mail 3600 A 192.0.2.25']);
});
