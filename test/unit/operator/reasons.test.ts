// Reasons of Ready: one list, by which objects are counted, and which the texts for people follow.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createStore } from '../../../src/kube/store.ts';
import { createObserver } from '../../../src/operator/metrics.ts';
import type { DNSRecord } from '../../../src/operator/resources/dnsrecord.ts';
import type { DNSZone } from '../../../src/operator/resources/dnszone.ts';
import { NOT_DELEGATED_REASONS, NOT_READY_REASONS } from '../../../src/operator/resources/reasons.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { aRecord } from '../../support/operator/build.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const read = (file: string) => readFile(join(ROOT, file), 'utf8');
const all: readonly string[] = [...NOT_READY_REASONS, ...NOT_DELEGATED_REASONS];

function recordThatIs(status: 'True' | 'False', reason: string, name: string): DNSRecord {
  const { metadata, ...rest } = aRecord({}, { name, uid: name, resourceVersion: '1' });
  const lastTransitionTime = '2026-11-21T10:00:00Z';
  const conditions = [{ type: 'Ready', status, reason, message: '', lastTransitionTime }];
  return { ...rest, metadata, status: { conditions } };
}

it('counts each object under the reason it has; Other is for reasons of other versions', async () => {
  const log = createLogger({ name: 'test', level: 'silent' });
  const records = createStore<DNSRecord>({ log });
  const metrics = createMetrics({ processMetrics: false });
  createObserver(metrics, { zones: createStore<DNSZone>({ log }), records }, new FakeClock());
  const count = async (kind: string): Promise<Record<string, number>> => {
    const found = await metrics.registry.getSingleMetric('zonestead_objects_not_ready')?.get();
    const own = found?.values.filter(({ labels }) => labels.kind === kind) ?? [];
    return Object.fromEntries(own.map(({ labels, value }) => [labels.reason, value]));
  };
  const each = (value: number) => Object.fromEntries([...NOT_READY_REASONS, 'Other'].map((name) => [name, value]));
  expect(await count('DNSRecord')).toEqual(each(0));
  records.replace([
    ...[...NOT_READY_REASONS, 'OfLongAgo'].map((reason, n) => recordThatIs('False', reason, `open-${n}`)),
    // Ready, though the service is away.
    recordThatIs('True', 'APIUnavailable', 'served'),
  ]);
  expect(await count('DNSRecord')).toEqual(each(1));
  expect(await count('DNSZone')).toEqual(each(0));
});

it('lists no reason that nothing says', async () => {
  const folder = join(ROOT, 'src/operator');
  const files = (await readdir(folder, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('reasons.ts'),
  );
  const texts = (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
  expect(all.filter((reason) => !texts.includes(`'${reason}'`))).toEqual([]);
});

it('has a cure for every reason in the README, and none for others', async () => {
  const [, section = ''] = (await read('README.md')).split('**Conditions that say what to do**');
  const [list = ''] = section.split('\n### ');
  const told = [...list.matchAll(/^- (Ready|Delegated): ([\s\S]*?)(?=^- |$(?![\s\S]))/gm)].flatMap(([, , text = '']) =>
    [...text.matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, name]) => name),
  );
  expect(told.filter((name) => name !== 'Ready').sort()).toEqual([...all].sort());
});

it('is told by alerts, their cases and their runbooks as it is', async () => {
  const named = new Set<string>();
  for (const file of ['charts/zonestead/files/alerts.yaml', 'deploy/observability/alerts.test.yaml'])
    for (const [, values = ''] of (await read(file)).matchAll(/reason!?[=~]+"([^"]*)"/g))
      for (const value of values.split('|')) named.add(value);
  // Of an Event, and of no condition.
  for (const [, name = ''] of (await read('deploy/observability/runbooks.md')).matchAll(/reason ([A-Z]\w+)/g))
    if (name !== 'Drift') named.add(name);
  expect(named.size).toBeGreaterThan(5);
  expect([...named].filter((name) => !all.includes(name))).toEqual([]);
});
