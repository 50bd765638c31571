// spec.secondaries and spec.readyWhen of DNSZones, between a cluster and a service in memory.
import { describe, expect, test } from 'vitest';
import type { ZoneSecondary } from '#contract/secondary.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { lookAgainMs, offeredToNamespace } from '#operator/zone/secondaries.ts';
import { EXISTING_ZONES } from '#resources/names.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const ZONE = 'default/example';

/** Secondaries that are offered to all teams (eu), to two namespaces (us, vault), and not at all (asia). */
function bench(): Bench {
  const on = new Bench();
  const { servers } = on.service.secondaries;
  servers.set('eu', { nameservers: ['ns.eu.test'], offered: null });
  servers.set('us', { nameservers: ['ns.us.test'], offered: ['default'] });
  servers.set('vault', { nameservers: ['ns.vault.test'], offered: ['other'] });
  servers.set('asia', { nameservers: ['ns.asia.test'] });
  on.cluster.create(NAMESPACE, { namespace: '', name: 'default', labels: { [EXISTING_ZONES]: 'allow' } }, {});
  return on;
}

async function zone(on: Bench, spec: Record<string, unknown>, namespace = 'default'): Promise<void> {
  on.cluster.create(DNS_ZONE, { name: 'example', namespace }, { zoneName: 'example.org', ...spec });
  await on.settle();
}

const object = (on: Bench, key = ZONE) => on.cluster.zone(key);
const condition = (on: Bench, type: string) => findCondition(object(on)?.status?.conditions, type);
const idOf = (on: Bench) => [...on.service.zones.keys()][0] as string;
const chosen = (on: Bench) => on.service.secondaries.chosen.get(idOf(on));
const edit = async (on: Bench, spec: Record<string, unknown>) => {
  on.cluster.edit(DNS_ZONE, ZONE, spec);
  await on.settle();
};
const choices = (on: Bench) => on.faults.calls.filter((call) => call.startsWith('api choose'));

test('spec.secondaries is the choice at the service, and its names are in the status', async () => {
  const on = bench();
  await zone(on, { secondaries: ['us', 'eu'] });
  expect(chosen(on)).toEqual(['us', 'eu']);
  expect(on.ready(object(on))).toBe('True Ready');
  expect(object(on)?.status?.nameservers).toEqual(['ns1.zonestead.test', 'ns.eu.test', 'ns.us.test']);
  await edit(on, { secondaries: ['eu'] });
  expect(chosen(on)).toEqual(['eu']);
  await edit(on, { secondaries: [] });
  expect(chosen(on)).toEqual([]);
  // Each change is sent once.
  expect(choices(on)).toHaveLength(3);
});

test('spec.secondaries changes nothing while it is omitted', async () => {
  const on = bench();
  await zone(on, {});
  on.service.secondaries.chosen.set(idOf(on), ['eu']);
  await on.settle();
  await edit(on, { defaultTtl: 60 });
  expect(chosen(on)).toEqual(['eu']);
  await edit(on, { secondaries: ['us'] });
  await edit(on, { secondaries: undefined });
  expect(chosen(on)).toEqual(['us']);
  expect(on.faults.calls.filter((call) => call.includes('choose'))).toHaveLength(1);
});

test('spec.secondaries never changes an observed zone', async () => {
  const on = bench();
  on.service.seedZone('example.org');
  on.service.secondaries.chosen.set(idOf(on), ['us']);
  await zone(on, { managementPolicy: 'Observe', secondaries: ['eu'] });
  expect(on.ready(object(on))).toBe('True Ready');
  expect(chosen(on)).toEqual(['us']);
  expect(choices(on)).toEqual([]);
});

test('spec.secondaries keeps the secondaries that the administrator listed', async () => {
  const on = bench();
  await zone(on, { secondaries: ['eu'] });
  on.service.secondaries.listed.set(idOf(on), ['asia', 'eu']);
  await edit(on, { secondaries: [] });
  expect(chosen(on)).toEqual([]);
  expect(on.ready(object(on))).toBe('True Ready');
});

test('a secondary that is not offered is refused with the names of those that are, and nothing else of the zone is affected', async () => {
  const on = bench();
  on.cluster.create(
    DNS_RECORD,
    { name: 'www' },
    { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' },
  );
  await zone(on, { secondaries: ['eu', 'vault'], defaultTtl: 60 });
  expect(chosen(on)).toEqual(['eu']);
  expect(condition(on, 'Accepted')?.status).toBe('True');
  expect(condition(on, 'Programmed')).toMatchObject({ status: 'False', reason: 'SecondaryNotOffered' });
  expect(on.ready(object(on))).toBe('False SecondaryNotOffered');
  expect(on.message(object(on))).toMatch(/: vault is not offered to namespace default\. Offered to it: eu, us\. /);
  expect(on.ready(on.cluster.record('default/www'))).toBe('True Ready');
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 60']);
  await edit(on, { defaultTtl: 90 });
  expect(on.service.zones.get(idOf(on))?.zone.defaultTtl).toBe(90);
});

test('a secondary that is not offered gets the same words if it does not exist, is not offered, or to another namespace', async () => {
  const words = async (name: string) => {
    const on = bench();
    await zone(on, { secondaries: [name] });
    expect(choices(on)).toEqual([]);
    return on.message(object(on))?.replace(name, 'NAME');
  };
  const [first, ...others] = [await words('none'), await words('asia'), await words('vault')];
  expect(others).toEqual([first, first]);
  expect(first).not.toMatch(/vault|asia/);
});

test('a secondary that is not offered becomes a part of the zone when it is offered, without an edit', async () => {
  const on = bench();
  await zone(on, { secondaries: ['asia'] });
  const { result } = await on.run('zone', ZONE);
  expect(result?.requeueAfterMs).toBeLessThanOrEqual(60_000);
  Object.assign(on.service.secondaries.servers.get('asia') ?? {}, { offered: ['default'] });
  await on.settle();
  expect(chosen(on)).toEqual(['asia']);
  expect(on.ready(object(on))).toBe('True Ready');
});

test('a secondary that is not offered stays with a zone that has it when its offer ends', async () => {
  const on = bench();
  await zone(on, { secondaries: ['us'] });
  Object.assign(on.service.secondaries.servers.get('us') ?? {}, { offered: ['other'] });
  await edit(on, { secondaries: ['us', 'eu'] });
  expect(chosen(on)).toEqual(['us', 'eu']);
  await edit(on, { secondaries: ['eu'] });
  await edit(on, { secondaries: ['us', 'eu'] });
  expect(chosen(on)).toEqual(['eu']);
  expect(on.ready(object(on))).toBe('False SecondaryNotOffered');
});

test('a secondary that is not offered tells nothing of other offers when the service refuses the choice', async () => {
  const on = bench();
  const { secondaries } = on.service;
  const offers = secondaries.offers.bind(secondaries);
  // The offer ends between the question and the choice.
  let asked = 0;
  secondaries.offers = () => {
    asked += 1;
    return offers().filter(({ name }) => asked % 2 === 1 || name !== 'eu');
  };
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', secondaries: ['eu'] });
  await on.run('zone', ZONE);
  expect(choices(on)).toHaveLength(1);
  expect(on.ready(object(on))).toBe('False SecondaryNotOffered');
  expect(JSON.stringify(object(on)?.status)).not.toContain('vault');
});

describe('a choice that another client changed', () => {
  const drift = async (driftPolicy: string) => {
    const on = bench();
    await zone(on, { secondaries: ['eu'], driftPolicy });
    on.service.secondaries.chosen.set(idOf(on), ['us']);
    await on.settle();
    return on;
  };

  test('a choice that another client changed is reverted under Enforce', async () => {
    const on = await drift('Enforce');
    expect(chosen(on)).toEqual(['eu']);
    expect(on.reasons()).toContain(`${ZONE} Drift`);
    expect(on.ready(object(on))).toBe('True Ready');
  });

  test.each(['Report', 'Ignore'])(
    'a choice that another client changed is left under %s until the spec changes',
    async (policy) => {
      const on = await drift(policy);
      expect(chosen(on)).toEqual(['us']);
      // The condition has it afterwards, so that a second Event would tell nothing new.
      await on.run('zone', ZONE);
      expect(on.reasons().filter((reason) => reason === `${ZONE} Drift`)).toHaveLength(policy === 'Report' ? 1 : 0);
      expect(condition(on, 'Programmed')).toMatchObject({ status: 'True', reason: 'Drifted' });
      expect(on.ready(object(on))).toBe('True Ready');
      await edit(on, { secondaries: ['eu', 'us'] });
      expect(chosen(on)).toEqual(['eu', 'us']);
    },
  );
});

describe('spec.readyWhen', () => {
  const EU: ZoneSecondary = {
    name: 'eu',
    nameservers: ['ns.eu.test'],
    listedBy: 'owner',
    chosen: true,
    state: 'behind',
    since: '2026-11-21T12:00:00Z',
  };
  const record = (on: Bench) => on.cluster.record('default/www');
  const proven = (on: Bench) => findCondition(record(on)?.status?.conditions, 'Propagated')?.message;

  test('spec.readyWhen says which name servers count, and asks for a new proof of records when it changes', async () => {
    const on = bench();
    on.nodes = { nodes: [], secondaries: [EU], problem: null };
    on.cluster.create(
      DNS_RECORD,
      { name: 'www' },
      { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' },
    );
    await zone(on, { secondaries: ['eu'] });
    const all = 'Every name server of the zone serves the record: ns.eu.test, ns1.zonestead.test.';
    expect(proven(on)).toBe(all);
    await edit(on, { readyWhen: 'OwnNodes' });
    expect(on.message(object(on))).toBe('Every name server that is not a secondary answers for the zone.');
    expect(proven(on)).toBe(
      'Every name server of the zone that is not a secondary serves the record: ns1.zonestead.test.',
    );
    // A proof for fewer name servers is none for all of them.
    on.outage = 'ns.eu.test does not serve it yet';
    await on.run('record', 'default/www');
    expect(on.ready(record(on))).toBe('True Ready');
    on.cluster.edit(DNS_ZONE, ZONE, { readyWhen: 'AllNameservers' });
    await on.run('record', 'default/www');
    expect(on.ready(record(on))).toBe('False AwaitingPropagation');
    on.outage = null;
    await on.settle();
    expect(proven(on)).toBe(all);
  });

  test('spec.readyWhen looks at a zone again while a secondary does not have it', async () => {
    const on = bench();
    on.nodes = { nodes: [], secondaries: [EU], problem: null };
    await zone(on, {});
    expect(object(on)?.status).toMatchObject({ secondariesCurrent: '0/1', secondaries: [{ state: 'Behind' }] });
    const { result } = await on.run('zone', ZONE);
    expect(result?.requeueAfterMs).toBeLessThanOrEqual(60_000);
  });
});

const now = new Date('2026-01-01T00:01:00Z');
const late = (state: ZoneSecondary['state'], since?: string) =>
  [
    { name: 'eu', nameservers: [], listedBy: 'all', chosen: false, state, ...(since ? { since } : {}) },
  ] as ZoneSecondary[];

test.each([
  ['current', undefined, Number.POSITIVE_INFINITY],
  ['behind', undefined, 2_000],
  ['behind', '2026-01-01T00:00:59Z', 2_000],
  ['behind', '2026-01-01T00:00:30Z', 30_000],
  ['silent', '2025-12-01T00:00:00Z', 60_000],
  ['unknown', '2025-12-01T00:00:00Z', 60_000],
  ['unknown', undefined, 20_000],
] as const)(
  'the time until a zone with a late secondary is read again grows with the time since then: %s since %s',
  (state, since, wanted) => {
    expect(lookAgainMs(late(state, since), now, '2026-01-01T00:00:40Z')).toBe(wanted);
  },
);

test('an offer is for every namespace, or for those that it names', () => {
  const offer = (name: string, namespaces: string[] | null) => ({
    name,
    nameservers: [],
    allZones: false,
    namespaces,
  });
  const offers = [offer('all', null), offer('a', ['a']), offer('none', [])];
  expect(offeredToNamespace('a', offers)).toEqual(['all', 'a']);
  expect(offeredToNamespace('b', offers)).toEqual(['all']);
  expect(offeredToNamespace(undefined, offers)).toEqual(['all']);
});
