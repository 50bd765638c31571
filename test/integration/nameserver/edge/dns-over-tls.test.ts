// DNS over TLS (RFC 7858) of an edge, always with Knot 3.4. Its probe gives it each certificate that was renewed.
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '#config.ts';
import { checkEdge, edgeFile, prepareEdge } from '#nameserver/edge/edge.ts';
import { EDGE_SETTINGS } from '#nameserver/settings.ts';
import { ensureKnot } from '../../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { startSecondary } from '../../../../deploy/local/parts/secondary.ts';
import { createTlsClient } from '../../../support/dns/kdig.ts';
import { localCertificate, servingFiles } from '../../../support/http/serving-files.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const { knotd } = await ensureKnot({ version: '3.4', progress: () => undefined, signal });
const folder = await temporaryFolder('edge-tls');
const ports = await allocatePorts([{ name: 'dns', dns: true }, { name: 'tls' }], { stateDir: folder });
const first = await localCertificate();
const files = await servingFiles(join(folder, 'certificate'), first);
const printed: string[] = [];
const print = (line: string) => void printed.push(line);
const settings = readConfig(EDGE_SETTINGS, {
  ZONESTEAD_EDGE_PRIMARIES: '127.0.0.1:9',
  ZONESTEAD_EDGE_TSIG_SECRET: Buffer.alloc(32, 's').toString('base64'),
  ZONESTEAD_NODE_NAME: 'edge-0',
  ZONESTEAD_KNOT_FOLDER: join(folder, 'knot'),
  ZONESTEAD_KNOT_LISTEN: '127.0.0.1',
  ZONESTEAD_KNOT_PORT: String(ports.dns),
  ZONESTEAD_KNOT_TLS_PORT: String(ports.tls),
  ZONESTEAD_KNOT_TLS_CERT_FILE: join(folder, 'certificate/tls.crt'),
  ZONESTEAD_KNOT_TLS_KEY_FILE: join(folder, 'certificate/tls.key'),
  ZONESTEAD_KNOTD: knotd,
});
const question = ['id.server', 'TXT', 'CH'];
const copies = () => readdirSync(join(folder, 'knot')).filter((name) => name.startsWith('tls-'));

await prepareEdge(settings, print, signal);
const edge = await startSecondary({
  server: { name: 'knot', command: knotd, args: ['-c'] },
  config: readFileSync(edgeFile(settings), 'utf8'),
  folder: join(folder, 'knot'),
  address: '127.0.0.1',
  port: ports.dns as number,
  signal,
});
afterAll(() => edge.stop());
const ask = await createTlsClient(ports.tls as number, folder);

test('an edge answers over TLS, with each certificate that was renewed, and keeps the former one if a new one is wrong', async () => {
  expect(await ask(first.authorities, question)).toContain('edge-0');
  const [second, third] = [await localCertificate(), await localCertificate()];
  expect(await ask(second.authorities, question)).not.toContain('edge-0');
  await files.put({ ...second, key: first.key });
  await checkEdge(settings, print, signal);
  expect(printed.join()).toContain('is not the certificate of the key in');
  expect(await ask(first.authorities, question)).toContain('edge-0');
  await files.put(third);
  await checkEdge(settings, print, signal);
  expect(printed).toContain('the configuration was reloaded');
  expect(await ask(third.authorities, question)).toContain('edge-0');
  expect(copies()).toHaveLength(2);
});

test('an edge with Knot DNS 3.2 does not start with a certificate', async () => {
  const old = join(folder, 'knotd');
  await writeFile(old, "#!/bin/sh\necho 'knotd (Knot DNS), version 3.2.6'\n", { mode: 0o755 });
  await expect(prepareEdge({ ...settings, ZONESTEAD_KNOTD: old }, print, signal)).rejects.toThrow(
    'DNS over TLS needs Knot DNS 3.4 or later, and this is 3.2.6',
  );
});
