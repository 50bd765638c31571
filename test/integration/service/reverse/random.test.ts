// Random changes of addresses, zones, hand-written PTRs, delegations and clusters, some at once over two apis. After
// each step, the PTRs of the service are those that a computation from scratch expects.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effort } from '../../../support/runner/seed.ts';
import { clusterApi } from '../../../support/service/clusters.ts';
import { expectWholeHistory } from '../../../support/service/history.ts';
import { addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';
import { findFaults, type ModelRecord, type ModelZone } from './reverse-model.support.ts';

const service = await startTestService({ nameserver: false });
const other = await service.anotherApi();
const requests = [service.request, other.request];
const stranger = await service.key({ team: 'second' });
const person = await addPerson(service, { team: 'first' });
const { send } = clusterApi(service);
/** Steps of up to three changes. */
const STEPS = effort(700, 60);

const FORWARD = ['one.example', 'two.example', 'sub.one.example'];
const REVERSE = [
  '2.0.192.in-addr.arpa',
  '0-7.2.0.192.in-addr.arpa',
  '8.b.d.0.1.0.0.2.ip6.arpa',
  '0.0.8.b.d.0.1.0.0.2.ip6.arpa',
];
const STRANGE = ['strange.example', '100.51.198.in-addr.arpa'];
const ADDRESSES = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '198.51.100.1', '2001:db8::1', '2001:db8:1::1'];

const forward = fc.constantFrom(...FORWARD, 'strange.example');
const name = fc.constantFrom('@', 'www', 'api', '*');
const address = fc.constantFrom(...ADDRESSES);
const pick = fc.nat(1_000);
const change = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('create' as const), zone: forward, name, address, reverse: fc.boolean() }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('update' as const),
      pick,
      address,
      reverse: fc.constantFrom(true, false, undefined),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('delete' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('reverse record' as const),
      type: fc.constantFrom('PTR', 'PTR', 'CNAME', 'CNAME', 'NS'),
      host: fc.constantFrom('1', '2', '3'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete reverse record' as const), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('own' as const),
      cluster: fc.constantFrom('east', 'west'),
      zone: fc.constantFrom(...FORWARD),
      addresses: fc.subarray(['192.0.2.1', '192.0.2.2', '192.0.2.3']),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('cluster' as const),
      cluster: fc.constantFrom('east', 'west'),
      drained: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('zone' as const),
      zone: fc.constantFrom(...FORWARD, ...REVERSE, ...STRANGE),
      way: fc.constantFrom('restore', 'restore', 'create', 'delete'),
    }),
  },
);
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;
const step = fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 3 }), api: fc.nat(1) });

const readZones = () => service.sql<ModelZone[]>`select no, id, name, coalesce(team_id, user_id) as owner from zones`;
const readRecords = () => service.sql<(ModelRecord & { id: string; zoneId: string; zoneName: string })[]>`
  select r.id, r.zone_no as zone, r.name, r.type, r.rdata, coalesce((r.health -> 'reverse') is not null, false) as reverse,
    r.withdrawn, r.reverse_of as "reverseOf", z.id as "zoneId", z.name as "zoneName"
  from records r join zones z on z.no = r.zone_no order by r.id`;
const keyOf = (zone: string) => (STRANGE.includes(zone) ? stranger : service.admin);
const typeOf = (address: string) => (address.includes(':') ? 'AAAA' : 'A');

/** Most changes are possible, and the answers of the others do not matter here, unless they are errors of the service. */
async function apply(
  one: Change,
  api: number,
  zones: readonly ModelZone[],
  records: Awaited<ReturnType<typeof readRecords>>,
) {
  const request = requests[api] ?? service.request;
  const path = (zone: string) => `/zones/${zones.find((each) => each.name === zone)?.id ?? 'zone_none'}`;
  const choose = (isReverse: boolean, at: number) => {
    const list = records.filter((record) => record.zoneName.endsWith('.arpa') === isReverse);
    return list[at % list.length];
  };
  switch (one.do) {
    case 'create': {
      const body = { name: one.name, type: typeOf(one.address), content: one.address, reverse: one.reverse };
      return request('POST', `${path(one.zone)}/records`, body, keyOf(one.zone).text);
    }
    case 'update': {
      const record = choose(false, one.pick);
      if (!record || (record.type !== 'A' && record.type !== 'AAAA')) return null;
      const content = typeOf(one.address) === record.type ? one.address : record.rdata;
      const body = {
        name: record.name,
        type: record.type,
        content,
        ...(one.reverse === undefined ? {} : { reverse: one.reverse }),
      };
      return request('PUT', `/zones/${record.zoneId}/records/${record.id}`, body, keyOf(record.zoneName).text);
    }
    case 'delete':
    case 'delete reverse record': {
      const record = choose(one.do !== 'delete', one.pick);
      if (!record) return null;
      return request('DELETE', `/zones/${record.zoneId}/records/${record.id}`, undefined, keyOf(record.zoneName).text);
    }
    case 'reverse record': {
      const [wide = '', classless = ''] = REVERSE;
      const zone = one.type === 'PTR' && one.host === '2' ? classless : wide;
      const content =
        { PTR: 'mail.example.net', CNAME: `${one.host}.${classless}`, NS: 'ns.example.net' }[one.type] ?? '';
      return request('POST', `${path(zone)}/records`, { name: one.host, type: one.type, content });
    }
    case 'own': {
      const values = one.addresses.map((content) => ({ content, reverse: true }));
      const set = { owner: `k8s:${one.cluster}/default/app`, name: one.cluster, type: 'A', values };
      return request('POST', `${path(one.zone)}/records:apply`, { sets: [set] });
    }
    case 'cluster':
      return send(person, 'POST', `/${one.cluster}/${one.drained ? 'drain' : 'restore'}`);
    case 'zone': {
      const { zone, way } = one;
      const key = keyOf(zone);
      if (way === 'delete') return request('DELETE', path(zone), undefined, key.text);
      const body = way === 'create' ? { owner: `org:${key.team}` } : {};
      return request('POST', way === 'create' ? '/zones' : '/zones:restore', { zoneName: zone, ...body }, key.text);
    }
  }
}

test('after every random change, the PTRs are those that a computation from scratch expects', async () => {
  for (const cluster of ['east', 'west']) expect((await send(service.admin, 'PUT', `/${cluster}`)).status).toBe(200);
  for (const zone of [...FORWARD, ...REVERSE, ...STRANGE]) await service.zone(zone, keyOf(zone));
  const steps = fc.sample(step, { numRuns: STEPS, seed: fc.readConfigureGlobal().seed ?? 1 });
  let [changes, pointers] = [0, 0];
  for (const [at, { changes: atOnce, api }] of steps.entries()) {
    const [zones, records] = await Promise.all([readZones(), readRecords()]);
    const replies = await Promise.all(atOnce.map((one, index) => apply(one, (api + index) % 2, zones, records)));
    for (const reply of replies) expect([reply?.status, reply?.text]).not.toEqual([500, reply?.text]);
    changes += replies.filter((reply) => (reply?.status ?? 500) < 300).length;
    // The records of a drained cluster are marked after the answer.
    await expect.poll(() => service.sql`select from clusters where unmarked_since is not null`).toHaveLength(0);
    const [zonesNow, recordsNow] = await Promise.all([readZones(), readRecords()]);
    pointers += recordsNow.filter(({ reverseOf }) => reverseOf !== null).length;
    expect([at, JSON.stringify(atOnce), findFaults(zonesNow, recordsNow)]).toEqual([at, JSON.stringify(atOnce), []]);
  }
  // Most changes took effect, and there was something to compare.
  expect(changes).toBeGreaterThan(STEPS * 0.6);
  expect(pointers).toBeGreaterThan(STEPS / 10);
  expect(await service.sql`select from reverse_due`).toHaveLength(0);
  await expectWholeHistory(service.sql);
}, 600_000);
