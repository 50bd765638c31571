// Which probes go next: owners take turns, and an address gets two probes a second.
import { expect, test } from 'vitest';
import { createMayProbe } from '#base/probes/allowed.ts';
import { ADDRESS_MS, ProbeLines } from '#base/probes/lines.ts';

const target = (owner: string, address: string, id = 0) => ({ owner, address, id });

test('an address gets at most two probes a second, and owners take turns at it', () => {
  const lines = new ProbeLines<ReturnType<typeof target>>({ atOnce: 10 });
  for (let id = 0; id < 100; id += 1) lines.add(target('attacker', '192.0.2.1', id));
  lines.add(target('victim', '192.0.2.1'));
  const order: string[] = [];
  for (let now = 0; now < 4 * ADDRESS_MS; now += 100)
    for (let next = lines.take(now); next !== undefined; next = lines.take(now)) {
      order.push(next.owner);
      lines.end(next);
    }
  expect(order).toHaveLength(4);
  expect(order.slice(0, 2)).toContain('victim');
});

test('several processes share the two probes a second, and a failure is confirmed after half a second', () => {
  const [all, target] = [3, { owner: 'o', address: '192.0.2.1', isConfirming: false }];
  const apartMs = () => all * ADDRESS_MS;
  const lines = new ProbeLines<typeof target>({ atOnce: 10, apartMs, isConfirming: (each) => each.isConfirming });
  const sent: number[] = [];
  for (let now = 0; now < 60_000; now += 50) {
    // It fails all the time, so each probe would confirm the one before.
    target.isConfirming = sent.length > 0;
    lines.add(target);
    if (lines.take(now) === undefined) continue;
    sent.push(now);
    lines.end(target);
  }
  expect(sent.slice(0, 4)).toEqual([0, 500, 2_000, 3_500]);
  expect(sent.length).toBeLessThanOrEqual(60_000 / apartMs() + 1);
});

test('an owner whose probes all hang leaves room for others', () => {
  const lines = new ProbeLines<ReturnType<typeof target>>({ atOnce: 10 });
  for (let id = 0; id < 100; id += 1) lines.add(target('slow', `192.0.2.${id}`));
  let begun = 0;
  while (lines.take(0) !== undefined) begun += 1;
  expect(begun).toBe(5);
  lines.add(target('other', '198.51.100.1'));
  expect(lines.take(0)?.owner).toBe('other');
});

test('only public addresses and listed networks may be probed, and only at listed ports', () => {
  const mayProbe = createMayProbe(
    ['10.1.0.0/16'],
    [
      { first: 80, last: 80 },
      { first: 8000, last: 8999 },
    ],
  );
  expect(mayProbe('8.8.8.8', { type: 'http' })).toBeNull();
  expect(mayProbe('10.1.2.3', { type: 'http', port: 8080 })).toBeNull();
  for (const address of ['10.2.0.1', '127.0.0.1', '169.254.169.254', '224.0.0.1', '::1', 'fe80::1', '::ffff:8.8.8.8'])
    expect(mayProbe(address, { type: 'http' })).toContain('ZONESTEAD_CHECK_NETWORKS');
  expect(mayProbe('8.8.8.8', { type: 'tcp', port: 25 })).toBe(
    'The port 25 may not be probed: ZONESTEAD_CHECK_PORTS has 80, 8000-8999.',
  );
});
