// knotd's counters as metrics: the terms, and a reading that never holds up a scrape.
import { expect, test } from 'vitest';
import { KnotError } from '#nameserver/knot/errors.ts';
import { createStatisticsReader } from '#nameserver/knot/metrics.ts';
import type { KnotItem } from '#nameserver/knot/protocol.ts';
import { COUNTERS, collectSamples, zoneCount } from '#nameserver/knot/statistics.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const stat = (item: string, id: string, value: number, section = 'mod-stats'): KnotItem => ({
  section,
  item,
  id,
  data: String(value),
});
const samples = (name: string, items: readonly KnotItem[]) => {
  const family = COUNTERS.find((each) => each.name === name);
  if (family === undefined) throw new Error(`no such family: ${name}`);
  return collectSamples(family, items).map(({ labels, value }) => `${Object.values(labels).join(' ')} ${value}`);
};

test('the reader counts queries by transport and family, with XDP, TLS and QUIC', () => {
  const items = [
    stat('request-protocol', 'udp4', 5),
    stat('request-protocol', 'udp4-xdp', 2),
    stat('request-protocol', 'tcp6', 1),
    stat('request-protocol', 'tls4', 3),
    stat('request-protocol', 'quic6', 4),
    stat('server-operation', 'query', 11),
  ];
  expect(samples('dns_queries_total', items)).toEqual([
    'udp ipv4 7',
    'udp ipv6 0',
    'tcp ipv4 0',
    'tcp ipv6 1',
    'tls ipv4 3',
    'quic ipv6 4',
  ]);
});

test('the reader gives types and codes that clients choose no series of their own', () => {
  const types = samples('dns_query_types_total', [
    stat('query-type', 'A', 3),
    stat('query-type', 'TYPE3', 2),
    stat('query-type', 'EUI64', 1),
    stat('query-type', 'other', 4),
  ]);
  expect(types).toEqual(expect.arrayContaining(['A 3', 'AAAA 0', 'other 7']));
  expect(types).toHaveLength(32);
  const codes = samples('dns_answers_total', [
    stat('response-code', 'SERVFAIL', 1),
    stat('response-code', 'BADALG', 2),
  ]);
  expect(codes).toEqual(expect.arrayContaining(['SERVFAIL 1', 'NOERROR 0', 'other 2']));
});

test('the reader tells limited answers that were truncated from dropped ones, and reads the number of zones', () => {
  const items = [
    { section: 'mod-rrl', item: 'slipped', data: '7' },
    { section: 'mod-rrl', item: 'dropped', data: '1' },
    { section: 'server', item: 'zone-count', data: '12' },
  ];
  expect(samples('dns_rate_limited_total', items)).toEqual(['truncated 7', 'dropped 1']);
  expect([zoneCount(items), zoneCount([])]).toEqual([12, null]);
});

/** A knotd whose answers the test gives. */
function answering() {
  const clock = new FakeClock();
  const asked: { resolve(items: KnotItem[]): void; reject(error: Error): void }[] = [];
  const { latest } = createStatisticsReader(
    () => new Promise((resolve, reject) => asked.push({ resolve, reject })),
    clock,
  );
  return { clock, asked, latest };
}

test('the reader reads once for all scrapes of two seconds', async () => {
  const { clock, asked, latest } = answering();
  const scrapes = [latest(), latest()];
  asked[0]?.resolve([stat('a', 'b', 1)]);
  expect((await Promise.all(scrapes)).map(({ items }) => items?.length)).toEqual([1, 1]);
  await clock.advance(1_900);
  await latest();
  expect(asked).toHaveLength(1);
  await clock.advance(200);
  void latest();
  expect(asked).toHaveLength(2);
});

test('the reader keeps the last values while knotd is busy, and says how old they are', async () => {
  const { clock, asked, latest } = answering();
  const first = latest();
  asked[0]?.resolve([stat('a', 'b', 1)]);
  expect(await first).toMatchObject({ isUp: true, ageSeconds: 0 });
  await clock.advance(2_000);
  const second = latest();
  await clock.advance(250);
  expect(await second).toMatchObject({ isUp: true, items: [{ data: '1' }], ageSeconds: 2.25 });
  await clock.advance(28_000);
  const third = latest();
  await clock.advance(250);
  expect(await third).toMatchObject({ isUp: true, ageSeconds: 30.5 });
  expect(asked).toHaveLength(2);
  asked[1]?.resolve([stat('a', 'b', 9)]);
  await clock.advance(0);
  const fourth = latest();
  await clock.advance(250);
  expect(await fourth).toMatchObject({ isUp: true, items: [{ data: '9' }], ageSeconds: 0.25 });
});

test('knotd counts as down when no process listens, and as busy when its queue is full or the first answer takes long', async () => {
  const failure = (reason: string) => new KnotError('unreachable', reason, reason);
  const { clock, asked, latest } = answering();
  const first = latest();
  await clock.advance(250);
  expect((await first).isUp).toBe(false);
  await clock.advance(3_000);
  const second = latest();
  await clock.advance(250);
  expect((await second).isUp).toBe(true);
  asked[0]?.reject(failure('connect ECONNREFUSED'));
  await clock.advance(0);
  const third = latest();
  asked[1]?.resolve([]);
  expect((await third).isUp).toBe(true);
  await clock.advance(2_000);
  const fourth = latest();
  asked[2]?.reject(failure('connect EAGAIN /run/knot.sock'));
  expect((await fourth).isUp).toBe(true);
  await clock.advance(2_000);
  const fifth = latest();
  asked[3]?.reject(failure('connect ENOENT /run/knot.sock'));
  expect((await fifth).isUp).toBe(false);
});
