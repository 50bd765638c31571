// Changes of other clients at the service: reverted, reported or ignored, as the policy says.
import { expect, test } from 'vitest';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { audit } from '../../support/operator/audit.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const ZONE = 'default/example';
const WWW = 'default/www';

async function bench(policy: { zone?: string; record?: string; ttl?: number }): Promise<Bench> {
  const on = new Bench();
  const driftPolicy = policy.record === undefined ? {} : { driftPolicy: policy.record };
  const ttl = policy.ttl === undefined ? {} : { ttl: policy.ttl };
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', driftPolicy: policy.zone ?? 'Enforce' });
  on.cluster.create(
    DNS_RECORD,
    { name: 'www' },
    { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1', ...driftPolicy, ...ttl },
  );
  await on.settle();
  on.events.length = 0;
  return on;
}

const tamper = (on: Bench, change: Parameters<Bench['service']['tamper']>[2]) =>
  on.service.tamper(on.cluster.zone(ZONE)?.status?.zoneId as string, on.idsOf(WWW)[0] as string, change);

const OTHER = { content: '192.0.2.66' };

test.each([
  ['changed', OTHER, 'a value was changed to 192.0.2.66 (rec_2)'],
  ['deleted', null, '192.0.2.1 was deleted'],
])(
  'a value that another client changed and %s is reverted under Enforce, with one Event',
  async (_what, change, note) => {
    const on = await bench({});
    tamper(on, change);
    await on.settle();
    expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 3600']);
    expect(on.events).toMatchObject([{ key: WWW, type: 'Warning', reason: 'Drift', action: 'Repair', note }]);
    expect(audit(on)).toEqual([]);
  },
);

test('a value that another client changed stays under Report, with an Event and the difference in the condition', async () => {
  const on = await bench({ record: 'Report' });
  tamper(on, OTHER);
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.66 3600']);
  expect(on.events).toContainEqual(expect.objectContaining({ key: WWW, reason: 'Drift', action: 'Report' }));
  const condition = on.cluster.record(WWW)?.status?.conditions.find(({ type }) => type === 'Programmed');
  expect(condition).toMatchObject({ status: 'True', reason: 'Drifted' });
  expect(condition?.message).toContain('a value was changed to 192.0.2.66 (rec_2)');
});

test('a value that another client changed stays under Ignore, without an Event about it', async () => {
  const on = await bench({ record: 'Ignore' });
  tamper(on, OTHER);
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.66 3600']);
  expect(on.events.filter(({ reason }) => reason === 'Drift')).toEqual([]);
});

test('a value that another client changed follows the policy of the zone when the record has none', async () => {
  const on = await bench({ zone: 'Report' });
  tamper(on, OTHER);
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.66 3600']);
});

test.each(['Report', 'Ignore'])(
  'a value that another client changed is replaced for a new spec, under %s too',
  async (record) => {
    const on = await bench({ record });
    tamper(on, OTHER);
    await on.settle();
    on.cluster.edit(DNS_RECORD, WWW, { content: '192.0.2.2' });
    await on.settle();
    expect(on.service.lines()).toEqual(['example.org www A 192.0.2.2 3600']);
    expect(audit(on)).toEqual([]);
  },
);

test.each(['Report', 'Ignore'])(
  'a value that another client changed is Ready again under %s once it is changed back',
  async (record) => {
    const on = await bench({ record });
    tamper(on, OTHER);
    await on.settle();
    tamper(on, { content: '192.0.2.1' });
    await on.settle();
    expect(audit(on)).toEqual([]);
  },
);

test.each(['Report', 'Ignore'])(
  'a value that another client changed is deleted with its object under %s too',
  async (record) => {
    const on = await bench({ record });
    tamper(on, OTHER);
    await on.settle();
    on.cluster.remove(DNS_RECORD, WWW);
    await on.settle();
    expect(on.service.lines()).toEqual([]);
    expect(on.cluster.record(WWW)).toBeUndefined();
  },
);

test.each([
  ['Enforce', 'example.org www MX 10 mail.example.net 3600', 'Repair'],
  ['Report', 'example.org www MX 20 mail.example.net 3600', 'Report'],
])('a priority that another client changed is reported under %s', async (driftPolicy, line, action) => {
  const on = await bench({});
  const spec = { zoneRef: { name: 'example' }, name: 'www', type: 'MX', content: 'mail.example.net', priority: 10 };
  on.cluster.create(DNS_RECORD, { name: 'mx' }, { ...spec, driftPolicy });
  await on.settle();
  const [id = ''] = on.idsOf('default/mx');
  on.service.tamper(on.cluster.zone(ZONE)?.status?.zoneId as string, id, { priority: 20 });
  on.events.length = 0;
  await on.settle();
  expect(on.service.lines()).toContain(line);
  expect(on.events).toContainEqual(
    expect.objectContaining({
      reason: 'Drift',
      action,
      note: expect.stringContaining('was changed to mail.example.net'),
    }),
  );
});

test('a TTL that another client changed is reverted under Enforce', async () => {
  const on = await bench({ ttl: 60 });
  tamper(on, { ttl: 30 });
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 60']);
});

test.each(['Report', 'Ignore'])('a TTL that another client changed stays under %s', async (record) => {
  const on = await bench({ record, ttl: 60 });
  tamper(on, { ttl: 30 });
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 30']);
  expect(on.ready(on.cluster.record(WWW))).toBe('False Drifted');
});

const MINUTES = 60_000;
const lists = (on: Bench) => on.faults.calls.filter((call) => call.startsWith('api owners zone_')).length;
const look = async (on: Bench) => {
  on.woken.length = 0;
  const before = lists(on);
  const { result } = await on.run('zone', ZONE);
  return { lists: lists(on) - before, requeueAfterMs: result?.requeueAfterMs };
};

test('the regular check reads the owners of the zone every ten minutes, and runs the objects whose records others changed', async () => {
  const on = await bench({});
  expect(await look(on)).toEqual({ lists: 0, requeueAfterMs: expect.any(Number) });
  await on.clock.advance(11 * MINUTES);
  expect((await look(on)).lists).toBe(1);
  expect(on.woken).toEqual([]);
  expect((await look(on)).lists).toBe(0);
  tamper(on, OTHER);
  await on.clock.advance(11 * MINUTES);
  expect((await look(on)).lists).toBe(1);
  expect(on.woken).toEqual([WWW]);
});

test('the regular check is not needed to count the records that objects add and remove in the meantime', async () => {
  const on = await bench({});
  const count = () => on.cluster.zone(ZONE)?.status?.records;
  const before = count() as number;
  on.service.seed(on.cluster.zone(ZONE)?.status?.zoneId as string, { name: 'foreign' });
  expect((await look(on)).lists).toBe(0);
  expect(count()).toBe(before + 1);
  const mail = { zoneRef: { name: 'example' }, name: 'mail', type: 'A', content: '192.0.2.2' };
  on.cluster.create(DNS_RECORD, { name: 'mail' }, mail);
  await on.run('record', 'default/mail');
  expect((await look(on)).lists).toBe(0);
  expect(count()).toBe(before + 2);
});

test.each([
  ['a value that was deleted', null],
  ['a TTL that is in the spec', { ttl: 30 }],
])('the regular check sees %s', async (_what, change) => {
  const on = await bench({ ttl: 60 });
  tamper(on, change);
  await on.clock.advance(11 * MINUTES);
  await look(on);
  expect(on.woken).toEqual([WWW]);
});

test('the regular check checks reported drift again, because it may have been fixed', async () => {
  const on = await bench({ record: 'Report' });
  tamper(on, OTHER);
  await on.settle();
  tamper(on, { content: '192.0.2.1' });
  await on.clock.advance(11 * MINUTES);
  await look(on);
  expect(on.woken).toEqual([WWW]);
});

test('the regular check ignores the records of other clients in the zone, and counts them in the status of the zone', async () => {
  const on = await bench({});
  expect(on.cluster.zone(ZONE)?.status?.records).toBe(1);
  on.service.seed(on.cluster.zone(ZONE)?.status?.zoneId as string, { name: 'foreign' });
  await on.clock.advance(11 * MINUTES);
  await look(on);
  expect(on.woken).toEqual([]);
  expect(on.cluster.zone(ZONE)?.status?.records).toBe(2);
});

test('the regular check runs after a restart, because objects may be gone', async () => {
  const on = await bench({});
  on.restart();
  expect(await look(on)).toEqual({ lists: 1, requeueAfterMs: 10 * MINUTES });
  expect((await look(on)).lists).toBe(0);
});

const changedBy = async (on: Bench, key: string) => {
  on.held.changedBy(key, 'key ci (1)');
  await on.settle();
};

test('a change that the service told the operator of is repaired by the next run, without the regular check, and the Event names the key', async () => {
  const on = await bench({});
  on.restart();
  // The list of owners confirms the set, so that the next run would send no request.
  await on.run('zone', ZONE);
  tamper(on, OTHER);
  on.held.changedBy(WWW, 'key ci (1)');
  await on.run('record', WWW);
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 3600']);
  expect(on.events).toMatchObject([
    { key: WWW, reason: 'Drift', action: 'Repair', note: 'a value was changed to 192.0.2.66 (rec_2), by key ci (1)' },
  ]);
  expect(on.held.takeChangedBy(WWW)).toBeUndefined();
});

test('a change that the service told the operator of is in the condition under Report, without the key, so that the next run repeats no Event', async () => {
  const on = await bench({ record: 'Report' });
  tamper(on, OTHER);
  await changedBy(on, WWW);
  expect(on.ready(on.cluster.record(WWW))).toBe('False Drifted');
  expect(on.message(on.cluster.record(WWW))).not.toContain('key ci');
  expect(on.events.filter(({ reason }) => reason === 'Drift')).toHaveLength(1);
});

test('a change that the service told the operator of has no key in the Event of a DNSRecord in another namespace', async () => {
  const on = new Bench();
  on.cluster.create(NAMESPACE, { namespace: '', name: 'shop' }, {});
  const allowedRecords = [{ namespaces: { from: 'All' } }];
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', allowedRecords });
  const zoneRef = { name: 'example', namespace: 'default' };
  on.cluster.create(
    DNS_RECORD,
    { namespace: 'shop', name: 'www' },
    { zoneRef, name: 'www', type: 'A', content: '192.0.2.1' },
  );
  await on.settle();
  on.events.length = 0;
  const [id = ''] = on.idsOf('shop/www');
  on.service.tamper(on.cluster.zone(ZONE)?.status?.zoneId as string, id, OTHER);
  await changedBy(on, 'shop/www');
  expect(on.events.map(({ note }) => note)).toEqual([
    expect.stringMatching(/^a value was changed to 192\.0\.2\.66 \(rec_\d+\)$/),
  ]);
});
