// The memory of the operator, measured on the process of the image: it lists 10,000 records whose zone does not exist,
// reconciles each of them, and finds nothing to write. docs/explanation/benchmarks.md has figures with a zone.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import type { Part } from '../../../deploy/local/parts/process.ts';
import { startRecordLists } from '../../support/kube/record-lists.ts';
import { IMAGE_ENVIRONMENT, imageProgram, peakMegabytes } from '../../support/program/image-program.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const RECORDS = 10_000;
const PROMISED_MB = 165;
const folder = await temporaryFolder('operator-memory');
const { signal } = new AbortController();

const TIME = '2026-11-21T09:00:00Z';
const NO_ZONE =
  'DNSZone default/shop does not exist. Create it, or create this DNSRecord again with another spec.zoneRef.';
const NOT_CHECKED = 'The operator has not checked this yet. See the condition Programmed for the cause.';
const condition = (type: string, status: string, message: string) => ({
  type,
  status,
  reason: 'ZoneNotReady',
  message,
  observedGeneration: 1,
  lastTransitionTime: TIME,
});
const managedBy = (manager: string, fields: readonly string[]) => ({
  manager,
  operation: 'Apply',
  apiVersion: 'zonestead.dev/v1alpha1',
  time: TIME,
  fieldsType: 'FieldsV1',
  fieldsV1: Object.fromEntries(fields.map((field) => [field, Object.fromEntries(fields.map((each) => [each, {}]))])),
});

/** A record with the status of a record without a zone. */
const record = (n: number) => ({
  apiVersion: 'zonestead.dev/v1alpha1',
  kind: 'DNSRecord',
  metadata: {
    name: `record-${n}`,
    namespace: 'default',
    uid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    resourceVersion: String(n + 1),
    generation: 1,
    creationTimestamp: TIME,
    managedFields: [
      managedBy('kubectl', ['f:spec', 'f:content', 'f:name', 'f:type', 'f:zoneRef']),
      managedBy('zonestead-operator', ['f:status', 'f:conditions', 'f:fqdn', 'f:summary', 'f:zoneId']),
    ],
  },
  spec: { zoneRef: { name: 'shop' }, name: `host-${n}`, type: 'A', content: '192.0.2.1' },
  status: {
    summary: '192.0.2.1',
    observedGeneration: 1,
    conditions: [
      condition('Accepted', 'False', NO_ZONE),
      condition('Programmed', 'False', NO_ZONE),
      condition('Propagated', 'Unknown', NOT_CHECKED),
      condition('Ready', 'False', NO_ZONE),
    ],
  },
});

const cluster = await startRecordLists({ count: RECORDS, record });
let healthPort = 0;
let operator: Part;

beforeAll(async () => {
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig);
  const { health } = await allocatePorts([{ name: 'health' }], { stateDir: folder });
  healthPort = health as number;
  operator = await startCommand({
    name: 'operator',
    env: {
      ...IMAGE_ENVIRONMENT,
      KUBECONFIG: kubeconfig,
      // No server answers there: without a zone, a record needs nothing of the service.
      ZONESTEAD_URL: 'http://127.0.0.1:9',
      ZONESTEAD_API_KEY: 'a key for nothing',
    },
    main: await imageProgram(folder),
    healthPort,
    stateDir: folder,
    signal,
  });
}, 300_000);
afterAll(async () => {
  await operator?.stop();
  await cluster.close();
});

/** The number of runs of DNSRecords so far. */
async function runs(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  const counts = text.matchAll(/^zonestead_controller_reconcile_total\{.*controller="records".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test(`the operator stays below ${PROMISED_MB} MB at its peak when it starts among ${RECORDS} records`, async () => {
  await expect.poll(runs, { timeout: 120_000 }).toBeGreaterThanOrEqual(RECORDS);
  expect(cluster.writes).toEqual([]);
  const peak = await peakMegabytes(operator.pid);
  expect(peak).toBeGreaterThan(40);
  expect(peak).toBeLessThan(PROMISED_MB);
}, 300_000);
