// Records whose object no longer exists, in a zone of another namespace: removed if this operator wrote them and there
// are not too many.

import { describe, expect, it } from 'vitest';
import type { ListedRecord } from '#client/client.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { clusterId, findOrphanCandidates, isPlausible, ownerIn } from '#operator/record/orphans.ts';
import { REMOVE_ORPHANS } from '#resources/names.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const ZONE = 'a/shop';
const ALL = { allowedRecords: [{ namespaces: { from: 'All' } }] };
const MINUTES = 60_000;

async function twoNamespaces(spec: object = ALL): Promise<Bench> {
  const on = new Bench();
  for (const name of ['a', 'b']) on.cluster.create(NAMESPACE, { namespace: '', name }, {});
  on.cluster.create(DNS_ZONE, { name: 'shop', namespace: 'a' }, { zoneName: 'shop.example', ...spec });
  await on.settle();
  return on;
}

function record(on: Bench, namespace: string, name: string, spec: object = {}): string {
  const zoneRef = { name: 'shop', namespace: 'a' };
  return on.cluster.create(
    DNS_RECORD,
    { name, namespace },
    { zoneRef, name, type: 'A', content: '192.0.2.1', ...spec },
  );
}

/** The steps of a tenant that wants to keep the record. */
function vanish(on: Bench, key: string): void {
  on.cluster.strip(DNS_RECORD, key);
  on.cluster.remove(DNS_RECORD, key);
}

const names = (on: Bench) => on.service.lines().map((line) => line.split(' ')[1]);
const clusterOf = (on: Bench) =>
  clusterId(on.cluster.all(NAMESPACE).find(({ metadata }) => metadata.name === 'kube-system'));

describe('a record of another namespace', () => {
  it('is removed when its finalizer was removed and its object deleted', async () => {
    const on = await twoNamespaces();
    const key = record(on, 'b', 'www');
    await on.settle();
    vanish(on, key);
    expect(names(on)).toEqual(['www']);
    await on.settle();
    expect(names(on)).toEqual([]);
    expect(on.orphans).toEqual(['1 removed']);
    expect(on.events).toContainEqual(
      expect.objectContaining({
        key: ZONE,
        type: 'Warning',
        reason: 'Withdrawn',
        note: expect.stringContaining('b/www'),
      }),
    );
  });

  it('is removed when that happened while no operator was running', async () => {
    const on = await twoNamespaces();
    const key = record(on, 'b', 'www');
    await on.settle();
    vanish(on, key);
    on.restart();
    await on.settle();
    expect(names(on)).toEqual([]);
  });

  it('is removed when an object of the same name was created again with other values', async () => {
    const on = await twoNamespaces();
    const key = record(on, 'b', 'www');
    await on.settle();
    vanish(on, key);
    on.restart();
    record(on, 'b', 'www', { name: 'other', content: '192.0.2.9' });
    await on.settle();
    expect(names(on)).toEqual(['other']);
  });

  it('is no orphan while its object owns it or has just requested it', async () => {
    const on = await twoNamespaces();
    for (let n = 0; n < 5; n += 1) record(on, 'b', `n${n}`);
    await on.settle();
    await on.clock.advance(11 * MINUTES);
    on.restart();
    await on.settle();
    expect(names(on)).toHaveLength(5);
    expect(on.orphans).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6])('is not removed when the operator died at call %i of its creation', async (at) => {
    for (const when of ['before', 'after'] as const) {
      const on = await twoNamespaces();
      const key = record(on, 'b', 'www');
      on.faults.arm({ at, when, act: on.faults.crash });
      await on.run('record', key).catch(() => undefined);
      on.restart();
      const made = names(on);
      await on.run('zone', ZONE);
      expect(names(on)).toEqual(made);
      await on.settle();
      expect(names(on)).toEqual(['www']);
      expect(on.orphans).toEqual([]);
    }
  });

  it('remains when the operator does not watch its namespace', async () => {
    const on = await twoNamespaces();
    const key = record(on, 'b', 'www');
    await on.settle();
    vanish(on, key);
    on.watches = (namespace) => namespace !== 'b';
    on.restart();
    await on.settle();
    expect(names(on)).toEqual(['www']);
  });

  it('remains when its mark names another cluster, no cluster, or another owner', async () => {
    const on = await twoNamespaces();
    const id = on.cluster.zone(ZONE)?.status?.zoneId as string;
    const marks = ['DNSRecord b/x@0123456789ab', 'DNSRecord b/x', `Widget b/x@${clusterOf(on)}`, undefined];
    for (const [n, mark] of marks.entries()) on.service.marks.set(on.service.seed(id, { name: `n${n}` }), mark);
    on.service.marks.set(on.service.seed(id, { name: 'ours' }), `DNSRecord b/x@${clusterOf(on)}`);
    on.restart();
    await on.settle();
    expect(names(on).sort()).toEqual(['n0', 'n1', 'n2', 'n3']);
  });

  it('remains while the cache does not have its object yet, because the operator asks the API server', async () => {
    const on = await twoNamespaces();
    const key = record(on, 'b', 'www');
    await on.settle();
    on.restart();
    on.unseen.add(key);
    await on.run('zone', ZONE);
    expect(on.faults.calls).toContain('kube get dnsrecords www');
    expect(names(on)).toEqual(['www']);
    expect(on.orphans).toEqual([]);
  });

  it('is searched at its name when its object disappears, and in the whole zone at the start', async () => {
    const on = await twoNamespaces();
    const keys = ['www', 'api'].map((name) => record(on, 'b', name));
    await on.settle();
    on.faults.calls.length = 0;
    vanish(on, keys[0] as string);
    await on.run('zone', ZONE);
    const asked = () => on.faults.calls.filter((call) => call.startsWith('api marks'));
    expect(asked()).toEqual([expect.stringMatching(/ www .*A$/)]);
    expect(names(on)).toEqual(['api']);
  });
});

describe('a record that is no orphan', () => {
  it('because the namespace of the zone owns it, where Retain may have kept it', async () => {
    const on = await twoNamespaces();
    const kept = record(on, 'a', 'kept', { deletionPolicy: 'Retain' });
    const stripped = record(on, 'a', 'stripped');
    await on.settle();
    on.cluster.remove(DNS_RECORD, kept);
    vanish(on, stripped);
    on.restart();
    await on.settle();
    expect(names(on).sort()).toEqual(['kept', 'stripped']);
  });

  it('because an object of the namespace of the zone has adopted it', async () => {
    const on = await twoNamespaces();
    const key = record(on, 'b', 'www');
    await on.settle();
    vanish(on, key);
    on.restart();
    record(on, 'a', 'www', { adopt: 'IfIdentical' });
    on.recordsFirst = true;
    await on.settle();
    expect(names(on)).toEqual(['www']);
  });
});

describe('more than twenty candidates that are most of the foreign records', () => {
  async function manyGone(gone: number, all: number): Promise<Bench> {
    const on = await twoNamespaces();
    for (let n = 0; n < all; n += 1) record(on, 'b', `n${n}`);
    await on.settle();
    for (let n = 0; n < gone; n += 1) vanish(on, `b/n${n}`);
    on.restart();
    await on.run('zone', ZONE);
    return on;
  }

  it('remain, and an Event says how to remove them', async () => {
    const on = await manyGone(25, 30);
    expect(names(on)).toHaveLength(30);
    expect(on.orphans).toEqual(['25 kept']);
    const [event] = on.events.filter(({ reason }) => reason === 'OrphansKept');
    expect(event).toMatchObject({ key: ZONE, type: 'Warning' });
    expect(event?.note).toContain('25 of 30');
    expect(event?.note).toContain(`${REMOVE_ORPHANS}=true`);
    on.cluster.annotate(DNS_ZONE, ZONE, { [REMOVE_ORPHANS]: 'true' });
    on.restart();
    await on.settle();
    expect(names(on)).toHaveLength(5);
  });

  it.each([
    [20, 20, true],
    [21, 42, true],
    [21, 41, false],
    [1, 1, true],
    [0, 0, true],
  ])('%i of %i may be removed: %s', (candidates, foreign, expected) => {
    expect(isPlausible(candidates, foreign)).toBe(expected);
  });
});

describe('a mark', () => {
  it.each([
    ['DNSRecord b/www@c1', 'b/www'],
    ['DNSRecord b/www@c2', undefined],
    ['DNSRecord b/www', undefined],
    ['DNSZone b/www@c1', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s names %s', (mark, owner) => {
    expect(ownerIn(mark, 'c1')).toBe(owner);
  });

  it('with an object without a namespace, or in the namespace of the zone, is not foreign', () => {
    const listed = (managedBy: string) =>
      ({
        id: managedBy,
        name: 'www',
        type: 'A',
        content: '192.0.2.1',
        ttl: 60,
        priority: null,
        managedBy,
      }) as ListedRecord;
    const known = {
      cluster: 'c1',
      namespace: 'a',
      watches: () => true,
      isOwned: () => false,
      isExpecting: (key: string) => key === 'b/new',
    };
    const all = ['DNSRecord a/x@c1', 'DNSRecord x@c1', 'DNSRecord b/new@c1', 'DNSRecord b/old@c1'].map(listed);
    const { foreign, candidates } = findOrphanCandidates(all, known);
    expect(foreign).toBe(2);
    expect(candidates.map(({ owner }) => owner)).toEqual(['b/old']);
  });
});
