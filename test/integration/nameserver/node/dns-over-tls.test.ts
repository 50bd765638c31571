// DNS over TLS (RFC 7858) of a real knotd, always Knot 3.4, and a node that gives it each certificate that was renewed.
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '#config.ts';
import { knotSettings } from '#nameserver/knot/from-config.ts';
import { prepareKnot } from '#nameserver/knot/prepare.ts';
import { KNOT_SETTINGS } from '#nameserver/settings.ts';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { ensureKnot } from '../../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { createTlsClient } from '../../../support/dns/kdig.ts';
import { localCertificate, nextCertificate, servingFiles } from '../../../support/http/serving-files.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { nodeProcess } from '../../../support/knot/node-process.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

const LIMIT = { timeout: 60_000, interval: 200 };
const { signal } = new AbortController();
const programs = await ensureKnot({ version: '3.4', progress: () => undefined, signal });
const folder = await temporaryFolder('dns-over-tls');
const { tls: tlsPort } = await allocatePorts([{ name: 'tls' }], { stateDir: folder });
const first = await localCertificate();
const files = await servingFiles(join(folder, 'certificate'), first);
const [certificateFile, keyFile] = ['tls.crt', 'tls.key'].map((name) => join(folder, 'certificate', name)) as [
  string,
  string,
];
const tls = { port: tlsPort as number, certificateFile, keyFile };
const [service, knot] = await Promise.all([
  startTestService({ nameserver: false }),
  testKnot({ tls }, {}, { programs }),
]);
const key = await adminMintNodeKey(service.database.url, 'ns1', {}, randomBytes, new Date());
const node = await nodeProcess(service.url, key.text, 'ns1', knot, {
  ZONESTEAD_KEYMGR: programs.keymgr,
  ZONESTEAD_KNOT_TLS_CERT_FILE: certificateFile,
  ZONESTEAD_KNOT_TLS_KEY_FILE: keyFile,
  ZONESTEAD_KNOT_TLS_PORT: String(tlsPort),
});
await node.start();
const zone = await service.zone();
await service.record(zone, 'www', 'A', '192.0.2.1');

const askTls = await createTlsClient(tlsPort as number, folder);
const ask = (authorities: string, hostName?: string) => askTls(authorities, [`www.${zone.zoneName}`, 'A'], hostName);
const copies = () => readdirSync(knot.folder.root).filter((name) => name.startsWith('tls-'));

test('queries over TLS are answered, and clients verify the certificate', async () => {
  await expect.poll(() => ask(first.authorities), LIMIT).toMatch(/\sA\s+192\.0\.2\.1/);
  const stranger = await localCertificate();
  for (const refused of [await ask(stranger.authorities), await ask(first.authorities, 'other.example')])
    expect(refused).not.toContain('192.0.2.1');
  expect(copies()).toHaveLength(2);
  for (const name of copies()) expect(statSync(join(knot.folder.root, name)).mode & 0o777).toBe(0o600);
  // A scrape sees the transport, and the end of the certificate.
  expect(await node.metric('serving_certificate_expiry_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000);
});

test('a running knotd gets a certificate that was renewed, and the former one stays if the new one is wrong', async () => {
  const { pid } = knot.part;
  const [second, third] = [await localCertificate(), await localCertificate()];
  await files.put({ ...second, key: first.key });
  await expect.poll(() => node.log(), LIMIT).toContain('is not the certificate of the key in');
  expect(await ask(first.authorities)).toContain('192.0.2.1');
  await files.put(third);
  await expect.poll(() => ask(third.authorities), LIMIT).toContain('192.0.2.1');
  expect(await ask(first.authorities)).not.toContain('192.0.2.1');
  await files.put(await nextCertificate(third));
  await expect.poll(copies, LIMIT).toHaveLength(2);
  expect(await ask(third.authorities)).toContain('192.0.2.1');
  expect(knot.part.pid).toBe(pid);
});

test('after a restart, knotd has the certificate of its settings', async () => {
  const fourth = await localCertificate();
  await node.stop();
  await files.put(fourth);
  await knot.restart('SIGKILL');
  await expect.poll(() => ask(fourth.authorities), LIMIT).toContain('192.0.2.1');
  expect(copies()).toHaveLength(2);
  await node.start();
});

const settingsWith = (more: Record<string, string>) =>
  knotSettings(
    readConfig(KNOT_SETTINGS, {
      ZONESTEAD_NODE_NAME: 'ns1',
      ZONESTEAD_KNOT_FOLDER: join(folder, 'refused'),
      ZONESTEAD_KNOT_TLS_CERT_FILE: certificateFile,
      ZONESTEAD_KNOT_TLS_KEY_FILE: keyFile,
      ...more,
    }),
  );
const prepare = (more: Record<string, string>, knotc = programs.knotc) =>
  prepareKnot({ knotc, settings: settingsWith(more), signal });

test.each([
  ['a file that is not there', { ZONESTEAD_KNOT_TLS_CERT_FILE: '/nowhere/tls.crt' }, '/nowhere/tls.crt'],
  ['a file that is not PEM', { ZONESTEAD_KNOT_TLS_CERT_FILE: '/etc/hostname' }, 'must be a certificate in PEM'],
  ['a key that is not one', { ZONESTEAD_KNOT_TLS_KEY_FILE: '/etc/hostname' }, 'its private key in PEM'],
])('knotd does not start with %s, and the text names the settings', async (_, more, words) => {
  const refused = prepare(more);
  await expect(refused).rejects.toThrow('the certificate for DNS over TLS cannot be used: ');
  await expect(refused).rejects.toThrow(words);
  await expect(refused).rejects.toThrow('ZONESTEAD_KNOT_TLS_KEY_FILE');
});

test('knotd does not start with the key of another certificate', async () => {
  const other = join(folder, 'other.key');
  await writeFile(other, (await localCertificate()).key);
  await expect(prepare({ ZONESTEAD_KNOT_TLS_KEY_FILE: other })).rejects.toThrow('is not the certificate of the key in');
});

test('Knot DNS 3.2 does not start with a certificate for DNS over TLS', async () => {
  const knotc = join(folder, 'knotc');
  await writeFile(knotc, "#!/bin/sh\necho 'knotc (Knot DNS), version 3.2.6'\n", { mode: 0o755 });
  await expect(prepare({}, knotc)).rejects.toThrow(
    'DNS over TLS needs Knot DNS 3.4 or later, and this is 3.2.6: remove ZONESTEAD_KNOT_TLS_CERT_FILE',
  );
});

afterAll(() => node.stop());
