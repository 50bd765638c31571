// certificates.mode: cert-manager, with the real cert-manager: it issues what the chart asks for, OpenSSL verifies each
// certificate for each of its names, and the api serves the next one without a restart.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCertManager } from '../../../deploy/local/parts/certmanager.ts';
import { ensureCertManager } from '../../../deploy/local/parts/certmanager-build.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { type Rendered, render } from '../../support/chart/chart.ts';
import { servingFiles, untilServed } from '../../support/http/serving-files.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';
import { type ChartCluster, startChartCluster } from './chart-cluster.support.ts';

const MINUTE_MS = 60_000;
const API = 'zonestead-api.zonestead.svc';
const ADDED = 'dns.example.org';
const HOSTS = ['dns.example.net', '192.0.2.1', '2001:db8::1'];
/** The names by which clients reach each server, and the days of its certificate, which can have more names. */
const WANTED: Readonly<Record<string, { names: readonly string[]; days: number }>> = {
  'zonestead-api-tls': {
    names: [API, 'zonestead-api.zonestead', 'zonestead-api.zonestead.svc.cluster.local', ...HOSTS],
    days: 90,
  },
  'zonestead-postgres-tls': { names: ['zonestead-postgres.zonestead.svc'], days: 90 },
  'zonestead-solver-tls': { names: ['zonestead-solver.zonestead.svc'], days: 365 },
};

const { signal } = new AbortController();
let cluster: ChartCluster;
let certManager: Part | undefined;

beforeAll(async () => {
  cluster = await startChartCluster();
  const { stateDir, kubeconfig } = cluster;
  const { dir } = await ensureCertManager({ progress: () => undefined, signal });
  const wishes = (['certManagerMetrics', 'certManagerHealth'] as const).map((name) => ({ name }));
  const ports = await allocatePorts(wishes, { stateDir: await temporaryFolder('issued-certificates') });
  // It looks up no name: no issuer of the chart needs a challenge.
  certManager = await startCertManager({ dir, stateDir, kubeconfig, dns: '127.0.0.1:53', ports, signal });
  await apply(HOSTS);
  const wait = ['--for=condition=Ready', 'certificate', '--all', '--timeout=180s'];
  await kubectl('wait', ...wait);
}, 20 * MINUTE_MS);
afterAll(async () => {
  await certManager?.stop();
  await cluster?.stop();
});

async function kubectl(...args: string[]): Promise<string> {
  const { ok, out, words } = await cluster.kubectl('-n', 'zonestead', ...args);
  if (!ok) throw new Error(words);
  return out;
}

/** The issuers and certificates of the chart, with these names of the api. */
async function apply(hosts: readonly string[]): Promise<void> {
  const mode = 'cert-manager';
  const values = { certificates: { mode }, solver: { certificate: { mode } }, api: { tls: { hosts } } };
  const items = (await render(values)).filter(({ kind }: Rendered) => kind === 'Issuer' || kind === 'Certificate');
  const file = await cluster.file(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  await kubectl('apply', '--server-side', '-f', file);
}

interface Pair {
  authorities: string;
  certificate: string;
  key: string;
}

async function readPair(secret: string): Promise<Pair> {
  const { data } = JSON.parse(await kubectl('get', 'secret', secret, '-o', 'json')) as { data: Record<string, string> };
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  return { authorities: text('ca.crt'), certificate: text('tls.crt'), key: text('tls.key') };
}

/** Whether OpenSSL takes the certificate of a server for a name or an address; its words otherwise. */
async function verify({ authorities, certificate }: Pair, name: string): Promise<true | string> {
  const files = { ca: join(cluster.stateDir, 'ca.pem'), leaf: join(cluster.stateDir, 'leaf.pem') };
  await writeFile(files.ca, authorities);
  await writeFile(files.leaf, certificate);
  const as = /^[0-9.]+$|:/.test(name) ? '-verify_ip' : '-verify_hostname';
  const args = ['verify', '-no-CApath', '-no-CAstore', '-CAfile', files.ca, '-purpose', 'sslserver', as, name];
  const all = { command: 'openssl', args: [...args, files.leaf], timeoutMs: MINUTE_MS, signal };
  const { code, tail } = await runCommand(all);
  return code === 0 ? true : tail;
}

test.each(Object.entries(WANTED))(
  'the certificate in %s is good for each name of its server, and for no other',
  async (secret, { names, days }) => {
    const pair = await readPair(secret);
    const leaf = new X509Certificate(pair.certificate);
    expect(leaf.checkPrivateKey(createPrivateKey(pair.key))).toBe(true);
    for (const name of names) expect(await verify(pair, name), name).toBe(true);
    expect(await verify(pair, ADDED)).toContain('hostname mismatch');
    const lasts = Date.parse(leaf.validTo) - Date.parse(leaf.validFrom);
    expect(Math.round(lasts / 86_400_000)).toBe(days);
  },
);

test('the api and Postgres have one authority, which signs certificates and is valid for years', async () => {
  const [api, database] = [await readPair('zonestead-api-tls'), await readPair('zonestead-postgres-tls')];
  expect(database.authorities).toBe(api.authorities);
  const authority = new X509Certificate(api.authorities);
  expect(authority.ca).toBe(true);
  expect(Date.parse(authority.validTo)).toBeGreaterThan(Date.now() + 4 * 365 * 86_400_000);
});

test('a new host of the values is in the next certificate, which the api serves without a restart', async () => {
  const first = await readPair('zonestead-api-tls');
  const files = await servingFiles(join(cluster.stateDir, 'mounted'), first);
  const service = await startTestService({ nameserver: false, settings: files.settings });
  /** A client that has read the authority once connects. @throws unless the api has a good certificate for the name */
  const reaches = async (servername: string) => {
    const port = Number(new URL(service.tlsUrl()).port);
    const socket = connect({ port, host: '127.0.0.1', servername, ca: first.authorities });
    await once(socket, 'secureConnect').finally(() => socket.destroy());
  };
  await reaches(API);
  await expect(reaches(ADDED)).rejects.toThrow("does not match certificate's altnames");
  await apply([...HOSTS, ADDED]);
  const isIssued = async () => (await verify(await readPair('zonestead-api-tls'), ADDED)) === true;
  await expect.poll(isIssued, { timeout: 2 * MINUTE_MS, interval: 500 }).toBe(true);
  const second = await readPair('zonestead-api-tls');
  expect(second.authorities).toBe(first.authorities);
  expect(second.key).not.toBe(first.key);
  await files.put(second);
  await untilServed(service.tlsUrl(), second);
  await reaches(API);
  await reaches(ADDED);
});
