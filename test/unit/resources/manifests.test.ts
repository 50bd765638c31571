// A live zone as manifests: the objects, their names, and the records that cannot be an object.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { recordObjectName, zoneObjectName } from '#resources/manifest-names.ts';
import { type Manifest, planManifests, type RecordFacts } from '#resources/manifests.ts';
import { renderManifests } from '#resources/render-manifests.ts';

const YAML = { format: 'yaml' } as const;
const ZONE = { zoneName: 'live.example', state: 'active', defaultTtl: 3600 };

function record(name: string, type: string, content: string, more: Partial<RecordFacts> = {}): RecordFacts {
  return { name, type, content, ttl: 3600, priority: type === 'MX' ? 10 : null, ...more };
}

const plan = (...records: RecordFacts[]) => planManifests(ZONE, records);
const specs = (...records: RecordFacts[]) =>
  plan(...records)
    .objects.slice(1)
    .map(({ spec }) => spec);

test('the DNSZone takes over the zone with its default TTL', () => {
  expect(plan().objects).toEqual([
    {
      apiVersion: 'zonestead.dev/v1alpha1',
      kind: 'DNSZone',
      metadata: { name: 'live.example' },
      spec: { zoneName: 'live.example', defaultTtl: 3600, adopt: 'IfIdentical' },
    },
  ]);
});

test('the DNSZone stays parked if the zone is parked', () => {
  expect(planManifests({ ...ZONE, state: 'parked' }, []).objects[0]?.spec).toMatchObject({ parked: true });
});

test('a DNSRecord gets the check, tiers and weights of its records, so that nothing changes in DNS', () => {
  const OWN = 'k8s-0';
  const definitions = new Map([[OWN, { type: 'http', path: '/healthz', expect: [200, '3xx'] }]]);
  const planned = planManifests(
    ZONE,
    [
      record('www', 'A', '192.0.2.1', { check: OWN, whenAllFail: 'ServeNone' }),
      record('www', 'A', '192.0.2.2', { check: OWN, whenAllFail: 'ServeNone', tier: 1 }),
      record('www', 'A', '192.0.2.3', { check: 'web' }),
      record('shop', 'A', '192.0.2.1', { weight: 5 }),
      record('ptr', 'A', '192.0.2.4', { reverse: true }),
    ],
    undefined,
    definitions,
  );
  expect(planned.leftOut).toEqual([]);
  expect(planned.objects.slice(1).map(({ spec }) => spec)).toMatchObject([
    { name: 'ptr', content: '192.0.2.4', reverse: true },
    { name: 'shop', values: [{ content: '192.0.2.1', weight: 5 }] },
    {
      values: [{ content: '192.0.2.1' }, { content: '192.0.2.2', tier: 1 }],
      healthCheck: { type: 'http', path: '/healthz', expect: ['200', '3xx'] },
      whenAllFail: 'ServeNone',
    },
    { content: '192.0.2.3', healthCheck: { checkRef: 'web' } },
  ]);
});

test('a DNSRecord is omitted if an operator sends the state of its addresses, or its check is unknown', () => {
  const records = [record('www', 'A', '192.0.2.1', { check: 'k8s-0' })];
  for (const definitions of [new Map([['k8s-0', { type: 'signal' }]]), new Map()]) {
    const { objects, leftOut } = planManifests(ZONE, records, undefined, definitions);
    expect(objects).toHaveLength(1);
    expect(leftOut).toEqual([{ name: 'www', type: 'A', why: expect.stringContaining('spec.healthFrom') }]);
  }
});

test('the DNSZone keeps the denial of the zone', () => {
  expect(planManifests({ ...ZONE, denial: 'NSEC3' }, []).objects[0]?.spec).toMatchObject({ denial: 'NSEC3' });
  expect(planManifests({ ...ZONE, denial: 'NSEC' }, []).objects[0]?.spec).not.toHaveProperty('denial');
});

test('the DNSZone has the given namespace, and so have its records', () => {
  const { objects } = planManifests(ZONE, [record('www', 'A', '192.0.2.1')], 'team');
  expect(objects.map(({ metadata }) => metadata.namespace)).toEqual(['team', 'team']);
});

test('a DNSRecord exists for each RRset: content for one value, values for several', () => {
  expect(
    specs(
      record('www', 'A', '192.0.2.2'),
      record('www', 'A', '192.0.2.1'),
      record('www', 'AAAA', '2001:db8::1', { ttl: 60 }),
      record('@', 'MX', 'mail.example.net', { priority: 5 }),
    ),
  ).toEqual([
    {
      zoneRef: { name: 'live.example' },
      name: '@',
      type: 'MX',
      content: 'mail.example.net',
      priority: 5,
      adopt: 'IfIdentical',
    },
    {
      zoneRef: { name: 'live.example' },
      name: 'www',
      type: 'A',
      values: [{ content: '192.0.2.1' }, { content: '192.0.2.2' }],
      adopt: 'IfIdentical',
    },
    {
      zoneRef: { name: 'live.example' },
      name: 'www',
      type: 'AAAA',
      ttl: 60,
      content: '2001:db8::1',
      adopt: 'IfIdentical',
    },
  ]);
});

test('a DNSRecord has one TTL, so records of one RRset with different TTLs become several objects', () => {
  const { objects } = plan(record('www', 'A', '192.0.2.1'), record('www', 'A', '192.0.2.2', { ttl: 30 }));
  expect(objects.slice(1).map(({ metadata, spec }) => [metadata.name, spec.ttl, spec.content])).toEqual([
    ['www.live.example-a', 30, '192.0.2.2'],
    ['www.live.example-a-2', undefined, '192.0.2.1'],
  ]);
});

test('a DNSRecord has at most 100 values, and a long value is alone', () => {
  const many = Array.from({ length: 150 }, (_, index) => record('many', 'A', `192.0.2.${index}`));
  expect(specs(...many).map(({ values }) => (values as object[]).length)).toEqual([100, 50]);
  const long = `"${'x'.repeat(255)}"`.repeat(9);
  const [short, alone] = specs(record('t', 'TXT', long), record('t', 'TXT', 'one'), record('t', 'TXT', 'two'));
  expect(short?.values).toEqual([{ content: 'one' }, { content: 'two' }]);
  expect(alone?.content).toBe(long);
});

test('a DNSRecord cannot contain a text of more than 65,535 characters, so the record is named and all others are present', () => {
  const escaped = `"${'\\255'.repeat(255)}"`.repeat(70);
  const { objects, leftOut } = plan(record('big', 'TXT', escaped), record('www', 'A', '192.0.2.1'));
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(['live.example', 'www.live.example-a']);
  expect(leftOut).toEqual([{ name: 'big', type: 'TXT', why: expect.stringMatching(/spec\.content: .*65535/) }]);
  expect(parseAllDocuments(renderManifests(objects, YAML))).toHaveLength(2);
});

const COMMENT = 'zonestead.dev/comment';
const annotations = ({ objects }: { objects: Manifest[] }) => objects.map(({ metadata }) => metadata.annotations);

test('a comment is an annotation of the object of its zone or record', () => {
  const objects = planManifests({ ...ZONE, comment: 'the shop' }, [
    record('www', 'A', '192.0.2.1', { comment: 'yes: "quoted" # and more' }),
    record('www', 'AAAA', '2001:db8::1'),
  ]);
  expect(annotations(objects)).toEqual([
    { [COMMENT]: 'the shop' },
    { [COMMENT]: 'yes: "quoted" # and more' },
    undefined,
  ]);
  const yaml = renderManifests(objects.objects, YAML);
  expect(parseAllDocuments(yaml).map((document) => document.toJS() as Manifest)).toEqual(objects.objects);
});

test('a comment is one annotation if all records of an RRset have it; records with different ones keep theirs without it', () => {
  const of = (...comments: (string | undefined)[]) =>
    plan(...comments.map((comment, at) => record('www', 'A', `192.0.2.${at}`, { comment })));
  expect(annotations(of('same', 'same'))).toEqual([undefined, { [COMMENT]: 'same' }]);
  for (const comments of [
    ['one', 'two'],
    ['one', undefined],
    [undefined, 'two'],
  ])
    expect(annotations(of(...comments))).toEqual([undefined, undefined]);
});

test.each([
  ['www.live.example', 'A', 1, 'www.live.example-a'],
  ['www.live.example', 'A', 2, 'www.live.example-a-2'],
  ['live.example', 'CAA', 1, 'live.example-caa'],
] as const)('an object name for %s %s %i is %s', (fqdn, type, part, name) =>
  expect(recordObjectName(fqdn, type, part)).toBe(name),
);

test.each([
  ['*.live.example', /^wildcard\.live\.example-a-[0-9a-f]{10}$/],
  ['_sip._tcp.live.example', /^sip\.tcp\.live\.example-a-[0-9a-f]{10}$/],
  ['_.live.example', /^live\.example-a-[0-9a-f]{10}$/],
  ['-a-.live.example', /^a\.live\.example-a-[0-9a-f]{10}$/],
])('an object name for %s is legible, with a hash', (fqdn, form) =>
  expect(recordObjectName(fqdn, 'A', 1)).toMatch(form),
);

test('an object name for a zone is the name of the zone', () => {
  expect(zoneObjectName('live.example')).toBe('live.example');
  expect(zoneObjectName('_x.example')).toMatch(/^x\.example-[0-9a-f]{10}$/);
});

// The rules of Kubernetes for RFC 1123 names: lower case letters, digits, inner hyphens and dots, at most 253
// characters.
const DNS_1123 = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = fc.stringMatching(/^[a-z0-9_-]{1,63}$/);
const owner = fc
  .tuple(fc.boolean(), fc.array(label, { maxLength: 4 }))
  .map(([wild, labels]) => [...(wild ? ['*'] : []), ...labels, 'live.example'].join('.').slice(-240));
const thing = fc.tuple(owner, fc.constantFrom('A', 'AAAA', 'TXT', 'CAA', 'DS'), fc.integer({ min: 1, max: 200 }));

test('an object name is valid for any DNS name', () => {
  fc.assert(
    fc.property(thing, (one) => {
      expect(recordObjectName(...one)).toMatch(DNS_1123);
    }),
  );
});

test('an object name is unique', () => {
  const near = fc.tuple(
    fc.constantFrom('*', '_', '-', 'a', '_a', 'a-', 'a_', 'wildcard', 'a-a', 'a-a-2', 'a.a').map((s) => `${s}.example`),
    fc.constantFrom('A', 'AAAA'),
    fc.integer({ min: 1, max: 3 }),
  );
  fc.assert(
    fc.property(fc.array(near, { maxLength: 30 }), (things) => {
      const wanted = new Set(things.map((one) => one.join(' ')));
      expect(new Set(things.map((one) => recordObjectName(...one))).size).toBe(wanted.size);
    }),
  );
});

const objectsOf = (yaml: string) =>
  parseAllDocuments(yaml, { version: '1.1' }).map((document) => document.toJS() as Manifest);

test('the YAML does not depend on the order in which the service lists the records', () => {
  const records = [
    record('b', 'A', '192.0.2.1'),
    record('@', 'TXT', 'x'),
    record('b', 'A', '192.0.2.3', { ttl: 30 }),
    record('b', 'A', '192.0.2.2'),
    record('a', 'A', '192.0.2.9'),
  ];
  const texts = [records, records.toReversed()].map((list) => renderManifests(plan(...list).objects, YAML));
  expect(texts[0]).toBe(texts[1]);
});

test('the YAML keeps texts that YAML 1.1 would read as another type', () => {
  const tricky = ['yes', 'no', 'on', 'null', '~', '1:30', '0x1f', '1_000', '2027-01-31', '# no', 'a: b', '- x', '"q"'];
  const { objects, leftOut } = plan(...tricky.map((text, index) => record(`t${index}`, 'TXT', text)));
  expect(leftOut).toEqual([]);
  expect(objectsOf(renderManifests(objects, YAML))).toEqual(objects);
});

test('the YAML names the permission that an administrator must give', () => {
  const yaml = renderManifests(plan().objects, { ...YAML, namespace: 'team' });
  expect(yaml).toContain('kubectl label namespace team zonestead.dev/existing-zones=allow');
});
