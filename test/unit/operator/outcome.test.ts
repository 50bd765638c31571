// The outcome of a run: the status is written once, Events report transitions only, and one mapping decides the next
// run.
import { expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { refused } from '../../support/operator/memory-service.ts';

const ZONE = 'default/example';
const WWW = 'default/www';

async function bench(spec: object = {}): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', ...spec });
  on.cluster.create(
    DNS_RECORD,
    { name: 'www' },
    { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' },
  );
  await on.settle();
  on.events.length = 0;
  on.faults.arm(null);
  return on;
}

const kubeWrites = (on: Bench) => on.faults.calls.filter((call) => /^kube (?!get)/.test(call));
const told = (on: Bench, key: string) => on.events.filter((event) => event.key === key).map(({ reason }) => reason);

test('in one run, a new record gets its status, and no other write', async () => {
  const on = await bench();
  on.cluster.create(
    DNS_RECORD,
    { name: 'new' },
    { zoneRef: { name: 'example' }, name: 'new', type: 'A', content: '192.0.2.2' },
  );
  await on.run('record', 'default/new');
  expect(kubeWrites(on)).toEqual(['kube status dnsrecords new']);
  expect(on.ready(on.cluster.record('default/new'))).toBe('True Ready');
});

test('in one run, a new record has the zone of its values in its status, although the answer of the service was lost', async () => {
  const on = await bench();
  on.cluster.create(
    DNS_RECORD,
    { name: 'new' },
    { zoneRef: { name: 'example' }, name: 'new', type: 'A', content: '192.0.2.2' },
  );
  on.faults.arm({
    at: 1,
    when: 'after',
    act: () => {
      throw new ApiUnavailable('no answer');
    },
  });
  await on.run('record', 'default/new');
  expect(on.service.lines()).toContain('example.org new A 192.0.2.2 3600');
  expect(on.ready(on.cluster.record('default/new'))).toBe('False APIUnavailable');
  expect(on.cluster.record('default/new')?.status?.zoneId).toBe([...on.service.zones.keys()][0]);
});

test('in one run, a new record whose value another object owns gets the words that each later run repeats', async () => {
  const on = await bench();
  const spec = { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' };
  on.cluster.create(DNS_RECORD, { name: 'twin' }, spec);
  await on.run('record', 'default/twin');
  const words = on.message(on.cluster.record('default/twin'));
  expect(words).toContain('DNSRecord default/www already owns 192.0.2.1.');
  await on.run('record', 'default/twin');
  expect(on.message(on.cluster.record('default/twin'))).toBe(words);
});

test('in one run, the refusal and the removal of a record that is no longer permitted are one write', async () => {
  const on = new Bench();
  on.cluster.create(
    DNS_ZONE,
    { name: 'example' },
    { zoneName: 'example.org', allowedRecords: [{ namespaces: { from: 'All' } }] },
  );
  on.cluster.create(
    DNS_RECORD,
    { name: 'www', namespace: 'b' },
    { zoneRef: { name: 'example', namespace: 'default' }, name: 'www', type: 'A', content: '192.0.2.1' },
  );
  await on.settle();
  on.cluster.edit(DNS_ZONE, ZONE, { allowedRecords: [] });
  on.faults.arm(null);
  await on.run('record', 'b/www');
  expect(kubeWrites(on)).toEqual(['kube status dnsrecords www']);
  expect(on.idsOf('b/www')).toEqual([]);
  expect(on.service.lines()).toEqual([]);
});

test('in one run, a zone is Ready before its parent zone is queried', async () => {
  const on = new Bench();
  let queries = 0;
  on.lookUpParent = () => {
    queries += 1;
    return new Promise(() => undefined);
  };
  on.restart();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  const { result } = await on.run('zone', ZONE);
  expect(result).toEqual({ requeueAfterMs: 0 });
  expect(on.ready(on.cluster.zone(ZONE))).toBe('True Ready');
  expect(queries).toBe(0);
  void on.run('zone', ZONE);
  await expect.poll(() => queries).toBe(1);
});

test('a run that fails keeps the refusal of a record that cannot be removed yet, and tries again', async () => {
  const on = new Bench();
  on.cluster.create(
    DNS_ZONE,
    { name: 'example' },
    { zoneName: 'example.org', allowedRecords: [{ namespaces: { from: 'All' } }] },
  );
  on.cluster.create(
    DNS_RECORD,
    { name: 'www', namespace: 'b' },
    { zoneRef: { name: 'example', namespace: 'default' }, name: 'www', type: 'A', content: '192.0.2.1' },
  );
  await on.settle();
  on.cluster.edit(DNS_ZONE, ZONE, { allowedRecords: [] });
  on.events.length = 0;
  on.service.gate = () => new ApiUnavailable('away');
  const failing = await on.run('record', 'b/www');
  expect(failing.error).toBeInstanceOf(ApiUnavailable);
  expect(on.waiting).toEqual(['record b/www']);
  expect(on.ready(on.cluster.record('b/www'))).toBe('False NotPermitted');
  expect(on.idsOf('b/www')).toHaveLength(1);
  expect(told(on, 'b/www')).toEqual(['NotPermitted']);
  on.service.gate = () => null;
  await on.run('record', 'b/www');
  expect(told(on, 'b/www')).toEqual(['NotPermitted', 'Withdrawn']);
  expect(on.service.lines()).toEqual([]);
});

test('a run that fails in the check for drift leaves a zone Ready with the results that it has', async () => {
  const on = await bench();
  await on.clock.advance(11 * 60_000);
  on.service.gate = (call) => (call.startsWith('owners') ? refused(500, 'internal', 'away') : null);
  const { error } = await on.run('zone', ZONE);
  expect(error).toMatchObject({ status: 500 });
  expect(on.ready(on.cluster.zone(ZONE))).toBe('True Ready');
  on.service.gate = () => null;
  expect((await on.run('zone', ZONE)).error).toBeNull();
});

test.each([
  ['record', DNS_RECORD, WWW],
  ['zone', DNS_ZONE, ZONE],
] as const)(
  'a run that fails in the deletion of a %s maps each kind of failure as in any other run',
  async (kind, type, key) => {
    const on = await bench();
    const object = () => on.cluster.zone(ZONE);
    const isZone = kind === 'zone';
    on.cluster.remove(type, key);
    const nextOn = async (error: Error) => {
      on.service.gate = (call) => (/^(delete|apply)/.test(call) ? error : null);
      const running = on.run(kind, key);
      // A write that waits for its turn waits for 5 s at most.
      for (let second = 0; second < 6; second += 1) await on.clock.advance(1_000);
      const run = await running;
      return run.error === null ? run.result?.requeueAfterMs : 'back-off';
    };
    expect(await nextOn(refused(403, 'forbidden', 'This key must not delete it.'))).toBe(5 * 60_000);
    if (isZone) expect(on.ready(object())).toBe('False NotPermitted');
    expect(await nextOn(refused(500, 'internal', 'away'))).toBe('back-off');
    expect(await nextOn(refused(429, 'rate_limited', 'Too many writes.', 42_000))).toBe(37_000);
    if (isZone) expect(on.ready(object())).toBe('False RateLimited');
    if (isZone) expect(object()?.status?.nextAttemptTime).toBeDefined();
    // Never sticky: the next success ends it.
    on.service.gate = () => null;
    await on.clock.advance(42_000);
    await on.settle();
    expect(isZone ? object() : on.service.ids()[0]).toBeUndefined();
  },
);

test('the Events report a blocked deletion once, after any number of runs', async () => {
  const on = await bench();
  const id = [...on.service.zones.keys()][0] as string;
  on.service.seed(id, { name: 'foreign' });
  on.cluster.remove(DNS_ZONE, ZONE);
  for (let again = 0; again < 3; again += 1) await on.run('zone', ZONE);
  expect(told(on, ZONE)).toEqual(['DeletionBlocked']);
  expect(on.events.at(-1)?.action).toBe('Delete');
});

test('the Events report an action also when the write of the status fails', async () => {
  const on = await bench();
  const [id] = [...on.service.zones.keys()] as [string];
  const [record] = on.service.zones.get(id)?.records.keys() ?? [];
  on.service.tamper(id, record as string, { content: '192.0.2.7' });
  on.outage = 'ns1 does not answer';
  on.faults.arm({
    at: 3,
    when: 'before',
    act: () => {
      throw new Error('no answer of the API server');
    },
  });
  const { error } = await on.run('record', WWW);
  expect(on.faults.calls.at(-1)).toBe('kube status dnsrecords www');
  expect(error).toMatchObject({ message: 'no answer of the API server' });
  expect(told(on, WWW)).toEqual(['Drift']);
});

test.each([
  ['Report', ['Drift']],
  ['Ignore', []],
])('the Events report a drift that stays under driftPolicy %s once', async (driftPolicy, expected) => {
  const on = await bench({ driftPolicy });
  const [id] = [...on.service.zones.keys()] as [string];
  const [record] = on.service.zones.get(id)?.records.keys() ?? [];
  on.service.tamper(id, record as string, { content: '192.0.2.7' });
  const drift = () => told(on, WWW).filter((reason) => reason === 'Drift');
  for (let again = 0; again < 3; again += 1) await on.run('record', WWW);
  expect(drift()).toEqual(expected);
  // Another difference is news.
  on.service.tamper(id, record as string, { content: '192.0.2.8' });
  await on.run('record', WWW);
  expect(drift()).toEqual([...expected, ...expected]);
});

test.each([
  ['Report', ['ZoneMissing']],
  ['Enforce', ['ZoneMissing', 'Created']],
])(
  'the Events report a zone that was deleted at the service under driftPolicy %s once',
  async (driftPolicy, expected) => {
    const on = await bench({ driftPolicy });
    const [id] = [...on.service.zones.keys()] as [string];
    on.service.dropZone(id);
    for (let again = 0; again < 3; again += 1) await on.run('zone', ZONE);
    expect(told(on, ZONE)).toEqual(expected);
  },
);
