// The marks at the service that name the object of each record, so that users of the service know the owner before a
// change.
import { expect, test } from 'vitest';
import { Bench, DNS_ZONE } from '../../support/operator/bench.ts';

async function zone(): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  return on;
}
const zoneIdOf = (on: Bench) => on.cluster.zone('default/example')?.status?.zoneId as string;

test('the mark of an object is on the zone', async () => {
  const on = await zone();
  expect(on.service.marks.get(zoneIdOf(on))).toBe('DNSZone default/example');
});
