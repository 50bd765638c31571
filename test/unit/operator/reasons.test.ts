// The reasons of Ready: one list, which the metrics use to count objects and which the documentation follows.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createStore } from '#kube/cache/store.ts';
import { createObserver } from '#operator/run/metrics.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { EVENT_REASONS, NOT_DELEGATED_REASONS, NOT_READY_REASONS, UNHEALTHY_REASONS } from '#resources/reasons.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { aRecord } from '../../support/operator/build.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const read = (file: string) => readFile(join(ROOT, file), 'utf8');
const all: readonly string[] = [...NOT_READY_REASONS, ...NOT_DELEGATED_REASONS, ...UNHEALTHY_REASONS];

function recordThatIs(status: 'True' | 'False', reason: string, name: string): DNSRecord {
  const { metadata, ...rest } = aRecord({}, { name, uid: name, resourceVersion: '1' });
  const lastTransitionTime = '2026-11-21T10:00:00Z';
  const conditions = [{ type: 'Ready', status, reason, message: '', lastTransitionTime }];
  return { ...rest, metadata, status: { conditions } };
}

test('the metric counts each object under its reason; Other is for the reasons of other versions', async () => {
  const log = createLogger({ name: 'test', level: 'silent' });
  const records = createStore<DNSRecord>({ log });
  const metrics = createMetrics({ processMetrics: false });
  createObserver(metrics, { zones: createStore<DNSZone>({ log }), records });
  const count = async (kind: string): Promise<Record<string, number>> => {
    const found = await metrics.registry.getSingleMetric('zonestead_objects_not_ready')?.get();
    const own = found?.values.filter(({ labels }) => labels.kind === kind) ?? [];
    return Object.fromEntries(own.map(({ labels, value }) => [labels.reason, value]));
  };
  const each = (value: number) => Object.fromEntries([...NOT_READY_REASONS, 'Other'].map((name) => [name, value]));
  expect(await count('DNSRecord')).toEqual(each(0));
  records.replace([
    ...[...NOT_READY_REASONS, 'OfLongAgo'].map((reason, n) => recordThatIs('False', reason, `open-${n}`)),
    // Ready, although the service is unavailable.
    recordThatIs('True', 'APIUnavailable', 'served'),
  ]);
  expect(await count('DNSRecord')).toEqual(each(1));
  expect(await count('DNSZone')).toEqual(each(0));
});

test('the list of reasons has none that neither the operator nor the solver sets', async () => {
  const folders = ['src/operator', 'src/resources', 'src/solver'].map((folder) => join(ROOT, folder));
  const lists = await Promise.all(
    folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((file) => join(folder, file))),
  );
  const files = lists.flat().filter((file) => file.endsWith('.ts') && !file.endsWith('reasons.ts'));
  const texts = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  expect([...all, ...EVENT_REASONS].filter((reason) => !texts.includes(`'${reason}'`))).toEqual([]);
});

test.each([
  ['Ready', NOT_READY_REASONS],
  ['Delegated', NOT_DELEGATED_REASONS],
  ['Healthy', UNHEALTHY_REASONS],
])('the page of conditions has a remedy for every reason of %s, and for no other', async (condition, reasons) => {
  const [, section = ''] = (await read('docs/reference/conditions.md')).split(`\n## ${condition}\n`);
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` .*\| +(\S.*\S) +\|$/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual([...reasons].sort());
});

test('the page of Events explains every reason of an Event, and no other', async () => {
  const rows = [...(await read('docs/reference/events.md')).matchAll(/^\| `(\w+)` .*\| +(\S.*\S) +\|$/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual([...EVENT_REASONS].sort());
});

test('a reason is spelled alike in alerts, their tests and their runbooks', async () => {
  const named = new Set<string>();
  // Other metrics have reasons in lower case.
  for (const file of ['charts/zonestead/files/alerts/operator.yaml', 'deploy/observability/operator.test.yaml'])
    for (const [, values = ''] of (await read(file)).matchAll(/reason!?[=~]+"([^"]*)"/g))
      for (const value of values.split('|')) if (/^[A-Z]/.test(value)) named.add(value);
  // The reason of an Event, and of no condition.
  for (const [, name = ''] of (await read('docs/reference/alerts.md')).matchAll(/reason ([A-Z]\w+)/g))
    if (name !== 'Drift') named.add(name);
  expect(named.size).toBeGreaterThan(5);
  // Kubernetes gives this reason to a container.
  named.delete('OOMKilled');
  expect([...named].filter((name) => !all.includes(name))).toEqual([]);
});

test('the metric of delegations counts each zone under its reason, and a delegated one under none', async () => {
  const log = createLogger({ name: 'test', level: 'silent' });
  const zones = createStore<DNSZone>({ log });
  const metrics = createMetrics({ processMetrics: false });
  createObserver(metrics, { zones, records: createStore<DNSRecord>({ log }) });
  const zone = (name: string, status?: 'True' | 'False', reason = '') => {
    const lastTransitionTime = '2026-11-21T10:00:00Z';
    const conditions = status ? [{ type: 'Delegated', status, reason, message: '', lastTransitionTime }] : [];
    const metadata = { name, namespace: 'default', uid: name, resourceVersion: '1' };
    return {
      apiVersion: 'zonestead.dev/v1alpha1',
      kind: 'DNSZone',
      metadata,
      status: { conditions },
    } as unknown as DNSZone;
  };
  zones.replace([
    zone('good', 'True', 'Delegated'),
    zone('new'),
    zone('wrong', 'False', 'DSMismatch'),
    zone('old', 'False', 'OfLongAgo'),
  ]);
  const { values = [] } = (await metrics.registry.getSingleMetric('zonestead_zones_not_delegated')?.get()) ?? {};
  const counts = Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]));
  expect(counts).toEqual({
    ...Object.fromEntries(NOT_DELEGATED_REASONS.map((each) => [each, 0])),
    NotChecked: 1,
    DSMismatch: 1,
  });
});
