import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRecord } from '#dns/record.ts';
import { RECORD_TYPES } from '#dns/types/index.ts';
import { numberedContent, RARE_CONTENTS } from '../../support/dns/record-contents.ts';
import { effort } from '../../support/runner/seed.ts';
import { problemOf, record, ZONE } from './build.ts';

/** The length of each content, in characters. */
const LENGTH = 50_000;
/** Seconds of processor time, which a busy machine hardly lengthens. */
const MAX_S = 1;

const problem = (input: Parameters<typeof parseRecord>[0]) => problemOf(parseRecord(input, ZONE));

test('a record comes out canonical and ready to store', () => {
  expect(record({ name: '_acme-challenge.Dev', type: 'TXT', content: 'token', ttl: 60 })).toEqual({
    name: '_acme-challenge.dev',
    ordername: 'dev _acme-challenge',
    type: 'TXT',
    ttl: 60,
    content: 'token',
    rdata: '"token"',
    wire: Uint8Array.from([5, ...Buffer.from('token')]),
    target: null,
    priority: null,
  });
});

test.each([undefined, null])('a record leaves a ttl of %s to the zone', (ttl) => {
  expect(record({ name: '@', type: 'A', content: '192.0.2.1', ...(ttl === undefined ? {} : { ttl }) }).ttl).toBeNull();
});

test.each([30, 86_400])('a record may live %s seconds', (ttl) => {
  expect(record({ name: '@', type: 'A', content: '192.0.2.1', ttl }).ttl).toBe(ttl);
});

test.each([29, 86_401, 60.5, -60, Number.NaN])('a record may not live %s seconds', (ttl) => {
  expect(problem({ name: '@', type: 'A', content: '192.0.2.1', ttl })).toMatchObject({ field: 'ttl' });
});

test.each(['txt', '', 'TYPE65', 'ANY', 'toString'])(
  'a record with type %j is refused with the list of types',
  (type) => {
    const { field, message } = problem({ name: '@', type, content: 'x' });
    expect(field).toBe('type');
    expect(message).toContain(RECORD_TYPES.join(', '));
  },
);

test('a record with type SPF is refused with the type to use', () => {
  expect(problem({ name: '@', type: 'SPF', content: 'x' }).message).toContain('use TXT');
});

test.each(['SOA', 'DNSKEY', 'RRSIG', 'NSEC', 'NSEC3', 'CDS', 'CDNSKEY'])(
  'a record with type %s is the service’s own',
  (type) => {
    expect(problem({ name: '@', type, content: 'x' }).message).toMatch(/the service .* itself/);
  },
);

test('a record has a priority only with type MX', () => {
  expect(problem({ name: 'a', type: 'SRV', content: 'x', priority: 1 })).toMatchObject({ field: 'name' });
  expect(problem({ name: '_a._b', type: 'SRV', content: '1 2 3 a.b', priority: 1 })).toMatchObject({
    field: 'priority',
  });
  expect(record({ name: 'a', type: 'MX', content: 'a.b', priority: 0 }).priority).toBe(0);
});

test.each([
  ['CNAME', 'host.example.net', 'ALIAS'],
  ['NS', 'ns1.example.net', "service's own"],
  ['DS', `1 13 2 ${'ab'.repeat(32)}`, 'parent'],
])('a record with type %s is refused at the apex', (type, content, hint) => {
  const found = problem({ name: 'example.com.', type, content });
  expect(found.code).toBe('bad_request');
  expect(found.message).toContain(hint);
});

test.each([
  ['CNAME', 'WWW.example.com'],
  ['ALIAS', 'www.example.com.'],
  ['HTTPS', '0 www.example.com'],
  ['SVCB', '0 www.example.com'],
  ['DNAME', 'www.example.com'],
  ['DNAME', 'a.www.example.com'],
])('a record with type %s cannot point to itself', (type, content) => {
  expect(problem({ name: 'www', type, content })).toMatchObject({ code: 'bad_request', field: 'content' });
});

test.each([
  ['sub', 'NS', 'sub.example.com'],
  ['www', 'HTTPS', '1 www.example.com alpn=h2'],
  ['@', 'MX', 'example.com'],
  ['@', 'ALIAS', 'www.example.com'],
  ['@', 'DNAME', 'www.example.net'],
  ['www', 'DNAME', 'example.com'],
  ['_8443._https', 'SVCB', '1 _8443._https.example.com'],
])('a record at %s of type %s may point to %s', (name, type, content) => {
  expect(record({ name, type, content }).type).toBe(type);
});

test('a refusal is about the first field that is wrong: type, then name, ttl, content', () => {
  expect(problem({ name: '', type: 'X', content: '', ttl: 1 }).field).toBe('type');
  expect(problem({ name: '', type: 'A', content: '', ttl: 1 }).field).toBe('name');
  expect(problem({ name: 'a', type: 'A', content: '', ttl: 1 }).field).toBe('ttl');
  expect(problem({ name: 'a', type: 'A', content: '', ttl: 60 }).field).toBe('content');
});

const type = fc.constantFrom(...RECORD_TYPES, 'TYPE65280');
const noise = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('1', '.', ' ', '"', '\\', ',', '=', 'a', ':', 'alpn', 'key9', '\\000', 'é', ';', '0 issue '))
    .map((all) => all.join('')),
);

test('any input is judged without throwing, and a refusal is a short text', () => {
  fc.assert(
    fc.property(noise, type, noise, (name, kind, content) => {
      const verdict = parseRecord({ name, type: kind, content }, ZONE);
      if (!verdict.ok) expect(verdict.problem.message.length).toBeLessThan(500);
    }),
    { numRuns: effort(1_000, 200) },
  );
});

test('any input parses again from its content and from its RDATA to the same value', () => {
  fc.assert(
    fc.property(type, noise, (kind, content) => {
      const name = kind === 'SRV' || kind === 'TLSA' ? '_1._tcp' : 'x';
      const first = parseRecord({ name, type: kind, content }, ZONE);
      fc.pre(first.ok);
      if (!first.ok) return;
      const { content: again, rdata, wire, priority } = first.value;
      expect(record({ name, type: kind, content: again, priority })).toEqual(first.value);
      if (kind !== 'MX') expect(record({ name, type: kind, content: rdata }).wire).toEqual(wire);
    }),
    { numRuns: effort(300, 60), maxSkipsPerRun: 100 },
  );
});

test('any input parses again, also with a type that few zones have, to the same value', () => {
  const rare = fc.oneof(
    ...Object.entries(RARE_CONTENTS).map(([kind, contents]) => contents.map((content) => ({ type: kind, content }))),
    numberedContent,
  );
  fc.assert(
    fc.property(rare, (draft) => {
      const first = record({ name: 'x', ...draft });
      expect(record({ name: 'x', type: draft.type, content: first.content })).toEqual(first);
      expect(record({ name: 'x', type: draft.type, content: first.rdata }).wire).toEqual(first.wire);
    }),
    { numRuns: effort(500, 100) },
  );
});

// 140 texts take 0.02 s. A quadratic parser takes seconds for one of them.
test.each([...RECORD_TYPES, 'TYPE65280'])('any input costs %s no more than its length', (kind) => {
  const name = kind === 'SRV' || kind === 'TLSA' ? '_1._tcp' : 'x';
  const before = process.cpuUsage();
  for (const start of [
    '',
    '"',
    '1 . ',
    '1 . key9="',
    '1 . alpn=',
    '0 issue "',
    '1 2 3 ',
    '1 2 "" "" ',
    '\\# 9 ',
    '1 2 3 N ',
  ]) {
    for (const filler of [' ', '"', '\\', 'a', '1', '.', ':', ',', '"" ', '\\000', '-', 'a-', '=;', 'é']) {
      const content = start + filler.repeat(Math.floor(LENGTH / filler.length));
      const verdict = parseRecord({ name, type: kind, content }, ZONE);
      if (!verdict.ok) expect(verdict.problem.message.length).toBeLessThan(500);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1e6).toBeLessThan(MAX_S);
    }
  }
});
