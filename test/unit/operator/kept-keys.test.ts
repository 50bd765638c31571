// The words of a DNSZone about the DNSSEC key that its zone got at its creation.
import { expect, test } from 'vitest';
import type { CreatedKey } from '#contract/zone.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { NEW_KEY } from '#resources/names.ts';
import { Bench, DNS_ZONE } from '../../support/operator/bench.ts';

const ZONE = 'default/example';

/** A DNSZone whose zone was created with this key. */
async function created(key: CreatedKey, annotations: Record<string, string> = {}): Promise<Bench> {
  const on = new Bench();
  on.service.keys.ofCreation = ({ newKey = false }) => (newKey ? { keyTag: 2, kept: false, formerKeyTag: 1 } : key);
  on.cluster.create(DNS_ZONE, { name: 'example', annotations }, { zoneName: 'example.org' });
  await on.settle();
  return on;
}

const programmed = (on: Bench) => findCondition(on.cluster.zone(ZONE)?.status?.conditions, 'Programmed')?.message;
const notes = (on: Bench) => on.events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);

test('a zone that kept its key says so in its Event, its condition and its status, also later', async () => {
  const on = await created({ keyTag: 37491, kept: true });
  const sentence =
    'It has the DNSSEC key 37491 of the deleted zone of this name, so a DS record for this key stays valid.';
  expect(notes(on)).toContainEqual(expect.stringContaining(sentence));
  expect(on.cluster.zone(ZONE)?.status?.key).toEqual({ keyTag: 37491, kept: true });
  await on.run('zone', ZONE);
  expect(programmed(on)).toBe(`The zone exists at the DNS service. ${sentence}`);
  expect(notes(on).join()).not.toContain('KeyChanged');
});

test('a new zone says that its key is new', async () => {
  const on = await created({ keyTag: 5, kept: false });
  expect(programmed(on)).toBe('The zone exists at the DNS service. It has the new DNSSEC key 5.');
  expect(notes(on).join()).not.toContain('KeyChanged');
});

test('the annotation asks for a new key, and a Warning says which DS record to replace', async () => {
  const on = await created({ keyTag: 1, kept: true }, { [NEW_KEY]: 'true' });
  expect(on.cluster.zone(ZONE)?.status?.key).toEqual({ keyTag: 2, kept: false, formerKeyTag: 1 });
  expect(notes(on)).toContainEqual(expect.stringMatching(/^Warning KeyChanged: .* changed from 1 to 2\. /));
  expect(programmed(on)).toContain('Replace DS records for 1');
});

test('the key of a zone that was deleted behind the operator is that of the zone that follows it', async () => {
  const on = await created({ keyTag: 5, kept: false });
  on.service.keys.ofCreation = () => ({ keyTag: 5, kept: true });
  on.service.dropZone([...on.service.zones.keys()][0] as string);
  await on.settle();
  expect(on.cluster.zone(ZONE)?.status?.key).toEqual({ keyTag: 5, kept: true });
});
