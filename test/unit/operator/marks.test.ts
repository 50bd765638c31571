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
    www(on, { values: ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((content) => ({ content })) });
    await on.settle();
    expect(marksOf(on)).toEqual(Array(3).fill(`DNSRecord default/www@${CLUSTER}`));
  });

  it('is set on an adopted record with its first change, because adoption writes nothing', async () => {
    const on = await zone();
    const id = on.service.seed(zoneIdOf(on), { name: 'www', content: '192.0.2.1' });
    on.faults.arm(null);
    www(on, { content: '192.0.2.1', adopt: 'IfIdentical' });
    await on.settle();
    expect(on.faults.calls.filter((call) => /^api (create|update|batch)/.test(call))).toEqual([]);
    on.cluster.edit(DNS_RECORD, 'default/www', { content: '192.0.2.2' });
    await on.settle();
    expect(on.service.ids()).toEqual([id]);
    expect(on.service.marks.get(id)).toBe(`DNSRecord default/www@${CLUSTER}`);
  });
});
