// The memory of the solver that docs/explanation/benchmarks.md states, measured on the process of the image: in a cluster with
// 10,000 foreign records, which it lists, watches and lists again.
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { layDown } from '../../../deploy/image/rootfs.ts';
import { sources } from '../../../deploy/image/sources.ts';
import { ensureAuthority, ensureCertificate } from '../../../deploy/local/parts/certificates.ts';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import type { Part } from '../../../deploy/local/parts/process.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const RECORDS = 10_000;
const PROMISED_MB = 140;
const PROJECT = new URL('../../../', import.meta.url).pathname;
const folder = await temporaryFolder('solver-memory');
const { signal } = new AbortController();

/** A record as kube-apiserver sends it, with all fields that the solver drops. */
const record = (n: number) => ({
  apiVersion: 'zonestead.dev/v1alpha1',
  kind: 'DNSRecord',
  metadata: {
    name: `record-${n}`,
    namespace: `team-${n % 50}`,
    uid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    resourceVersion: String(n + 1),
    generation: 1,
    creationTimestamp: '2026-11-21T09:00:00Z',
    labels: { 'app.kubernetes.io/part-of': 'shop' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(400) },
    finalizers: ['zonestead.dev/dns'],
    managedFields: [
      { manager: 'kubectl', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': 'y'.repeat(600) } },
    ],
  },
  spec: { zoneRef: { name: 'shop' }, name: `host-${n}`, type: 'TXT', content: 'z'.repeat(200) },
  status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'm'.repeat(100) }] },
});

let listed = 0;
let relists = 0;
const watches: ServerResponse[] = [];
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://cluster');
  const path = url.pathname;
  if (url.searchParams.get('watch') !== null) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (path.endsWith('/dnsrecords')) watches.push(response);
    return;
  }
  const json = (body: object) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (path.endsWith('/dnsrecords')) {
    const from = Number(url.searchParams.get('continue') ?? '0');
    const limit = Number(url.searchParams.get('limit') ?? RECORDS);
    const to = Math.min(from + limit, RECORDS);
    if (from === 0) relists += 1;
    listed += to - from;
    const items = Array.from({ length: to - from }, (_, n) => record(from + n));
    json({
      kind: 'DNSRecordList',
      metadata: { resourceVersion: '1', continue: to < RECORDS ? String(to) : '' },
      items,
    });
  } else if (path.endsWith('/configmaps')) {
    const data = { 'requestheader-client-ca-file': authority };
    const metadata = {
      name: 'extension-apiserver-authentication',
      namespace: 'kube-system',
      uid: 'c',
      resourceVersion: '1',
    };
    json({ kind: 'ConfigMapList', metadata: { resourceVersion: '1' }, items: [{ metadata, data }] });
  } else {
    json({ kind: 'List', metadata: { resourceVersion: '1' }, items: [] });
  }
});
let authority = '';
let solver: Part;

beforeAll(async () => {
  const ca = await ensureAuthority({ dir: folder, name: 'authority', commonName: 'authority' });
  authority = ca.certificate;
  const serving = await ensureCertificate({
    dir: folder,
    name: 'serving',
    commonName: 'solver',
    authority: ca,
    hosts: ['localhost'],
  });
  const files = {
    certificate: join(folder, 'tls.crt'),
    key: join(folder, 'tls.key'),
    kubeconfig: join(folder, 'kubeconfig'),
  };
  await writeFile(files.certificate, serving.certificate);
  await writeFile(files.key, serving.key);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cluster = { server: `http://127.0.0.1:${port}` };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  await writeFile(files.kubeconfig, JSON.stringify(config));
  const ports = await allocatePorts([{ name: 'solver' }, { name: 'health' }], { stateDir: folder });
  // As in the image: Node removes no types, and reads no compiled code.
  await layDown(await sources(PROJECT), folder);
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'app/node_modules'));
  solver = await startCommand({
    name: 'solver',
    env: {
      NODE_DISABLE_COMPILE_CACHE: '1',
      KUBECONFIG: files.kubeconfig,
      ZONESTEAD_SOLVER_LISTEN: `127.0.0.1:${ports.solver}`,
      ZONESTEAD_TLS_CERT_FILE: files.certificate,
      ZONESTEAD_TLS_KEY_FILE: files.key,
    },
    main: join(folder, 'app/main.js'),
    healthPort: ports.health,
    stateDir: folder,
    signal,
  });
}, 300_000);
afterAll(async () => {
  await solver?.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function memory(field: 'VmHWM' | 'VmRSS'): Promise<number> {
  const text = await readFile(`/proc/${solver.pid}/status`, 'utf8');
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text) ?? [];
  return Math.round((Number(kilobytes) * 1024) / 1e6);
}

it(`stays below ${PROMISED_MB} MB at its peak with ${RECORDS} records, a change of each, and a list from the start again`, async () => {
  await expect.poll(() => watches.length, { timeout: 60_000 }).toBe(1);
  expect(listed).toBe(RECORDS);
  expect(await memory('VmHWM')).toBeLessThan(PROMISED_MB);
  for (let n = 0; n < RECORDS; n += 1) {
    const object = record(n);
    object.metadata.resourceVersion = String(RECORDS + n);
    watches[0]?.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
    if (n % 500 === 0) await sleep(20);
  }
  // 410 Gone: the solver lists everything again while the first list is still in memory.
  const expired = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
  watches[0]?.end(`${JSON.stringify({ type: 'ERROR', object: expired })}\n`);
  await expect.poll(() => [relists, watches.length], { timeout: 60_000 }).toEqual([2, 2]);
  await sleep(500);
  const peak = await memory('VmHWM');
  expect(peak).toBeGreaterThan(40);
  expect(peak).toBeLessThan(PROMISED_MB);
}, 300_000);
