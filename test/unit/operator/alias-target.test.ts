// A DNSRecord of type ALIAS whose target has no address says which target that is.
import { expect, test } from 'vitest';
import { NO_ADDRESS } from '#nameserver/probe/compare.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const KEY = 'default/www';

async function bench(type: string, content: string): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  on.cluster.create(DNS_RECORD, { name: 'www' }, { zoneRef: { name: 'example' }, name: 'www', type, content });
  on.outage = `ns1.example.org (192.0.2.53) ${NO_ADDRESS}`;
  await on.settle();
  return on;
}

test('an ALIAS is not Ready with the reason TargetUnresolved, has no Event about it, and is Ready when the target has one', async () => {
  const on = await bench('ALIAS', 'nope.invalid');
  expect(on.ready(on.cluster.record(KEY))).toBe('False TargetUnresolved');
  expect(on.message(on.cluster.record(KEY))).toMatch(/^The target nope\.invalid has no address, as far as/);
  expect(on.reasons().filter((each) => each.startsWith(KEY))).toEqual([]);
  on.outage = null;
  await on.settle();
  expect(on.ready(on.cluster.record(KEY))).toBe('True Ready');
});

test('an ALIAS waits for propagation if another type is not served', async () => {
  const on = await bench('A', '192.0.2.1');
  expect(on.ready(on.cluster.record(KEY))).toBe('False AwaitingPropagation');
});
