// DNSRecords that follow the endpoints of a Service: their checks, their signals, and their status.
import { expect, test } from 'vitest';
import { findCondition } from '#kube/objects/conditions.ts';
import { type EndpointSlice, trimSlice } from '#kube/objects/endpoint-slices.ts';
import { buildCheckName } from '#operator/checks/name.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { refused } from '../../support/operator/memory-service.ts';

const KEY = 'default/www';
const OWN = buildCheckName('cluster-1', KEY);
const SPEC = { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' };
const { signal } = new AbortController();

async function bench(serviceRef: object = { name: 'web' }): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  on.cluster.create(DNS_RECORD, { name: 'www' }, { ...SPEC, healthFrom: { serviceRef } });
  await on.settle();
  return on;
}

let version = 100;
/** Writes the slice of the Service `web`, as a watch brings it. @param ready the condition of each endpoint */
function put(on: Bench, ready: readonly boolean[], namespace = 'default', port = 443): void {
  version += 1;
  const slice: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...{ namespace, name: 'web-1', uid: `uid-${namespace}`, resourceVersion: String(version) },
      labels: { 'kubernetes.io/service-name': 'web' },
    },
    endpoints: ready.map((each) => ({ conditions: { ready: each } })),
    ports: [{ name: 'https', port }],
  };
  on.slices.upsert(trimSlice(slice));
}

/** Sends the signals that are due, and looks at the checks as the watch does, with the runs that follow. */
async function follow(on: Bench): Promise<void> {
  on.sync();
  on.signals.look(signal);
  await on.signals.settled();
  await on.checks.look(signal);
  await on.settle();
}

const healthy = (on: Bench) => {
  const found = findCondition(on.cluster.record(KEY)?.status?.conditions, 'Healthy');
  return `${found?.status} ${found?.reason}: ${found?.message}`;
};
const found = (on: Bench) => on.cluster.record(KEY)?.status?.foundService;
const sent = (on: Bench) => on.faults.calls.filter((each) => each.includes('signal k8s-')).length;

test('the state of the Service is sent as the signal of a check of its own, and the status says it', async () => {
  const on = await bench();
  expect(on.service.checks.definitions.get(OWN)).toEqual({ type: 'signal' });
  put(on, [true]);
  await follow(on);
  expect(on.service.checks.signals.get(OWN)).toMatchObject({ state: 'Healthy', address: null });
  expect(healthy(on)).toBe('True AllHealthy: Every address works: 1 address.');
  expect(found(on)).toBe('web');
  put(on, [false]);
  await follow(on);
  expect(on.service.checks.signals.get(OWN)?.state).toBe('Unhealthy');
  expect(healthy(on)).toMatch(/^False NoneHealthy: .*192\.0\.2\.1 \(No endpoint of the Service web is ready\)/);
  expect(on.ready(on.cluster.record(KEY))).toBe('True Ready');
});

test('pods that come and go are neither sent nor written', async () => {
  const on = await bench();
  put(on, [true]);
  await follow(on);
  const [signals, { resourceVersion } = {}] = [sent(on), on.cluster.record(KEY)?.metadata];
  for (const ready of [
    [true, true],
    [true, false],
    [false, true],
  ]) {
    put(on, ready);
    await follow(on);
  }
  expect(sent(on)).toBe(signals);
  expect(on.cluster.record(KEY)?.metadata.resourceVersion).toBe(resourceVersion);
});

test('a signal is sent again before it ends', async () => {
  const on = await bench();
  put(on, [true]);
  await follow(on);
  const before = sent(on);
  await on.clock.advance(19_000);
  await follow(on);
  // The runs of the look above moved the clock.
  const later = sent(on);
  expect(later - before).toBeLessThanOrEqual(1);
  await on.clock.advance(20_000);
  await follow(on);
  expect(sent(on)).toBeGreaterThan(later);
});

test('a Service that was never found is told, and nothing is sent about it', async () => {
  const on = await bench();
  await follow(on);
  expect(sent(on)).toBe(0);
  expect(healthy(on)).toMatch(/^Unknown NotProbed: 192\.0\.2\.1 \(No Service web .* counts as working\.$/);
  expect(found(on)).toBeUndefined();
  put(on, [true], 'other');
  await follow(on);
  expect(sent(on)).toBe(0);
  put(on, [true]);
  await follow(on);
  expect(healthy(on)).toMatch(/^True/);
});

test('a Service that was found and is gone makes the addresses Unhealthy, also after a restart', async () => {
  const on = await bench();
  put(on, [true]);
  await follow(on);
  on.slices.replace([]);
  await follow(on);
  expect(on.service.checks.signals.get(OWN)?.state).toBe('Unhealthy');
  on.restart();
  on.service.checks.signals.clear();
  await on.settle();
  await follow(on);
  expect(on.service.checks.signals.get(OWN)?.state).toBe('Unhealthy');
  expect(found(on)).toBe('web');
  on.cluster.edit(DNS_RECORD, KEY, { ...SPEC, healthFrom: { serviceRef: { name: 'wbe' } } });
  await on.settle();
  expect(found(on)).toBeUndefined();
});

test('before the EndpointSlices are read, nothing is sent', async () => {
  const on = await bench();
  on.areSlicesRead = false;
  await follow(on);
  expect(sent(on)).toBe(0);
  expect(healthy(on)).toMatch(/^Unknown NotProbed: .* has not read the EndpointSlices yet/);
  on.areSlicesRead = true;
  put(on, [true]);
  await follow(on);
  expect(sent(on)).toBe(1);
});

test('while another cluster has the name of this one, its checks get no signals', async () => {
  const on = await bench();
  for (const isTaken of [true, undefined]) {
    on.isNameTaken = isTaken;
    put(on, [true]);
    on.sync();
    on.signals.look(signal);
    await on.signals.settled();
  }
  expect(sent(on)).toBe(0);
});

test('a signal that fails is sent again after a wait', async () => {
  const on = await bench();
  put(on, [true]);
  on.service.gate = (call) => (call.startsWith('signal') ? refused(429, 'rate_limited', 'Too many.') : null);
  const look = async () => {
    on.sync();
    on.signals.look(signal);
    await on.signals.settled();
  };
  await look();
  const failed = sent(on);
  on.service.gate = () => null;
  await look();
  expect(sent(on)).toBe(failed);
  await on.clock.advance(20_000);
  await follow(on);
  expect(on.service.checks.signals.get(OWN)?.state).toBe('Healthy');
});

test('a check that was deleted at the service is put again', async () => {
  const on = await bench();
  put(on, [true]);
  await follow(on);
  on.service.checks.definitions.delete(OWN);
  await on.clock.advance(20_000);
  on.sync();
  on.signals.look(signal);
  await on.signals.settled();
  expect(on.woken).toContain(KEY);
  await on.settle();
  expect(on.service.checks.definitions.has(OWN)).toBe(true);
});

test('an object that follows no Service any more has no signal, and no Service in its status', async () => {
  const on = await bench();
  put(on, [true]);
  await follow(on);
  on.cluster.edit(DNS_RECORD, KEY, { ...SPEC, healthFrom: undefined });
  await follow(on);
  const before = sent(on);
  put(on, [false]);
  await on.clock.advance(20_000);
  await follow(on);
  expect(sent(on)).toBe(before);
  expect([found(on), healthy(on)]).toEqual([undefined, 'undefined undefined: undefined']);
});
