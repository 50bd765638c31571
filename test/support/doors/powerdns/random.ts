// Random requests to the PowerDNS API: right changes, and requests with wrong values in any place.
import fc from 'fast-check';
import type { PowerDnsRequest } from './client.ts';

export const ZONE = 'random.example.';

const POOLS: Readonly<Record<string, readonly string[]>> = {
  A: ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'],
  TXT: ['"a"', '"b"', '"c"', '"d e" "f"'],
  MX: ['1 a.example.', '2 a.example.', '1 b.example.', '0 c.example.'],
};
const place = fc.record({
  label: fc.constantFrom('a', 'b', 'c.d', '*.e'),
  type: fc.constantFrom(...Object.keys(POOLS)),
});
/** A right change of an RRset in ZONE. */
export const anyChange = fc
  .record({
    place,
    changetype: fc.constantFrom('REPLACE', 'DELETE', 'EXTEND', 'PRUNE', 'replace', 'Extend'),
    picked: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { maxLength: 4 }),
    ttl: fc.constantFrom(5, 60, 61, 90_000),
    hasTtl: fc.boolean(),
  })
  .map(({ place: { label, type }, changetype, picked, ttl, hasTtl }) => {
    const kind = changetype.toUpperCase();
    const isOne = kind === 'EXTEND' || kind === 'PRUNE';
    const contents = (isOne ? [picked[0] ?? 0] : picked).map((at) => POOLS[type]?.[at] as string);
    return {
      name: `${label}.${ZONE}`,
      type,
      changetype,
      contents,
      ttl: kind === 'REPLACE' || hasTtl ? ttl : undefined,
    };
  });
export type Change = typeof anyChange extends fc.Arbitrary<infer T> ? T : never;

const oddText = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '@',
    ZONE,
    `www.${ZONE}`,
    `*.${ZONE}`,
    `a..${ZONE}`,
    '=',
    '=2F',
    '=00',
    '%00',
    'ü.example.',
    `${'x'.repeat(300)}.`,
    '-1',
    'NULL',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const oddValue = fc.oneof({ weight: 3, arbitrary: oddText }, fc.jsonValue({ maxDepth: 2 }), fc.integer());
const oneOf = <T>(good: fc.Arbitrary<T>, odd: fc.Arbitrary<unknown> = oddValue) =>
  fc.oneof({ weight: 4, arbitrary: good as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd });
const oddRecord = fc.record(
  {
    content: oneOf(fc.constantFrom('192.0.2.1', '"text"', '10 mail.example.', 'host.example.', '\\# 1 00')),
    disabled: oneOf(fc.boolean()),
    priority: oddValue,
    'set-ptr': oneOf(fc.boolean()),
  },
  { requiredKeys: ['content'] },
);
const oddRrset = fc.record(
  {
    name: oneOf(fc.constantFrom(`www.${ZONE}`, ZONE, `x.${ZONE}`)),
    type: oneOf(
      fc.constantFrom(
        'A',
        'TXT',
        'MX',
        'CNAME',
        'NS',
        'SOA',
        'DS',
        'SRV',
        'ALIAS',
        'HTTPS',
        'NAPTR',
        'CAA',
        'LOC',
        'TYPE65400',
      ),
    ),
    changetype: oneOf(fc.constantFrom('REPLACE', 'DELETE', 'EXTEND', 'PRUNE')),
    ttl: oneOf(fc.constantFrom(0, 60, 2 ** 31)),
    records: oneOf(fc.array(oneOf(oddRecord), { maxLength: 3 })),
    comments: oddValue,
  },
  { requiredKeys: [] },
);
/** A right change, or one with a wrong value in one field. */
const nearlyRight = fc
  .record({
    change: anyChange,
    wrong: fc.constantFrom('', '', 'name', 'type', 'changetype', 'ttl', 'records'),
    odd: oddValue,
  })
  .map(({ change: { contents, ...change }, wrong, odd }) => {
    const rrset = { ...change, records: contents.map((content) => ({ content })) };
    return wrong === '' ? rrset : { ...rrset, [wrong]: odd };
  });
/** The body of a request. */
export const oddBody = fc.oneof(
  fc.record({ rrsets: fc.tuple(nearlyRight) }),
  fc.record({ rrsets: oneOf(fc.array(oneOf(oddRrset), { maxLength: 3 })) }),
  fc.record(
    {
      name: oneOf(fc.constantFrom('fuzz.example.', 'localhost.')),
      kind: oneOf(fc.constant('Slave')),
      rrsets: oneOf(fc.array(oddRrset)),
      zone: oddValue,
      nameservers: oddValue,
      masters: oddValue,
    },
    { requiredKeys: ['kind'] },
  ),
  oddValue,
);
const segment = oneOf(fc.constantFrom(ZONE, 'random.example', 'absent.example.'), oddText).map((text) =>
  encodeURIComponent(String(text).toWellFormed()),
);
type Method = Parameters<PowerDnsRequest>[0];
const anyMethod = fc.constantFrom<Method>('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD');
const anyPath = fc.oneof(
  fc
    .tuple(
      segment,
      fc.constantFrom(
        '',
        '/export',
        '/notify',
        '/rectify',
        '/cryptokeys',
        '/cryptokeys/1',
        '/metadata',
        '/metadata/X',
        '?rrset_name=%',
        '?rrset_name=a&rrset_type=',
      ),
    )
    .map(([zone, rest]) => `/zones/${zone}${rest}`),
  segment.map((text) => `/search-data?q=${text}&max=${text}&object_type=record`),
  segment.map((text) => `/search-data?q=${text}`),
  segment.map((text) => `/zones?zone=${text}`),
  segment.map((text) => `/${text}`),
);
export const oddRequest = fc.record({
  address: fc.oneof(
    { weight: 6, arbitrary: fc.constant<[Method, string]>(['PATCH', `/zones/${ZONE}`]) },
    { weight: 1, arbitrary: fc.constant<[Method, string]>(['POST', '/zones']) },
    { weight: 2, arbitrary: anyPath.map((path): [Method, string] => ['GET', path]) },
    { weight: 2, arbitrary: fc.tuple(anyMethod, anyPath) },
  ),
  body: fc.oneof(
    { weight: 6, arbitrary: oddBody.map((body) => JSON.stringify(body) ?? 'null') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '{', '[]', 'null', '{"rrsets":[', '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[['),
    },
  ),
  type: fc.oneof(
    { weight: 9, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'x') },
  ),
});
