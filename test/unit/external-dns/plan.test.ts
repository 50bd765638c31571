// From external-dns' changes to the sets of owners, and from the sets of owners to endpoints and back.
import { expect, test } from 'vitest';
import { type OwnedSet, type RecordSet, recordSet } from '#contract/owners.ts';
import { heldBack, isMass, keepRecent, mayBeMass, withRound } from '#external-dns/brake.ts';
import { adjust, buildEndpoints, findEndpointPlace } from '#external-dns/endpoints.ts';
import { buildEndpointOwner, buildLabels } from '#external-dns/owner.ts';
import { collectWishes, emptied, planRecordSets } from '#external-dns/plan.ts';
import { changesBody, type DnsEndpoint } from '#external-dns/protocol.ts';

const zone = { id: 'zone_1', zoneName: 'example.org', defaultTtl: 3600 };
const zones = [zone, { id: 'zone_2', zoneName: 'dev.example.org', defaultTtl: 60 }];
const OPTIONS = { ownerId: 'prod', share: false, adopt: false };
const WEB = 'external-dns:prod/service/one/web';

const endpoint = (dnsName: string, recordType: string, targets: string[], more = {}): DnsEndpoint => ({
  dnsName,
  recordType,
  targets,
  labels: { resource: 'service/one/web' },
  ...more,
});
const held = (owner: string, name: string, type: OwnedSet['type'], values: string[], more = {}): OwnedSet => ({
  ...{ owner, name, type, generation: null, instance: null, digest: '', ttl: null },
  ...{ comment: null, share: false, retain: false },
  ...{ drift: 'Enforce', whenClusterLost: 'Keep', expires: null, appliedAt: '2026-11-23T00:00:00Z', drifted: false },
  records: values.map((content, at) => ({ id: `rec_${at}`, name, type, content, ttl: 3600, priority: null })),
  ...more,
});
const plan = (wanted: object, owned: OwnedSet[] = [], options = {}) =>
  planRecordSets(collectWishes(changesBody.parse(wanted), zones), owned, { ...OPTIONS, ...options });
const brief = ({ owner, name, type, values }: RecordSet) =>
  `${owner} ${name} ${type} ${values?.map(({ content }) => content).join()}`;

test('a name belongs to the longest zone that encloses it, and to none by its ending alone', () => {
  expect(findEndpointPlace('a.dev.example.org', zones)).toEqual({ zone: zones[1], name: 'a' });
  expect(findEndpointPlace('Example.ORG.', zones)).toEqual({ zone, name: '@' });
  expect(findEndpointPlace('badexample.org', zones)).toBeNull();
});

test('an owner is the object that wants the name, or the registry, and says both to external-dns', () => {
  expect(buildEndpointOwner('prod', endpoint('a.example.org', 'A', []))).toBe(WEB);
  expect(buildLabels('prod', WEB)).toEqual({ owner: 'prod', resource: 'service/one/web' });
  const txt = endpoint('a-a.example.org', 'TXT', [], { labels: { ownedRecord: 'a.example.org' } });
  expect(buildEndpointOwner('prod', txt)).toBe('external-dns:prod/registry');
  expect(buildLabels('prod', 'external-dns:prod/registry')).toEqual({ owner: 'prod' });
});

test('an owner is always one that the service accepts, and of its own instance', () => {
  for (const resource of ['x'.repeat(500), 'service/ö', '', ' ', undefined, '../../other/a'])
    for (const recordType of ['A', 'TXT']) {
      const owner = buildEndpointOwner('prod', { recordType, labels: resource === undefined ? null : { resource } });
      expect(recordSet.safeParse({ owner, release: true }).error).toBeUndefined();
      expect(owner).toMatch(/^external-dns:prod\/./);
    }
});

const www = endpoint('www.example.org', 'A', ['192.0.2.1', '192.0.2.2'], { recordTTL: 60 });

test('the plan makes one set of each endpoint, with all its values, at names without records of others', () => {
  expect(plan({ create: [www] })).toEqual([
    {
      ...{ owner: WEB, name: 'www', type: 'A', ttl: 60, onlyAmong: 'external-dns:prod/' },
      values: [{ content: '192.0.2.1' }, { content: '192.0.2.2' }],
    },
  ]);
  expect(plan({ create: [www] }, [], { share: true, adopt: true })).toMatchObject([
    { share: true, adopt: 'IfIdentical' },
  ]);
  expect(plan({ create: [www] }, [], { share: true })[0]).not.toHaveProperty('onlyAmong');
  for (const set of plan({ create: [www] })) expect(recordSet.safeParse(set).error).toBeUndefined();
});

test('an update and a repeated creation are the same set; spelling and duplicates do not matter', () => {
  const mail = endpoint('mail.example.org', 'MX', ['5 MX.example.org.', '5 mx.example.org']);
  const set = { name: 'mail', type: 'MX', values: [{ content: 'mx.example.org', priority: 5 }] };
  const owned = [held(WEB, 'mail', 'MX', [])];
  expect(plan({ create: [mail] }, owned)).toMatchObject([set]);
  expect(plan({ updateOld: [mail], updateNew: [mail] }, owned)).toMatchObject([set]);
});

test('a deletion releases what the instance has there, whichever object has it, and nothing else', () => {
  const owned = [held(WEB, 'www', 'A', ['192.0.2.1']), held(WEB, 'www', 'AAAA', ['2001:db8::1'])];
  expect(plan({ delete: [www] }, owned).map(brief)).toEqual([`${WEB} www A `]);
  expect(plan({ delete: [www] }, [])).toEqual([]);
  const other = endpoint('www.example.org', 'A', ['192.0.2.1'], { labels: { resource: 'service/two/x' } });
  expect(plan({ delete: [other] }, owned).map(brief)).toEqual([`${WEB} www A `]);
});

test('the plan releases the first object before another one takes a name over', () => {
  const owned = [held(WEB, 'www', 'A', ['192.0.2.1'])];
  const updateNew = [endpoint('www.example.org', 'A', ['192.0.2.1'], { labels: { resource: 'ingress/two/web' } })];
  expect(plan({ updateOld: [www], updateNew }, owned).map(brief)).toEqual([
    `${WEB} www A `,
    'external-dns:prod/ingress/two/web www A 192.0.2.1',
  ]);
});

test('the plan releases a CNAME before an address takes its name', () => {
  const wanted = {
    create: [endpoint('www.example.org', 'A', ['192.0.2.1'])],
    delete: [endpoint('www.example.org', 'CNAME', ['x.example.net'])],
  };
  const owned = [held(WEB, 'www', 'CNAME', ['x.example.net'])];
  const sets = plan(wanted, owned);
  expect(sets.map(brief)).toEqual([`${WEB} www CNAME `, `${WEB} www A 192.0.2.1`]);
  expect(emptied(sets)).toEqual([]);
});

test('the plan deletes as many names and types as it empties; the registry does not count', () => {
  const names = Array.from({ length: 25 }, (_, at) => `h${at}`);
  const owned = names.flatMap((name) => [
    held(WEB, name, 'A', ['192.0.2.1']),
    held('external-dns:prod/registry', `a-${name}`, 'TXT', ['"heritage=external-dns"']),
  ]);
  const gone = names.flatMap((name) => [
    endpoint(`${name}.example.org`, 'A', []),
    endpoint(`a-${name}.example.org`, 'TXT', [], { labels: { ownedRecord: name } }),
  ]);
  expect(emptied(plan({ delete: gone }, owned))).toHaveLength(25);
});

const MINUTE = 60_000;
const NONE = new Map<string, number>();
const places = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `zone h${from + at} A`);

test('a mass deletion is more than 20 names and types, and more than half', () => {
  expect(isMass(NONE, places(0, 25), places(0, 25))).toBe(true);
  expect(isMass(NONE, places(0, 25), places(0, 50))).toBe(false);
  expect(isMass(NONE, places(0, 20), places(0, 20))).toBe(false);
  expect(isMass(NONE, places(0, 21), places(0, 41))).toBe(true);
  expect(mayBeMass(NONE, places(0, 20))).toBe(false);
});

test('a mass deletion counts the rounds of the last five minutes together', () => {
  const two = withRound(withRound(NONE, places(0, 10), 0), places(10, 20), MINUTE);
  expect(isMass(two, places(20, 21), places(20, 41))).toBe(true);
  expect(isMass(two, places(20, 21), places(20, 42))).toBe(false);
  expect(isMass(two, [], places(20, 21))).toBe(false);
  expect(keepRecent(two, 5 * MINUTE).size).toBe(10);
});

test('a mass deletion does not count a deletion twice that failed and is tried again', () => {
  const tried = withRound(NONE, places(0, 15), 0);
  expect(isMass(tried, places(0, 15), places(0, 15))).toBe(false);
  expect(isMass(tried, places(0, 21), places(0, 42))).toBe(false);
});

test('a mass deletion stays held back, although the deletions before it get older', () => {
  const recent = heldBack(withRound(NONE, places(0, 30), 0), 4 * MINUTE);
  expect(isMass(keepRecent(recent, 8 * MINUTE), places(30, 35), places(30, 35))).toBe(true);
});

const back = (sets: OwnedSet[], share = false) => buildEndpoints(zone, sets, { ownerId: 'prod', share });

test('endpoints come back as they were adjusted: every type that external-dns knows', () => {
  const wanted = [
    endpoint('example.org', 'CNAME', ['LB.example.net.']),
    endpoint('www.example.org', 'AAAA', ['2001:DB8::0001'], { recordTTL: 5 }),
    endpoint('mail.example.org', 'MX', ['10 MX.example.org.', '20 mx2.example.org']),
    endpoint('_sip._tcp.example.org', 'SRV', ['10 5 5060 sip.example.org.']),
    endpoint('sub.example.org', 'NS', ['ns1.example.net']),
    endpoint('1.example.org', 'PTR', ['host.example.org']),
    endpoint('t.example.org', 'TXT', ['v=spf1 include:x -all', '"two" "strings"']),
  ];
  const { endpoints, dropped } = adjust(wanted, zones);
  expect(dropped).toEqual([]);
  expect(endpoints[0]).toMatchObject({
    targets: ['lb.example.net'],
    providerSpecific: [
      { name: 'alias', value: 'true' },
      { name: 'zonestead/ttl', value: 'default' },
    ],
  });
  expect(endpoints[1]).toMatchObject({ targets: ['2001:db8::1'], recordTTL: 30 });
  const created = plan({ create: endpoints });
  expect(created.find(({ name }) => name === '@')).toMatchObject({ type: 'ALIAS' });
  const stored = created.map(({ owner, name = '', type = 'A', values = [], ttl = null }) =>
    held(owner, name, type as OwnedSet['type'], [], {
      ttl,
      records: values.map(({ content, priority = null }) => ({ id: '', name, type, content, ttl: 3600, priority })),
    }),
  );
  const plain = (list: DnsEndpoint[]) =>
    list
      .map(({ dnsName, recordType, targets, labels, recordTTL, providerSpecific = [] }) => ({
        ...{ dnsName, recordType, targets: targets.toSorted(), providerSpecific },
        ...{ resource: labels?.resource, recordTTL: recordTTL ?? 3600 },
      }))
      .sort((a, b) => (a.dnsName < b.dnsName ? -1 : 1));
  expect(plain(back(stored))).toEqual(plain(endpoints));
});

test('endpoints are applied again if others changed them, if sharing changed, or if two objects have them', () => {
  const repair = { name: 'zonestead/repair', value: 'true' };
  const set = held(WEB, 'www', 'A', ['192.0.2.1'], { ttl: 60 });
  expect(back([set])[0]).not.toHaveProperty('providerSpecific');
  expect(back([{ ...set, drifted: true }])[0]?.providerSpecific).toEqual([repair]);
  expect(back([set], true)[0]?.providerSpecific).toEqual([repair]);
  expect(back([set, { ...set, owner: 'external-dns:prod/service/two/x' }])).toMatchObject([
    { dnsName: 'www.example.org', providerSpecific: [repair] },
  ]);
  // All records were deleted: external-dns must see the name, or it would never release it.
  expect(back([{ ...set, drifted: true, records: [] }])).toMatchObject([{ targets: [], recordTTL: 60 }]);
});

test('endpoints are ignored with a reason when the service cannot store them', () => {
  const { endpoints, dropped } = adjust(
    [
      endpoint('www.example.com', 'A', ['192.0.2.1']),
      endpoint('n.example.org', 'SPF', ['x']),
      endpoint('w.example.org', 'A', ['192.0.2.1'], { setIdentifier: 'blue' }),
    ],
    zones,
  );
  expect(endpoints).toEqual([]);
  expect(dropped).toEqual([
    'www.example.com A: no zone of the key contains it',
    'n.example.org SPF: the service has no such type',
    'w.example.org A: routing policies (setIdentifier) are not supported',
  ]);
});

test('endpoints are compared in the form of the service, also NAPTR', () => {
  const target = '100 10 S SIP+D2U "" _sip._udp.Example.org.';
  const { endpoints } = adjust([endpoint('n.example.org', 'NAPTR', [target])], zones);
  expect(endpoints).toMatchObject([{ targets: ['100 10 "S" "SIP+D2U" "" _sip._udp.example.org'] }]);
});

test('endpoints leave types alone that external-dns does not know', () => {
  expect(back([held(WEB, '@', 'CAA', ['0 issue "ca.example"'])])).toEqual([]);
});
