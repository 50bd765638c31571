// The proof of a record while one of its name servers is down: real sockets that answer nothing, or that are closed.
import { afterEach, expect, test } from 'vitest';
import type { Cordon, ZoneNode } from '#contract/feed.ts';
import { listZoneNodes } from '#contract/operations/zones.ts';
import { parseRdata } from '#dns/types/index.ts';
import type { ProofScope } from '#nameserver/probe/rounds.ts';
import { PlannedAbsences } from '#operator/proof/planned.ts';
import { createPropagation, readLeftOut } from '#operator/proof/propagation.ts';
import { propagatedAt, propagatedToReachable } from '#operator/record/status.ts';
import { degradedAnswer, restoreReach } from '#operator/zone/degraded.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { type FakeNameServer, type Reply, startNameServer } from '../../support/dns/fake-nameserver.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';
import { QuickClock } from '../../support/time/quick-clock.ts';

const open: FakeNameServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const { signal } = new AbortController();
const verdict = parseRdata('A', '192.0.2.1', null);
const wire = verdict.ok ? verdict.value.wire : new Uint8Array();
const www = { name: 'www.example.org', type: 'A' as const, ttl: 60, rdatas: [wire] };
const answer = (data: string) => ({ answers: [{ name: www.name, type: 'A' as const, ttl: 60, data }] });
const RIGHT = answer('192.0.2.1');
const OLD = answer('192.0.2.9');
const SILENT = undefined;
const SERVFAIL = { rcode: 2 };
const REFUSED = { rcode: 5 };
const DATE = new Date('2026-01-01T00:00:00Z');
const NOTE =
  /^The proof omits ns3\.example\.net \(127\.\S+\), which has answered no query since 2026-01-01T00:00:00Z\.$/;

/** Three name servers. The answer of each can change. */
async function world(scope: ProofScope = 'Reachable', count = 3) {
  const replies: (Reply | undefined)[] = Array.from({ length: count }, () => RIGHT);
  const servers = await Promise.all(replies.map((_, at) => startNameServer(() => replies[at])));
  open.push(...servers);
  const names = servers.map((_, at) => `ns${at + 1}.example.net`);
  const overrides = new Map(servers.map(({ address, port }, at) => [names[at] as string, { address, port }]));
  const clock = new QuickClock(1);
  const cordons: Cordon[] = [];
  const nodes: ZoneNode[] = [{ node: 'node1', current: true, reportedAt: DATE.toISOString() }];
  const client = fakeClient(on(listZoneNodes, async () => ({ nodes, secondaries: [], cordons })));
  const start = () => createPropagation({ overrides, clock, date: () => DATE, scope });
  const state = { propagation: start() };
  const zone = { zoneId: 'zone_1', namespace: 'default', nameservers: names, readyWhen: 'AllNameservers' as const };
  const prove = () => state.propagation.recordServed(zone, www, client, signal);
  /** The proofs of two minutes. */
  const wait = async () => {
    for (let at = 0; at < 3; at++) {
      await prove();
      clock.jump(45_000);
    }
  };
  const close = async (at: number) => {
    const [server] = open.splice(open.indexOf(servers.at(at) as FakeNameServer), 1);
    await server?.close();
  };
  return { replies, servers, close, state, start, clock, prove, wait, cordons, nodes };
}

test('a name server that is down stops the proof for two minutes, and not longer', async () => {
  const { close, prove, wait, state } = await world();
  await close(2);
  expect(await prove()).toMatchObject({
    problem: expect.stringMatching(/ns3\.\S+ \(.*\) does not answer/),
    leftOut: [],
  });
  expect(state.propagation.reach.unreachable()).toEqual([]);
  await wait();
  expect(await prove()).toMatchObject({ problem: null, note: expect.stringMatching(NOTE) });
  expect(state.propagation.reach.unreachable()).toHaveLength(1);
});

test('a socket that reads and never answers is down too, delays few proofs, and counts again with its first answer', async () => {
  const { replies, servers, clock, prove, wait } = await world();
  replies[2] = SILENT;
  await wait();
  expect((await prove()).problem).toBeNull();
  const asked = servers[2]?.queries.length;
  const since = performance.now();
  for (let at = 0; at < 5; at++) expect((await prove()).leftOut).toHaveLength(1);
  expect(servers[2]?.queries).toHaveLength(asked ?? 0);
  expect(performance.now() - since).toBeLessThan(1_000);
  replies[2] = OLD;
  clock.jump(15_000);
  expect(await prove()).toMatchObject({ problem: expect.stringContaining('ns3.example.net'), leftOut: [] });
  replies[2] = RIGHT;
  expect(await prove()).toMatchObject({ problem: null, note: null });
});

test.each([
  ['old data', OLD, 'does not serve it yet'],
  ['SERVFAIL', SERVFAIL, 'answers SERVFAIL'],
  ['REFUSED', REFUSED, 'answers REFUSED'],
])('a name server that answers %s is never omitted', async (_, reply, problem) => {
  const { replies, prove, wait } = await world();
  replies[2] = reply;
  await wait();
  expect(await prove()).toMatchObject({ problem: expect.stringContaining(problem), leftOut: [] });
});

test('a wrong answer of another name server stops the proof that omits one', async () => {
  const { replies, close, prove, wait } = await world('Reachable', 4);
  await close(2);
  replies[3] = OLD;
  await wait();
  const { problem, leftOut } = await prove();
  expect(problem).toMatch(/: ns4\.example\.net \(\S+\) does not serve it yet\.$/);
  expect(leftOut).toHaveLength(1);
});

test('two name servers must both answer, and with scope All every one', async () => {
  for (const { close, prove, wait } of [await world('Reachable', 2), await world('All')]) {
    await close(-1);
    await wait();
    expect(await prove()).toMatchObject({ problem: expect.stringMatching(/does not answer/), leftOut: [] });
  }
});

test('the status of a DNSZone tells the next operator which name server is down', async () => {
  const { close, state, start, prove, wait } = await world();
  await close(2);
  await wait();
  const proof = await prove();
  const object = { spec: {}, metadata: {} } as unknown as DNSZone;
  const { Degraded: degraded } = degradedAnswer({ object }, proof);
  expect(degraded).toMatchObject({ status: 'True', reason: 'NameServerUnreachable' });
  const conditions = [{ type: 'Degraded', lastTransitionTime: DATE.toISOString(), ...degraded }];
  const before = { ...object, status: { conditions } } as DNSZone;
  expect(readLeftOut(degraded?.message ?? '')).toMatchObject([{ name: 'ns3.example.net', since: DATE }]);
  state.propagation = start();
  expect((await prove()).problem).not.toBeNull();
  restoreReach(before, state.propagation.reach);
  expect(await prove()).toMatchObject({ problem: null, note: proof.note });
  expect(degradedAnswer({ object: before }, { leftOut: [] })).toMatchObject({
    Degraded: { status: 'False', reason: 'NotDegraded' },
  });
  expect(degradedAnswer({ object }, { leftOut: [] })).toEqual({});
});

test('a record says that it was proven without a name server', () => {
  const names = ['ns2.example.net', 'ns1.example.net'];
  expect(propagatedAt(names, names).message).toBe(
    'Every name server of the zone serves the record: ns1.example.net, ns2.example.net.',
  );
  expect(propagatedToReachable(names, names, 'The proof omits ns2.').message).toBe(
    'Every reachable name server serves the record. The name servers of the zone: ns1.example.net, ns2.example.net. The proof omits ns2.',
  );
});

const UNTIL = '2026-01-01T04:00:00.000Z';

test('a cordoned name server stops no proof from the first one on, and is not asked', async () => {
  const { cordons, servers, replies, prove, state } = await world();
  replies[2] = SILENT;
  cordons.push({ name: 'ns3.example.net', until: UNTIL, reason: 'new disk' });
  const proof = await prove();
  expect(proof).toMatchObject({
    problem: null,
    note: expect.stringMatching(
      /^The proof omits ns3\.example\.net \(\S+\), which the administrator of the DNS service has cordoned until 2026-01-01T04:00:00Z \(new disk\)\.$/,
    ),
  });
  expect(state.propagation.cordons()).toHaveLength(1);
  expect((await prove()).problem).toBeNull();
  // A query without an answer would delay the proof by two seconds.
  expect(servers[2]?.queries).toEqual([]);
  const { Degraded: degraded } = degradedAnswer({ object: { spec: {}, metadata: {} } as unknown as DNSZone }, proof);
  expect(degraded).toMatchObject({ status: 'True', reason: 'NameServerCordoned' });
  expect(readLeftOut(degraded?.message ?? '')).toEqual([]);
});

test('a cordon counts with two name servers, and with scope All', async () => {
  const { replies, cordons, prove } = await world('All', 2);
  replies[1] = SERVFAIL;
  expect((await prove()).problem).toContain('answers SERVFAIL');
  cordons.push({ name: 'ns2.example.net', until: UNTIL });
  expect(await prove()).toMatchObject({ problem: null, leftOut: [{ cordon: { name: 'ns2.example.net' } }] });
});

test('a cordon counts for a name or an address, and the last ones stay while the api is down', () => {
  const planned = new PlannedAbsences(() => DATE);
  planned.update({ nodes: [], secondaries: [], problem: null, cordons: [{ name: '192.0.2.2', until: UNTIL }] });
  planned.update({ nodes: null, secondaries: [], problem: 'the api does not answer' });
  const server = { name: 'ns2.example.net', address: '192.0.2.2', port: 53 };
  expect(planned.of(server)).toMatchObject({ name: '192.0.2.2' });
  expect(planned.of({ ...server, address: '192.0.2.20' })).toBeNull();
});

test('a name server counts again when its cordon was ended, or is over', async () => {
  const { replies, cordons, prove } = await world();
  replies[2] = OLD;
  cordons.push({ name: 'ns3.example.net', until: UNTIL });
  expect((await prove()).problem).toBeNull();
  cordons.length = 0;
  expect((await prove()).problem).toContain('ns3.example.net');
  cordons.push({ name: 'ns3.example.net', until: DATE.toISOString() });
  expect((await prove()).problem).toContain('ns3.example.net');
});

test('a proof needs one name server that is not cordoned', async () => {
  const { replies, cordons, prove } = await world();
  for (const at of [1, 2, 3]) cordons.push({ name: `ns${at}.example.net`, until: UNTIL });
  replies[2] = OLD;
  expect(await prove()).toMatchObject({ problem: expect.stringContaining('ns3.example.net'), leftOut: [] });
  cordons.shift();
  replies[0] = SERVFAIL;
  expect(await prove()).toMatchObject({ problem: expect.stringContaining('answers SERVFAIL'), leftOut: [] });
});

test('a node that is cordoned may be behind, if another node has the change', async () => {
  const { cordons, nodes, prove } = await world();
  nodes.push({ node: 'node2', current: false, reportedAt: DATE.toISOString() });
  expect((await prove()).problem).toContain('node node2');
  cordons.push({ name: 'node2', until: UNTIL });
  expect((await prove()).problem).toBeNull();
  nodes.shift();
  expect((await prove()).problem).toContain('node node2');
});
