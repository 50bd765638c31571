// The marks at the service that name the object of each record, so that users of the service know the owner before a
// change.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

/** The first 12 hexadecimal digits of SHA-256 of the uid of kube-system. */
const CLUSTER = createHash('sha256').update('cluster-1').digest('hex').slice(0, 12);

async function zone(): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  return on;
}
const www = (on: Bench, spec: Record<string, unknown>) =>
  on.cluster.create(DNS_RECORD, { name: 'www' }, { zoneRef: { name: 'example' }, name: 'www', type: 'A', ...spec });
const zoneIdOf = (on: Bench) => on.cluster.zone('default/example')?.status?.zoneId as string;
const marksOf = (on: Bench) => on.service.ids().map((id) => on.service.marks.get(id));

describe('the mark of an object', () => {
  it('is on the zone and on every value, whether it was created alone or with others', async () => {
    const on = await zone();
    expect(on.service.marks.get(zoneIdOf(on))).toBe('DNSZone default/example');
  });
});
