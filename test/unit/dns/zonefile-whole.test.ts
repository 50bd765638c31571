// How the records of one zone file fit together: the lines at fault, and the limits of a whole file.
import { expect, test } from 'vitest';
import { checkZone, readZoneFile } from '../../support/dns/zone-file.ts';
import { effort } from '../../support/runner/seed.ts';
import { ZONE } from './build.ts';

const LINES = effort(40_000, 8_000);

const read = (text: string) => readZoneFile(text, { zone: ZONE, defaultTtl: 3600, children: new Set() });
const check = (text: string, children: { id: string; name: string }[] = []) =>
  checkZone(read(text).records, ZONE, children);

test('a whole zone is right in any order of its lines', () => {
  const lines = [
    'ns1.sub A 192.0.2.53',
    'ns2.sub A 192.0.2.54',
    `sub DS 1 13 2 ${'0a'.repeat(32)}`,
    'sub NS ns1.sub',
    'sub NS ns2.sub',
    'www CNAME a',
    'a A 192.0.2.1',
    'a MX 10 mail',
  ];
  expect(check(lines.join('\n'))).toEqual([]);
  expect(check(lines.reverse().join('\n'))).toEqual([]);
});

test('a whole zone with a value twice in a set has it once, from the first line, in any spelling and with any TTL (RFC 2181 section 5)', () => {
  const text = 'a 300 AAAA 2001:db8::1\nb A 192.0.2.1\nA 600 AAAA 2001:DB8:0::1\na AAAA 2001:db8::1';
  const { records, repeated, problems } = read(text);
  expect(records.map(({ line, record: { name, ttl } }) => [line, name, ttl])).toEqual([
    [1, 'a', 300],
    [2, 'b', expect.anything()],
  ]);
  expect(repeated).toEqual([
    { line: 3, earlier: 1 },
    { line: 4, earlier: 1 },
  ]);
  expect(problems).toEqual([]);
  expect(check(text)).toEqual([]);
});

test.each([
  ['a CNAME with other data (X1)', 'a CNAME b\na A 192.0.2.1\nb A 192.0.2.1', [1, 2]],
  ['two CNAMEs (X2)', 'a CNAME b\na CNAME c', [1, 2]],
  ['a loop (X4), or an alias that leads into it', 'a CNAME b\nb CNAME c\nc CNAME a\nd CNAME a', [1, 2, 3, 4]],
  ['an ALIAS with an address (X5)', '@ ALIAS b.example.net.\n@ A 192.0.2.1', [1, 2]],
  ['a null MX with another (RFC 7505)', 'a MX 0 .\na MX 10 b', [1, 2]],
  ['a DS without NS (X12)', `a DS 1 13 1 ${'0a'.repeat(20)}`, [1]],
  ['names below a cut (X13)', 'a NS ns.example.net.\nb.a A 192.0.2.1\nc.b.a TXT x', [2, 3]],
  ['data at a cut (X13)', 'a NS ns.example.net.\na TXT x', [2]],
  ['glue of no name server of the cut', 'a NS ns1.a\nns1.a A 192.0.2.1\nns2.a A 192.0.2.2', [3]],
  ['two HTTPS in alias form (X19)', 'a HTTPS 0 b\na HTTPS 0 c', [1, 2]],
])('a whole zone with %s is refused at the lines at fault', (_, text, lines) => {
  expect(check(text).map(({ line }) => line)).toEqual(lines);
});

test('a whole zone names the other line in place of an id', () => {
  expect(check('a CNAME b\na A 192.0.2.1')[1]?.message).toMatch(/^type: a has a CNAME record \(line 1\)/);
});

test('a whole zone holds nothing in a child zone that is hosted here (X15)', () => {
  const problems = check('x.sub A 192.0.2.1\nsub TXT x', [{ id: 'zone_1', name: 'sub.example.com' }]);
  expect(problems.map(({ line }) => line)).toEqual([1, 2]);
  expect(problems[0]?.message).toContain('zone_1');
});

test('a whole zone with a set too large for a DNS message is refused once (X18)', () => {
  const set = Array.from({ length: 5_000 }, (_, i) => `a A 10.0.${i >> 8}.${i & 255}`).join('\n');
  expect(check(`${set}\nb A 192.0.2.1`)).toEqual([{ line: 1, message: expect.stringContaining('5000 A records') }]);
});

test('a whole zone is judged in linear time, whether its records have many names or few', () => {
  const line = (name: string) => (_: unknown, i: number) =>
    `${name}${name === 'h' ? i : ''} A 10.0.${i >> 8}.${i & 255}`;
  const few = Array.from({ length: 5 }, (_, i) => Array.from({ length: LINES / 10 }, line(`name${i}`))).flat();
  const many = Array.from({ length: LINES / 2 }, line('h'));
  const started = process.cpuUsage();
  expect(check([...few, ...many].join('\n'))).toEqual([]);
  // Processor time of this process alone: the machine may be busy.
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1e6).toBeLessThan(30);
});

test('a whole zone has at most 100,000 records, even if the lines after them are ignored', () => {
  const full = `${Array.from({ length: 100_000 }, (_, at) => `a${at} A 192.0.2.1\n`).join('')}@ NS ns.example.net.\n`;
  expect(read(`${full}more A 192.0.2.1\nyet A 192.0.2.1`).problems).toEqual([
    { line: 100_002, message: expect.stringContaining('100000 records') },
  ]);
});
