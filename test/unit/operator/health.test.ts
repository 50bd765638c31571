// DNSRecords with health checks: their checks at the service, their proof, and the runs that follow from probes.
import { expect, test } from 'vitest';
import { findCondition } from '#kube/objects/conditions.ts';
import { buildCheckName } from '#operator/checks/name.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const KEY = 'default/www';
const OWN = buildCheckName('cluster-1', KEY);
const SPEC = { zoneRef: { name: 'example' }, name: 'www', type: 'A' };
const HTTP = { type: 'http', path: '/healthz' };
const TWO = [{ content: '192.0.2.1' }, { content: '192.0.2.2' }];
const { signal } = new AbortController();

async function bench(spec: object): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  on.cluster.create(DNS_RECORD, { name: 'www' }, { ...SPEC, ...spec });
  await on.settle();
  return on;
}

/** Looks at the checks as the watch does, and runs what follows. */
async function probe(on: Bench): Promise<void> {
  on.sync();
  await on.checks.look(signal);
  await on.settle();
}

const healthy = (on: Bench) => {
  const found = findCondition(on.cluster.record(KEY)?.status?.conditions, 'Healthy');
  return `${found?.status} ${found?.reason}`;
};
const members = (on: Bench) =>
  on.cluster.record(KEY)?.status?.members?.map(({ content, state, served }) => `${content} ${state} ${served}`);
const calls = (on: Bench, what: string) => on.faults.calls.filter((each) => each.includes(what)).length;

test('an object has its check before its records, and its status follows the probes without another write', async () => {
  const on = await bench({ values: TWO, healthCheck: HTTP });
  expect(on.ready(on.cluster.record(KEY))).toBe('True Ready');
  expect(on.service.checks.definitions.get(OWN)).toMatchObject({ type: 'http', path: '/healthz', interval: 10 });
  expect(healthy(on)).toBe('Unknown NotProbed');
  await probe(on);
  expect(healthy(on)).toBe('True AllHealthy');
  const [puts, applies] = [calls(on, 'put check'), calls(on, 'apply')];
  on.service.checks.failing.set('192.0.2.1', 'The connection is refused.');
  await probe(on);
  expect(on.ready(on.cluster.record(KEY))).toBe('True Ready');
  expect(healthy(on)).toBe('False SomeUnhealthy');
  expect(members(on)).toEqual(['192.0.2.1 Unhealthy false', '192.0.2.2 Healthy true']);
  expect([calls(on, 'put check'), calls(on, 'apply')]).toEqual([puts, applies]);
});

test('a look that finds no change runs no object, and reads no addresses again', async () => {
  const on = await bench({ values: TWO, healthCheck: HTTP });
  await probe(on);
  const [reads, woken] = [calls(on, ` check ${OWN}`), on.woken.length];
  await on.checks.look(signal);
  expect([calls(on, ` check ${OWN}`), on.woken.length]).toEqual([reads, woken]);
});

test('the proof of a new spec expects exactly what works, also while a member is down', async () => {
  const on = await bench({ values: TWO, healthCheck: HTTP });
  on.service.checks.failing.set('192.0.2.2', 'The connection is refused.');
  on.cluster.edit(DNS_RECORD, KEY, { ...SPEC, values: [...TWO, { content: '192.0.2.3', tier: 1 }], healthCheck: HTTP });
  await on.settle();
  expect(on.ready(on.cluster.record(KEY))).toBe('True Ready');
  for (const last of [1, 3]) on.service.checks.failing.set(`192.0.2.${last}`, 'The connection is refused.');
  on.cluster.edit(DNS_RECORD, KEY, { ...SPEC, values: TWO, healthCheck: HTTP, whenAllFail: 'ServeNone' });
  await on.settle();
  expect(on.ready(on.cluster.record(KEY))).toBe('True Ready');
  expect(members(on)).toEqual(['192.0.2.1 Unhealthy false', '192.0.2.2 Unhealthy false']);
});

test('a check that does not exist has its own reason, and its creation runs the object', async () => {
  const on = await bench({ content: '192.0.2.1', healthCheck: { checkRef: 'web' } });
  expect(on.ready(on.cluster.record(KEY))).toBe('False CheckMissing');
  expect(on.message(on.cluster.record(KEY))).toMatch(/has no check web .* "PUT \/v1\/checks\/web"/);
  await probe(on);
  on.service.checks.put('web', HTTP);
  on.woken.length = 0;
  await on.checks.look(signal);
  expect(on.woken).toContain(KEY);
  await on.settle();
  expect(on.ready(on.cluster.record(KEY))).toBe('True Ready');
});

test('the check of an object that is gone is deleted after its records, by any process, and that of another object is not', async () => {
  const on = await bench({ content: '192.0.2.1', healthCheck: HTTP });
  on.service.checks.put('web', HTTP);
  on.service.checks.put(buildCheckName('cluster-2', KEY), HTTP);
  on.cluster.remove(DNS_RECORD, KEY);
  on.sync();
  await on.checks.look(signal);
  expect(on.service.checks.definitions.has(OWN)).toBe(true);
  await on.settle();
  on.restart();
  on.sync();
  await on.checks.look(signal);
  expect([...on.service.checks.definitions.keys()]).toEqual(['web', buildCheckName('cluster-2', KEY)]);
});

test('while the objects may be incomplete, no check is deleted', async () => {
  const on = await bench({ content: '192.0.2.1' });
  on.service.checks.put(OWN, HTTP);
  for (const [name, value] of [
    ['isEtcdRestored', true],
    ['isEtcdRestored', undefined],
    ['isNameTaken', true],
    ['isNameTaken', undefined],
  ] as const) {
    on[name] = value;
    on.sync();
    await on.clock.advance(10 * 60_000);
    await on.checks.look(signal);
    on[name] = false;
    expect(on.service.checks.definitions.has(OWN)).toBe(true);
  }
  on.sync();
  await on.clock.advance(10 * 60_000);
  await on.checks.look(signal);
  expect(on.service.checks.definitions.has(OWN)).toBe(false);
});

test('a definition that another client changed is put again', async () => {
  const on = await bench({ content: '192.0.2.1', healthCheck: HTTP });
  await probe(on);
  on.service.checks.put(OWN, { ...HTTP, path: '/other' });
  await probe(on);
  expect(on.service.checks.definitions.get(OWN)).toMatchObject({ path: '/healthz' });
});

test('without its check an object has neither members nor the condition Healthy', async () => {
  const on = await bench({ content: '192.0.2.1', healthCheck: HTTP });
  await probe(on);
  on.cluster.edit(DNS_RECORD, KEY, { healthCheck: undefined });
  await probe(on);
  expect([healthy(on), members(on)]).toEqual(['undefined undefined', undefined]);
  await probe(on);
  expect(on.service.checks.definitions.size).toBe(0);
});

test('a record of another namespace cannot use a check of the team', async () => {
  const on = new Bench();
  on.service.checks.put('web', HTTP);
  on.cluster.create(
    DNS_ZONE,
    { name: 'example' },
    { zoneName: 'example.org', allowedRecords: [{ namespaces: { from: 'All' } }] },
  );
  await on.settle();
  const zoneRef = { name: 'example', namespace: 'default' };
  const spec = { ...SPEC, zoneRef, content: '192.0.2.1', healthCheck: { checkRef: 'web' } };
  on.cluster.create(DNS_RECORD, { name: 'www', namespace: 'guests' }, spec);
  await on.settle();
  expect(on.ready(on.cluster.record('guests/www'))).toBe('False NotPermitted');
  expect(on.service.lines()).toEqual([]);
});

test('values with weights are stored with them, and one of them in an answer proves the object', async () => {
  const on = await bench({ values: [{ content: '192.0.2.1', weight: 9 }, { content: '192.0.2.2' }] });
  expect(on.ready(on.cluster.record(KEY))).toBe('True Ready');
  const [zone] = on.service.zones.values();
  const stored = [...zone!.records.values()].map(({ content, health }) => [content, health?.weight]);
  expect(stored).toEqual([
    ['192.0.2.1', 9],
    ['192.0.2.2', undefined],
  ]);
});
