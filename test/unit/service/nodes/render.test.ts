// The RRsets that a name has, from its rows.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ServedSet } from '#dns/served.ts';
import { renderName } from '#service/nodes/render.ts';
import type { AliasAnswers, NameRows, ServedRecord } from '#store/served-zones.ts';

const NAMES = ['ns2.example.net', 'ns1.example.net'];
const ZONE = { state: 'active' as const, defaultTtl: 3600, nameservers: NAMES, commonNameservers: NAMES };
const HOSTS = ['ns1.example.net.', 'ns2.example.net.'];
const NS = { name: '@', type: 'NS', ttl: 3600, rdata: HOSTS };
const ALIASES: AliasAnswers = new Map([
  ['both.example.', { ipv4: ['192.0.2.2', '192.0.2.1'], ipv6: ['2001:db8:0:0:0:0:0:1'], ttl: 60 }],
  ['four.example.', { ipv4: ['192.0.2.1'], ipv6: [], ttl: 600 }],
  ['none.example.', { ipv4: [], ipv6: [], ttl: 30 }],
]);
const CHILD = { ds: ['12345 13 4 bb', '12345 13 2 aa'], secondaryNameservers: [] };

const record = (type: string, rdata: string, ttl: number | null = null, withdrawn = false): ServedRecord => ({
  type,
  rdata,
  ttl,
  health: null,
  withdrawn,
  failing: false,
});
const rows = (ordername: string, records: ServedRecord[] = [], child: NameRows['child'] = null): NameRows => ({
  ordername,
  records,
  child,
});
const set = (name: string, type: string, ttl: number, ...rdata: string[]): ServedSet => ({ name, type, ttl, rdata });

const a = record('A', '192.0.2.7', 300);
/** The name exists, although it has nothing to answer with. */
const EXISTS = set('w', 'TYPE65401', 3600, '\\# 0');

test.each<[string, typeof ZONE | (Omit<typeof ZONE, 'state'> & { state: 'parked' }), NameRows, ServedSet[]]>([
  ['nothing without rows', ZONE, rows('www'), []],
  ['a record with its own TTL', ZONE, rows('dev www', [a]), [set('www.dev', 'A', 300, '192.0.2.7')]],
  ['the default TTL otherwise', ZONE, rows('*', [record('TXT', '"x"')]), [set('*', 'TXT', 3600, '"x"')]],
  [
    'one RRset for each type, in the order of types, with the lowest TTL, sorted',
    ZONE,
    rows('www', [record('TXT', '"b"', 60), record('AAAA', '::1'), record('TXT', '"a"')]),
    [set('www', 'AAAA', 3600, '::1'), set('www', 'TXT', 60, '"a"', '"b"')],
  ],
  ['the NS of the service at the apex', ZONE, rows(''), [NS]],
  ['and its own records there', ZONE, rows('', [a]), [set('@', 'A', 300, '192.0.2.7'), NS]],
  [
    'a record without its withdrawn neighbours of the same type',
    ZONE,
    rows('www', [a, record('A', '192.0.2.8', 60, true), record('TXT', '"x"', 600, true)]),
    [set('www', 'A', 300, '192.0.2.7'), set('www', 'TXT', 600, '"x"')],
  ],
  [
    'all withdrawn records if there are no others',
    ZONE,
    rows('www', [record('A', '192.0.2.8', 60, true), record('A', '192.0.2.9', 90, true)]),
    [set('www', 'A', 60, '192.0.2.8', '192.0.2.9')],
  ],
  ['only the NS at the apex of a parked zone', { ...ZONE, state: 'parked' }, rows('', [a]), [NS]],
  ['nothing in a parked zone', { ...ZONE, state: 'parked' }, rows('www', [a]), []],
  [
    'NS and DS alone where a hosted child begins',
    ZONE,
    rows('kid', [a, record('NS', 'other.example.')], CHILD),
    [set('kid', 'DS', 3600, '12345 13 2 aa', '12345 13 4 bb'), { ...NS, name: 'kid' }],
  ],
  [
    'the names of the secondaries of the child there, and of its own at the apex',
    { ...ZONE, nameservers: [...ZONE.nameservers, 'own.example'] },
    rows('kid', [], { ds: [], secondaryNameservers: ['kids.example'] }),
    [set('kid', 'NS', 3600, ...[...HOSTS, 'kids.example.'].sort())],
  ],
  [
    'the names of the secondaries of the zone at the apex',
    { ...ZONE, nameservers: [...ZONE.nameservers, 'own.example'] },
    rows(''),
    [set('@', 'NS', 3600, ...[...HOSTS, 'own.example.'].sort())],
  ],
  [
    'them in a parked zone too',
    { ...ZONE, state: 'parked' },
    rows('kid', [a], { ds: [], secondaryNameservers: [] }),
    [{ ...NS, name: 'kid' }],
  ],
  [
    'the NS, DS and glue of a delegation to others',
    ZONE,
    rows('sub', [record('NS', 'ns.sub.example.'), record('DS', '1 13 2 cc'), a]),
    [set('sub', 'A', 300, '192.0.2.7'), set('sub', 'DS', 3600, '1 13 2 cc'), set('sub', 'NS', 3600, 'ns.sub.example.')],
  ],
  [
    'the addresses of an ALIAS target, with the shorter TTL, and its other records',
    ZONE,
    rows('', [record('ALIAS', 'both.example.'), record('MX', '10 mail.example.')]),
    [
      set('@', 'A', 60, '192.0.2.1', '192.0.2.2'),
      set('@', 'AAAA', 60, '2001:db8::1'),
      set('@', 'MX', 3600, '10 mail.example.'),
      NS,
    ],
  ],
  [
    'the TTL of the ALIAS where that is shorter',
    ZONE,
    rows('w', [record('ALIAS', 'four.example.', 90)]),
    [set('w', 'A', 90, '192.0.2.1')],
  ],
  ['a placeholder for an ALIAS without addresses', ZONE, rows('w', [record('ALIAS', 'none.example.')]), [EXISTS]],
  ['and for one that was never resolved', ZONE, rows('w', [record('ALIAS', 'new.example.')]), [EXISTS]],
  [
    'none if it has other records',
    ZONE,
    rows('w', [record('ALIAS', 'new.example.'), a]),
    [set('w', 'A', 300, '192.0.2.7')],
  ],
  [
    'each address once',
    ZONE,
    rows('w', [record('ALIAS', 'four.example.'), record('A', '192.0.2.1', 30)]),
    [set('w', 'A', 30, '192.0.2.1')],
  ],
])('a name has %s', (_, zone, name, expected) => {
  expect(renderName(zone, name, ALIASES)).toEqual(expected);
});

test('an address of a target that is none is an error with the address', () => {
  const wrong: AliasAnswers = new Map([['both.example.', { ipv4: ['192.0.2'], ipv6: [], ttl: 60 }]]);
  expect(() => renderName(ZONE, rows('w', [record('ALIAS', 'both.example.')]), wrong)).toThrow(/192\.0\.2 .* type A/);
});

const anyRecord = fc.record({
  type: fc.constantFrom('A', 'AAAA', 'TXT', 'MX', 'NS', 'DS', 'ALIAS'),
  rdata: fc.constantFrom('192.0.2.1', '2001:db8::1', 'both.example.', 'four.example.', 'none.example.'),
  ttl: fc.option(fc.integer({ min: 30, max: 4000 }), { nil: null }),
  health: fc.constant(null),
  withdrawn: fc.boolean(),
  failing: fc.constant(false),
});

/** The single records that are served at a name, each with its TTL, without any grouping. */
function* single(state: string, { ordername, records, child }: NameRows): Generator<[string, number, string]> {
  if (ordername === '' || child !== null) for (const host of HOSTS) yield ['NS', 3600, host];
  for (const ds of child?.ds ?? []) yield ['DS', 3600, ds];
  if (child !== null || state === 'parked') return;
  const hasAddress = (target: string) =>
    [ALIASES.get(target)].some((each) => each && each.ipv4.length + each.ipv6.length > 0);
  const serves = ({ type, rdata, withdrawn }: ServedRecord) =>
    (type !== 'ALIAS' || hasAddress(rdata)) &&
    (!withdrawn || records.every((other) => other.type !== type || other.withdrawn));
  const isEmpty = !records.some(serves);
  if (ordername !== '' && records.length > 0 && isEmpty) yield ['TYPE65401', 3600, '\\# 0'];
  for (const { type, rdata, ttl, withdrawn } of records) {
    if (withdrawn && records.some((other) => other.type === type && !other.withdrawn)) continue;
    const own = ttl === null ? 3600 : ttl;
    if (type !== 'ALIAS') yield [type, own, rdata];
    const answer = type === 'ALIAS' ? ALIASES.get(rdata) : undefined;
    for (const address of answer?.ipv4 ?? []) yield ['A', Math.min(own, answer?.ttl ?? 0), address];
    for (const address of answer?.ipv6 ?? [])
      yield ['AAAA', Math.min(own, answer?.ttl ?? 0), address.replace(':0:0:0:0:0:', '::')];
  }
}

test('an RRset has exactly the single records of its name and type, once and sorted, and the lowest of their TTLs', () => {
  const child = fc.option(fc.constantFrom(CHILD, { ds: [], secondaryNameservers: [] }), { nil: null, freq: 4 });
  const state = fc.constantFrom('active' as const, 'parked' as const);
  fc.assert(
    fc.property(state, fc.constantFrom('', 'www'), fc.array(anyRecord), child, (state, ordername, records, child) => {
      const name = rows(ordername, records, ordername === '' ? null : child);
      const wanted = [...single(state, name)];
      const sets = renderName({ ...ZONE, state }, name, ALIASES);
      expect(sets.map(({ type }) => type)).toEqual([...new Set(wanted.map(([type]) => type))].sort());
      for (const { type, ttl, rdata } of sets) {
        const own = wanted.filter(([other]) => other === type);
        expect(ttl).toBe(Math.min(...own.map(([, each]) => each)));
        expect(rdata).toEqual([...new Set(own.map(([, , each]) => each))].sort());
      }
    }),
  );
});

test('thousands of records at one name are rendered in linear time', () => {
  const cost = (count: number) => {
    const name = rows(
      'many',
      Array.from({ length: count }, (_, n) => record('A', `10.0.${n >> 8}.${n & 255}`)),
    );
    const began = process.cpuUsage();
    expect(renderName(ZONE, name, ALIASES)[0]?.rdata).toHaveLength(count);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
  cost(2_000);
  // Quadratic time was 10 s of the processor.
  expect(cost(20_000)).toBeLessThan(1_500);
});

test('an RRset has the weights of its records that are served, in the order of the values, and a TTL of at most 60', () => {
  const weighted = (rdata: string, weight?: number, more: object = {}) => ({
    ...record('A', rdata, 300),
    health: weight === undefined ? null : { weight },
    ...more,
  });
  const three = [weighted('192.0.2.3', 5), weighted('192.0.2.1', 7), weighted('192.0.2.2')];
  const rdata = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
  const [drawn] = renderName(ZONE, rows('www', [...three, record('TXT', '"x"')]), ALIASES);
  expect(drawn).toEqual({ name: 'www', type: 'A', ttl: 60, rdata, weights: [7, 1, 5] });
  const [, ...others] = three;
  const failing = rows('www', [weighted('192.0.2.3', 5, { failing: true }), ...others]);
  expect(renderName(ZONE, failing, ALIASES)).toMatchObject([{ rdata: rdata.slice(0, 2), weights: [7, 1] }]);
  const [alone] = renderName(ZONE, rows('www', [weighted('192.0.2.1', 7)]), ALIASES);
  expect(alone).not.toHaveProperty('weights');
});
