// The order of the writes to the service and of the statuses of DNSRecords.
import { expect, test } from 'vitest';
import type { KubeApi } from '#kube/api/api.ts';
import type { ResourceType } from '#kube/objects/resource.ts';
import { createStatusOrder } from '#operator/run/statuses.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const WRITE_MS = 10;

function setUp() {
  const clock = new FakeClock();
  const order = createStatusOrder();
  const written: string[] = [];
  const now = { running: 0, most: 0 };
  const replaceStatus = async (_type: unknown, { metadata }: { metadata: { name: string } }) => {
    now.running += 1;
    now.most = Math.max(now.most, now.running);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, WRITE_MS));
    now.running -= 1;
    written.push(metadata.name);
  };
  const api = order.ordered({ replaceStatus } as unknown as KubeApi);
  const write = (
    name: string,
    { namespace = 'a', type = DNS_RECORD as ResourceType, signal = new AbortController().signal } = {},
  ) => api.replaceStatus(type, { metadata: { namespace, name }, status: {} }, {}, signal);
  /** Writes to the service, which end when the result is called. */
  const busy = (count: number) => {
    const ends: (() => void)[] = [];
    for (let n = 0; n < count; n += 1)
      void order.duringWrite(() => new Promise<void>((resolve) => void ends.push(resolve)));
    return () => {
      for (const end of ends) end();
    };
  };
  return { clock, order, written, now, write, busy };
}

const many = (count: number) => Array.from({ length: count }, (_, n) => `r${n}`);

test('the statuses of DNSRecords are written many at a time while few writes wait', async () => {
  const on = setUp();
  on.busy(7);
  const all = many(30).map((name) => on.write(name));
  await on.clock.advance(100);
  await Promise.all(all);
  expect(on.now.most).toBe(12);
});

test('the statuses of DNSRecords are written one at a time while many writes wait, and many again when these end', async () => {
  const on = setUp();
  const end = on.busy(8);
  const all = many(30).map((name) => on.write(name));
  await on.clock.advance(3 * WRITE_MS + 5);
  expect([on.now.most, on.written]).toEqual([1, ['r0', 'r1', 'r2']]);
  expect(on.order.waiting).toBe(26);
  end();
  await on.clock.advance(100);
  await Promise.all(all);
  expect([on.now.most, on.order.waiting]).toEqual([12, 0]);
});

test('the statuses of DNSRecords are written many at a time again after writes that failed', async () => {
  const on = setUp();
  const failed = Array.from({ length: 20 }, () =>
    on.order.duringWrite(() => Promise.reject(new Error('down'))).catch(() => undefined),
  );
  await Promise.all(failed);
  const all = many(12).map((name) => on.write(name));
  await on.clock.advance(WRITE_MS + 5);
  await Promise.all(all);
  expect(on.now.most).toBe(12);
});

test('the statuses of DNSRecords take turns by namespace', async () => {
  const on = setUp();
  on.busy(8);
  for (const name of many(100)) void on.write(name);
  await on.clock.advance(WRITE_MS + 5);
  void on.write('other', { namespace: 'b' });
  await on.clock.advance(2 * WRITE_MS);
  expect(on.written).toContain('other');
});

test('the statuses of DNSRecords do not hold back those of DNSZones', async () => {
  const on = setUp();
  on.busy(8);
  for (const name of many(100)) void on.write(name);
  const zone = on.write('zone', { type: DNS_ZONE });
  await on.clock.advance(WRITE_MS + 5);
  await zone;
  expect(on.written.toSorted()).toEqual(['r0', 'zone']);
});

test('the statuses of DNSRecords that are given up no longer wait', async () => {
  const on = setUp();
  on.busy(8);
  const abort = new AbortController();
  const ends = many(10).map((name) => on.write(name, { signal: abort.signal }));
  await on.clock.advance(0);
  expect(on.order.waiting).toBe(9);
  const given = Promise.allSettled(ends);
  abort.abort(new Error('enough'));
  await on.clock.advance(WRITE_MS + 5);
  expect((await given).filter(({ status }) => status === 'rejected')).toHaveLength(9);
  expect([on.order.waiting, on.written]).toEqual([0, ['r0']]);
});
