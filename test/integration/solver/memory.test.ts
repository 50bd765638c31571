// The memory of the solver that docs/explanation/benchmarks.md states, measured on the process of the image: in a
// cluster with 10,000 foreign records, which it lists, watches and lists again.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureAuthority, ensureCertificate } from '../../../deploy/local/parts/certificates.ts';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import type { Part } from '../../../deploy/local/parts/process.ts';
import { startRecordLists } from '../../support/kube/record-lists.ts';
import { IMAGE_ENVIRONMENT, imageProgram, peakMegabytes } from '../../support/program/image-program.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const RECORDS = 10_000;
const PROMISED_MB = 140;
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

let authority = '';
const cluster = await startRecordLists({
  count: RECORDS,
  record,
  others: {
    configmaps: () => [
      {
        metadata: {
          name: 'extension-apiserver-authentication',
          namespace: 'kube-system',
          uid: 'c',
          resourceVersion: '1',
        },
        data: { 'requestheader-client-ca-file': authority },
      },
    ],
  },
});
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
  await writeFile(files.kubeconfig, cluster.kubeconfig);
  const ports = await allocatePorts([{ name: 'solver' }, { name: 'health' }], { stateDir: folder });
  solver = await startCommand({
    name: 'solver',
    env: {
      ...IMAGE_ENVIRONMENT,
      KUBECONFIG: files.kubeconfig,
      ZONESTEAD_SOLVER_LISTEN: `127.0.0.1:${ports.solver}`,
      ZONESTEAD_TLS_CERT_FILE: files.certificate,
      ZONESTEAD_TLS_KEY_FILE: files.key,
    },
    main: await imageProgram(folder),
    healthPort: ports.health,
    stateDir: folder,
    signal,
  });
}, 300_000);
afterAll(async () => {
  await solver?.stop();
  await cluster.close();
});

test(`the solver stays below ${PROMISED_MB} MB at its peak with ${RECORDS} records, a change of each, and a list from the start again`, async () => {
  const { watches, sent } = cluster;
  await expect.poll(() => watches.length, { timeout: 60_000 }).toBe(1);
  expect(sent).toEqual({ records: RECORDS, lists: 1 });
  expect(await peakMegabytes(solver.pid)).toBeLessThan(PROMISED_MB);
  for (let n = 0; n < RECORDS; n += 1) {
    const object = record(n);
    object.metadata.resourceVersion = String(RECORDS + n);
    watches[0]?.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
    if (n % 500 === 0) await sleep(20);
  }
  // 410 Gone: the solver lists everything again while the first list is still in memory.
  const expired = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
  watches[0]?.end(`${JSON.stringify({ type: 'ERROR', object: expired })}\n`);
  await expect.poll(() => [sent.lists, watches.length], { timeout: 60_000 }).toEqual([2, 2]);
  await sleep(500);
  const peak = await peakMegabytes(solver.pid);
  expect(peak).toBeGreaterThan(40);
  expect(peak).toBeLessThan(PROMISED_MB);
}, 300_000);
