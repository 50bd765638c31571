// Two namespaces that share the operator's API key, from the view of the one that wants the data of the other.

import { expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { EXISTING_ZONES, FINALIZER } from '#resources/names.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { OWNER, refused } from '../../support/operator/memory-service.ts';

const VICTIM = 'a/shop';

/** Namespace a has shop.example with the records secret-host and vault; namespace b has nothing. */
async function twoNamespaces(spec: Record<string, unknown> = {}): Promise<Bench> {
  const on = new Bench();
  for (const name of ['a', 'b']) on.cluster.create(NAMESPACE, { namespace: '', name, labels: { team: name } }, {});
  on.cluster.create(DNS_ZONE, { namespace: 'a', name: 'shop' }, { zoneName: 'shop.example', ...spec });
  record(on, 'a', 'secret-host');
  record(on, 'a', 'vault');
  await on.settle();
  on.faults.arm(null);
  return on;
}

function record(on: Bench, namespace: string, name: string, spec: Record<string, unknown> = {}): string {
  const zoneRef = namespace === 'a' ? { name: 'shop' } : { name: 'shop', namespace: 'a' };
  const meta = { namespace, name: name.toLowerCase().replace(/[^a-z0-9-]/g, 'x') };
  return on.cluster.create(DNS_RECORD, meta, { zoneRef, name, type: 'A', content: '192.0.2.1', ...spec });
}

function zone(on: Bench, spec: Record<string, unknown>, name = 'mine'): string {
  return on.cluster.create(DNS_ZONE, { namespace: 'b', name }, spec);
}

const atB = (on: Bench, name = 'mine') => on.cluster.zone(`b/${name}`);
const HAS = ['shop.example secret-host A 192.0.2.1 3600', 'shop.example vault A 192.0.2.1 3600'];
/** The status and the Events of namespace b that could reveal the zone of a. */
function told(on: Bench): string {
  const ofB = <T extends { metadata: { namespace?: string } }>(objects: T[]) =>
    objects.filter(({ metadata }) => metadata.namespace === 'b');
  const statuses = [...ofB(on.cluster.zones()), ...ofB(on.cluster.records())].map(({ status }) => status);
  return JSON.stringify([statuses, on.events.filter(({ key }) => key.startsWith('b/'))]);
}
const writes = (on: Bench) =>
  on.faults.calls.filter((call) => /^api (create|change|park|unpark|delete|update)/.test(call));
const victimId = (on: Bench) => on.cluster.zone(VICTIM)?.status?.zoneId ?? 'none';

test.each([
  ['by name', { zoneName: 'shop.example' }],
  ['by capitals and a final dot', { zoneName: 'Shop.EXAMPLE.' }],
  ['by taking it over', { zoneName: 'shop.example', adopt: 'IfIdentical' }],
  ['by observing it', { zoneName: 'shop.example', managementPolicy: 'Observe' }],
  ['by a zone below it', { zoneName: 'www.shop.example' }],
  ['by a zone below it that hides records', { zoneName: 'secret-host.shop.example' }],
  ['by adopting a zone below it', { zoneName: 'www.shop.example', adopt: 'IfIdentical' }],
  ['by a zone above it', { zoneName: 'example' }],
  ['as parked and with another default TTL', { zoneName: 'shop.example', parked: true, defaultTtl: 30 }],
])(
  'namespace b, which wants a zone of namespace a, gets nothing, reads nothing and changes nothing: %s',
  async (_way, spec) => {
    const on = await twoNamespaces();
    zone(on, spec);
    await on.settle();
    expect(on.ready(atB(on))).toMatch(/^False (Conflict|NotPermitted)$/);
    expect(atB(on)?.status?.zoneId).toBeUndefined();
    expect(told(on)).not.toContain('vault');
    expect(told(on)).not.toContain(victimId(on));
    on.cluster.remove(DNS_ZONE, 'b/mine');
    await on.settle();
    expect(atB(on)).toBeUndefined();
    expect(writes(on)).toEqual([]);
    expect(on.ready(on.cluster.zone(VICTIM))).toBe('True Ready');
  },
);

test('namespace b, which wants a zone of namespace a, creates no record there through a zone object of its own', async () => {
  const on = await twoNamespaces();
  zone(on, { zoneName: 'shop.example', managementPolicy: 'Observe' });
  on.cluster.create(
    DNS_RECORD,
    { namespace: 'b', name: 'www' },
    { zoneRef: { name: 'mine' }, name: 'www', type: 'A', content: '192.0.2.66' },
  );
  await on.settle();
  expect(on.ready(on.cluster.record('b/www'))).toBe('False ZoneNotReady');
  expect(on.service.lines()).toEqual(HAS);
});

test('namespace b, which wants a zone of namespace a, does not get it from retained records, because adopting and observing need the administrator', async () => {
  const on = await twoNamespaces({ deletionPolicy: 'Retain' });
  on.cluster.edit(DNS_ZONE, VICTIM, { deletionPolicy: 'Retain' });
  on.cluster.remove(DNS_RECORD, 'a/secret-host');
  on.cluster.remove(DNS_RECORD, 'a/vault');
  on.cluster.remove(DNS_ZONE, VICTIM);
  await on.settle();
  zone(on, { zoneName: 'shop.example', adopt: 'IfIdentical' });
  zone(on, { zoneName: 'shop.example', managementPolicy: 'Observe' }, 'watcher');
  zone(on, { zoneName: 'www.shop.example' }, 'piece');
  await on.settle();
  for (const name of ['mine', 'watcher', 'piece']) expect(on.ready(atB(on, name))).toBe('False NotPermitted');
  expect(on.message(atB(on, 'watcher'))).toContain(`kubectl label namespace b ${EXISTING_ZONES}=allow`);
});

test('namespace b, which wants a zone of namespace a, is told nothing about the zone without a grant: the same as about one that does not exist', async () => {
  const on = await twoNamespaces({ parked: true });
  const spec = { type: 'A', content: '192.0.2.1' };
  const create = (name: string, zone: string, more: object) =>
    on.cluster.create(
      DNS_RECORD,
      { namespace: 'b', name },
      { ...spec, zoneRef: { name: zone, namespace: 'a' }, ...more },
    );
  const long = Array.from({ length: 4 }, () => 'x'.repeat(60)).join('.');
  for (const [kind, zone] of [
    ['there', 'shop'],
    ['nowhere', 'none'],
  ] as const) {
    create(`${kind}-good`, zone, { name: 'www' });
    create(`${kind}-long`, zone, { name: long });
    create(`${kind}-bad`, zone, { name: 'www', content: 'wrong' });
  }
  await on.settle();
  const toldOf = (kind: string, zone: string) =>
    ['good', 'long', 'bad'].map((which) => {
      const { status } = on.cluster.record(`b/${kind}-${which}`) ?? {};
      const { conditions = [], ...fields } = status ?? { conditions: [] };
      const said = conditions.map(({ type, status: is, reason, message }) => [type, is, reason, message]);
      return JSON.stringify([fields, said]).replaceAll(`a/${zone}`, 'a/ZONE');
    });
  expect(toldOf('there', 'shop')).toEqual(toldOf('nowhere', 'none'));
  expect(toldOf('there', 'shop').join()).toContain('does not exist, or allows no records from namespace b');
  // With a grant for another name, the message is precise.
  const allowedRecords = [{ namespaces: { from: 'All' }, names: ['other'] }];
  on.cluster.edit(DNS_ZONE, VICTIM, { allowedRecords });
  await on.settle();
  expect(on.message(on.cluster.record('b/there-good'))).toContain('does not allow A records named www');
  expect(told(on)).not.toContain('secret-host');
});

test.each([
  ['may not manage zones', 'read', 'False NotPermitted'],
  ['may manage zones', 'write', 'True Ready'],
] as const)(
  'namespace b, which wants a zone of namespace a, takes over a zone of its team with a key that %s: %s',
  async (_what, manageZones, ready) => {
    const on = await twoNamespaces({ deletionPolicy: 'Retain' });
    for (const name of ['secret-host', 'vault']) on.cluster.remove(DNS_RECORD, `a/${name}`);
    on.cluster.remove(DNS_ZONE, VICTIM);
    await on.settle();
    on.service.manageZones = manageZones;
    on.keys.set('yk_1_good', OWNER);
    on.cluster.secrets.set('b/low', { apiKey: 'yk_1_good' });
    zone(on, { zoneName: 'shop.example', adopt: 'IfIdentical', credentialsSecretRef: { name: 'low' } });
    await on.settle();
    expect(on.ready(atB(on))).toBe(ready);
    if (ready === 'True Ready') return;
    expect(on.message(atB(on))).toContain('Secret low may not manage zones');
    expect(atB(on)?.status?.zoneId).toBeUndefined();
  },
);

test('namespace b, which wants a zone of namespace a, does not block a name that it cannot have, because a refused object claims nothing', async () => {
  const on = new Bench();
  on.cluster.create(NAMESPACE, { namespace: '', name: 'b' }, {});
  zone(on, { zoneName: 'late.example', credentialsSecretRef: { name: 'none' } });
  await on.settle();
  expect(on.ready(atB(on))).toBe('False CredentialsMissing');
  on.cluster.create(DNS_ZONE, { namespace: 'a', name: 'late' }, { zoneName: 'late.example' });
  await on.settle();
  expect(on.ready(on.cluster.zone('a/late'))).toBe('True Ready');
});

test('namespace b, which wants a zone of namespace a, does not reach it with an id in its status', async () => {
  const on = await twoNamespaces();
  const key = zone(on, { zoneName: 'own.example' });
  await on.settle();
  // A user who may write the status subresource could do this.
  const forge = async () => {
    const forged = on.cluster.zone(key) as DNSZone;
    const status = { ...forged.status, zoneId: victimId(on) };
    await on.cluster.api.replaceStatus(DNS_ZONE, { metadata: forged.metadata, status });
  };
  await forge();
  await on.settle();
  expect(atB(on)?.status?.zoneId).not.toBe(victimId(on));
  await forge();
  on.cluster.remove(DNS_ZONE, key);
  await on.settle();
  expect(on.service.zones.has(victimId(on))).toBe(true);
  expect(on.cluster.zone(VICTIM)?.metadata.finalizers).toEqual([FINALIZER]);
});

test('namespace b, which wants a zone of namespace a, does not reach it with an id in its status, even if no records would block its deletion', async () => {
  const on = new Bench();
  for (const name of ['a', 'b']) on.cluster.create(NAMESPACE, { namespace: '', name }, {});
  on.cluster.create(DNS_ZONE, { namespace: 'a', name: 'shop' }, { zoneName: 'shop.example' });
  const key = zone(on, { zoneName: 'own.example' });
  await on.settle();
  const victim = victimId(on);
  const forged = on.cluster.zone(key) as DNSZone;
  await on.cluster.api.replaceStatus(DNS_ZONE, {
    metadata: forged.metadata,
    status: { ...forged.status, zoneId: victim },
  });
  on.cluster.remove(DNS_ZONE, key);
  await on.settle();
  expect(on.service.zones.has(victim)).toBe(true);
  expect(on.faults.calls.filter((call) => call === `api delete ${victim}`)).toEqual([]);
});

test('namespace b, which wants a zone of namespace a, may have a zone below it when a permits NS records of that name, and keeps it when the permission ends', async () => {
  const on = await twoNamespaces();
  zone(on, { zoneName: 'dev.shop.example' });
  await on.settle();
  expect(on.ready(atB(on))).toBe('False NotPermitted');
  on.cluster.edit(DNS_ZONE, VICTIM, {
    allowedRecords: [
      { namespaces: { from: 'Selector', selector: { matchLabels: { team: 'b' } } }, names: ['dev'], types: ['NS'] },
    ],
  });
  await on.settle();
  expect(on.ready(atB(on))).toBe('True Ready');
  on.cluster.edit(DNS_ZONE, VICTIM, { allowedRecords: [] });
  await on.settle();
  expect(on.ready(atB(on))).toBe('True Ready');
});

test('an administrator who labels a namespace lets it take over a zone with its records, which is then deleted with the object', async () => {
  const on = new Bench();
  on.service.seedZone('old.example', [{ name: 'www' }]);
  on.cluster.create(NAMESPACE, { namespace: '', name: 'b', labels: { [EXISTING_ZONES]: 'allow' } }, {});
  zone(on, { zoneName: 'old.example' });
  await on.settle();
  expect(on.ready(atB(on))).toBe('False Conflict');
  expect(on.message(atB(on))).toContain('spec.adopt: IfIdentical');
  on.cluster.edit(DNS_ZONE, 'b/mine', { adopt: 'IfIdentical' });
  await on.settle();
  expect(on.ready(atB(on))).toBe('True Ready');
  expect(atB(on)?.status?.origin).toBe('Adopted');
  expect(on.reasons()).toContain('b/mine Adopted');
  on.cluster.remove(DNS_ZONE, 'b/mine');
  await on.settle();
  expect(on.message(atB(on))).toMatch(/contains records that no DNSRecord owns: www A\./);
});

test('an administrator who labels a namespace lets it observe a zone, whose data is removed from the status with the label', async () => {
  const on = new Bench();
  const id = on.service.seedZone('old.example');
  on.cluster.create(NAMESPACE, { namespace: '', name: 'b', labels: { [EXISTING_ZONES]: 'allow' } }, {});
  zone(on, { zoneName: 'old.example', managementPolicy: 'Observe' });
  await on.settle();
  expect(atB(on)?.status).toMatchObject({ zoneId: id, origin: 'Observed' });
  on.cluster.label(NAMESPACE, 'b', {});
  await on.settle();
  expect(on.ready(atB(on))).toBe('False NotPermitted');
  expect(told(on)).not.toContain(id);
});

const grant = { namespaces: { from: 'All' }, names: ['www', '*.dev'], types: ['A', 'CNAME'] };

test.each([
  ['another name', 'api', {}],
  ['the name in capitals as another', 'SECRET-HOST', {}],
  ['another type', 'www', { type: 'TXT', content: 'x' }],
  ['the name above the pattern', 'dev', {}],
  ['an absolute name beyond the pattern', 'api.shop.example.', {}],
  ['a wildcard over all', '*', {}],
  ['a challenge without spec.acme', '_acme-challenge', { type: 'TXT', content: 'x' }],
])(
  'a record of namespace b in the zone of namespace a is refused without a grant for it: %s',
  async (_what, name, spec) => {
    const on = await twoNamespaces({ allowedRecords: [grant] });
    const key = record(on, 'b', name, spec);
    await on.settle();
    expect(on.ready(on.cluster.record(key))).toBe('False NotPermitted');
    expect(writes(on)).toEqual([]);
    expect(told(on)).not.toContain('vault');
  },
);

test.each([
  ['the name', 'www'],
  ['in capitals', 'WWW'],
  ['absolute', 'www.shop.example.'],
  ['below the pattern', 'x.DEV'],
])(
  'a record of namespace b in the zone of namespace a is accepted with a grant, in each spelling: %s',
  async (_what, name) => {
    const on = await twoNamespaces({ allowedRecords: [grant] });
    const key = record(on, 'b', name);
    await on.settle();
    expect(on.ready(on.cluster.record(key))).toBe('True Ready');
  },
);

test('a record of namespace b in the zone of namespace a does not affect the records of the own namespace: a grant to others does not restrict it', async () => {
  const on = await twoNamespaces({ allowedRecords: [grant] });
  expect(on.ready(on.cluster.record('a/secret-host'))).toBe('True Ready');
});

test('a record of namespace b in the zone of namespace a is reported and removed from DNS when the grant ends, and returns with the grant', async () => {
  const on = await twoNamespaces({ allowedRecords: [grant] });
  const key = record(on, 'b', 'www', { deletionPolicy: 'Retain' });
  await on.settle();
  const served = 'shop.example www A 192.0.2.1 3600';
  expect(on.service.lines()).toContain(served);
  on.cluster.edit(DNS_ZONE, VICTIM, { allowedRecords: [{ ...grant, names: ['api'] }] });
  on.events.length = 0;
  await on.settle();
  expect(on.ready(on.cluster.record(key))).toBe('False NotPermitted');
  expect(on.reasons().filter((reason) => reason.startsWith('b/www'))).toEqual([
    'b/www NotPermitted',
    'b/www Withdrawn',
  ]);
  expect(on.service.lines()).toEqual(HAS);
  expect(on.idsOf(key)).toEqual([]);
  expect(on.cluster.record(key)?.status?.zoneId).toBeUndefined();
  on.cluster.edit(DNS_ZONE, VICTIM, { allowedRecords: [grant] });
  await on.settle();
  expect(on.ready(on.cluster.record(key))).toBe('True Ready');
  expect(on.service.lines()).toContain(served);
});

test('a record of namespace b in the zone of namespace a stays NotPermitted while it cannot be removed from DNS yet, and is removed afterwards', async () => {
  const on = await twoNamespaces({ allowedRecords: [grant] });
  const key = record(on, 'b', 'www');
  await on.settle();
  on.service.gate = () => new ApiUnavailable('connect ECONNREFUSED');
  on.cluster.edit(DNS_ZONE, VICTIM, { allowedRecords: [] });
  await on.run('record', key);
  const accepted = on.cluster.record(key)?.status?.conditions.find(({ type }) => type === 'Accepted');
  expect(accepted).toMatchObject({ status: 'False', reason: 'NotPermitted' });
  expect(on.ready(on.cluster.record(key))).toBe('False NotPermitted');
  on.service.gate = () => null;
  await on.settle();
  expect(on.service.lines()).toEqual(HAS);
});

test('a record of namespace b in the zone of namespace a does not remain without its object, and so not after the grant', async () => {
  const on = await twoNamespaces({ allowedRecords: [grant] });
  const key = record(on, 'b', 'www', { deletionPolicy: 'Retain' });
  await on.settle();
  on.cluster.remove(DNS_RECORD, key);
  await on.settle();
  expect(on.service.lines()).toEqual(HAS);
});

test('a record of namespace b in the zone of namespace a cannot take over a record that a created by hand, to delete it afterwards', async () => {
  const on = await twoNamespaces({ allowedRecords: [grant] });
  on.service.seed(victimId(on), { name: 'www', content: '192.0.2.1' });
  const key = record(on, 'b', 'www', { adopt: 'IfIdentical' });
  await on.settle();
  expect(on.ready(on.cluster.record(key))).toBe('False Conflict');
  on.cluster.remove(DNS_RECORD, key);
  await on.settle();
  expect(on.service.lines()).toContain('shop.example www A 192.0.2.1 3600');
});

test('a record of namespace b in the zone of namespace a that the service refuses learns nothing about the records of a, for any beginning of the message', async () => {
  const on = await twoNamespaces({ allowedRecords: [grant] });
  on.service.gate = () => refused(409, 'conflict', 'DNSRecord a/secret has this name.');
  const key = record(on, 'b', 'www');
  await on.settle();
  expect(on.ready(on.cluster.record(key))).toBe('False Conflict');
  expect(told(on)).not.toContain('a/secret');
});

test('a record of namespace b in the zone of namespace a that the service refuses does not learn which records conflict', async () => {
  const on = await twoNamespaces({ allowedRecords: [grant] });
  const id = on.service.seed(victimId(on), { name: 'www', type: 'TXT', content: '"by hand"' });
  const key = record(on, 'b', 'www', { type: 'CNAME', content: 'elsewhere.example.net' });
  await on.settle();
  expect(on.ready(on.cluster.record(key))).toBe('False Conflict');
  expect(told(on)).not.toContain(id);
  expect(told(on)).not.toContain('TXT record');
  expect(on.message(on.cluster.record(key))).toContain('Ask the owner of DNSZone a/shop which records these are');
});

test('a record of namespace b in the zone of namespace a may be a challenge for the names that spec.acme lists for its namespace, and nothing else', async () => {
  const on = await twoNamespaces({
    acme: {
      namespaces: { from: 'Selector', selector: { matchLabels: { team: 'b' } } },
      names: ['www', '*.dev'],
      targets: ['cert'],
    },
  });
  const challenge = { type: 'TXT', content: 'token' };
  const good = ['_ACME-challenge.www', '_acme-challenge.a.dev', 'cert'].map((name) => record(on, 'b', name, challenge));
  const bad = [
    ...['_acme-challenge', '_acme-challenge.api', '_acme-challenge.dev', 'www', 'a.dev'].map((name) =>
      record(on, 'b', name, challenge),
    ),
    record(on, 'b', '_acme-challenge.b.dev'),
  ];
  await on.settle();
  for (const key of good) expect(on.ready(on.cluster.record(key)), key).toBe('True Ready');
  for (const key of bad) expect(on.ready(on.cluster.record(key)), key).toBe('False NotPermitted');
});
