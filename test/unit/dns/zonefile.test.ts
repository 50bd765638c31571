// Zone files (RFC 1035 section 5, RFC 2308 section 4): reading, and what of a file is refused, line by line.
import { expect, test } from 'vitest';
import { type ZoneFile, type ZoneFileContext, zoneFileSteps } from '#dns/zonefile/read.ts';
import { readZoneFile, writeZoneFile } from '../../support/dns/zone-file.ts';
import { ZONE } from './build.ts';

const read = (text: string, more: Partial<ZoneFileContext> = {}): ZoneFile =>
  readZoneFile(text, { zone: ZONE, defaultTtl: 3600, children: new Set(), ...more });

/** `www 60 A 192.0.2.1`; `-` stands for the zone's default TTL. */
const records = (file: ZoneFile) =>
  file.records.map(({ record: { name, ttl, type, rdata } }) => `${name} ${ttl ?? '-'} ${type} ${rdata}`);

function accepted(text: string, more: Partial<ZoneFileContext> = {}): string[] {
  const file = read(text, more);
  if (file.problems.length > 0) throw new Error(JSON.stringify(file.problems));
  return records(file);
}

test('owner names in a zone file are relative to $ORIGIN, which begins as the zone', () => {
  expect(
    accepted(`
www        IN A 192.0.2.1
@          IN A 192.0.2.2
a.example.com. IN A 192.0.2.3
$ORIGIN dev.example.com.
@          IN A 192.0.2.4
*          IN A 192.0.2.5
$ORIGIN deep
x          IN A 192.0.2.6
`),
  ).toEqual([
    'www - A 192.0.2.1',
    '@ - A 192.0.2.2',
    'a - A 192.0.2.3',
    'dev - A 192.0.2.4',
    '*.dev - A 192.0.2.5',
    'x.deep.dev - A 192.0.2.6',
  ]);
});

test('owner names in a zone file stay that of the line before where the line begins with a blank', () => {
  expect(accepted('www A 192.0.2.1\n\tA 192.0.2.2\n\n  AAAA 2001:db8::1\n')).toEqual([
    'www - A 192.0.2.1',
    'www - A 192.0.2.2',
    'www - AAAA 2001:db8::1',
  ]);
  expect(read(' A 192.0.2.1').problems).toEqual([{ line: 1, message: expect.stringContaining('no owner before') }]);
});

test('owner names in a zone file may spell characters by escapes, but none that a name may not have', () => {
  expect(accepted('\\095acme\\-x TXT t\n')).toEqual(['_acme-x - TXT "t"']);
  for (const owner of ['a\\.b', 'a\\046b', '\\@', 'a\\ b', 'a\\']) {
    expect(read(`${owner} A 192.0.2.1`).problems, owner).toHaveLength(1);
  }
});

test('owner names in a zone file outside of the zone are refused, and U-labels become A-labels', () => {
  expect(read('www.example.net. A 192.0.2.1').problems[0]?.message).toMatch(/^name: .*not in the zone/);
  expect(accepted('bücher A 192.0.2.1')).toEqual(['xn--bcher-kva - A 192.0.2.1']);
});

test('owner names in a zone file may look like a type, a class or a TTL', () => {
  expect(accepted('in IN A 192.0.2.1\na A 192.0.2.2\n1h 60 A 192.0.2.3\n')).toEqual([
    'in - A 192.0.2.1',
    'a - A 192.0.2.2',
    '1h 60 A 192.0.2.3',
  ]);
});

test('TTLs in a zone file come before or after the class, in seconds or with units', () => {
  expect(accepted('a 60 IN A 192.0.2.1\nb IN 1h30m A 192.0.2.1\nc 1D in a 192.0.2.1\nd A 192.0.2.1\n')).toEqual([
    'a 60 A 192.0.2.1',
    'b 5400 A 192.0.2.1',
    'c 86400 A 192.0.2.1',
    // RFC 1035 section 5.1: the TTL that was stated last.
    'd 86400 A 192.0.2.1',
  ]);
});

test('TTLs in a zone file that are omitted are that of $TTL, and null where that is the default of the zone', () => {
  expect(accepted('$TTL 300\na A 192.0.2.1\nb 60 A 192.0.2.1\nc A 192.0.2.1\n$TTL 1h\nd A 192.0.2.1\n')).toEqual([
    'a 300 A 192.0.2.1',
    'b 60 A 192.0.2.1',
    'c 300 A 192.0.2.1',
    'd - A 192.0.2.1',
  ]);
});

test('TTLs in a zone file that no record may have are refused', () => {
  expect(read('a 29 A 192.0.2.1').problems).toHaveLength(1);
  expect(read('a 2w A 192.0.2.1').problems).toHaveLength(1);
  expect(read('$TTL 5').problems).toHaveLength(1);
});

test('lines of a zone file continue between parentheses, over comments', () => {
  expect(
    accepted(
      'd DS ( 1 13 2 ; the tag\n  0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A ; half\n 0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A )\n',
    ),
  ).toEqual([`d - DS 1 13 2 ${'0a'.repeat(32)}`]);
});

test('lines of a zone file end with CR LF as well as with LF, and the last one without either', () => {
  expect(accepted('a A 192.0.2.1\r\n; comment\r\n\r\nb TXT "x"\r\nc A 192.0.2.3')).toEqual([
    'a - A 192.0.2.1',
    'b - TXT "x"',
    'c - A 192.0.2.3',
  ]);
});

test.each([
  ['a closing parenthesis too many', 'a A 192.0.2.1 )', 1],
  ['a parenthesis that stays open', 'x A 192.0.2.1\na A ( 192.0.2.1\n\n', 2],
  ['an open quote', 'a TXT "abc\nb A 192.0.2.1', 1],
  ['no type', 'a 60 IN', 1],
  ['no value', 'a IN A', 1],
  ['another class', 'a CH TXT x', 1],
  ['a type that is not accepted', 'a X25 x', 1],
  ['a wrong value of an old type', 'a HINFO x', 1],
  ['a wrong value', 'a SSHFP 1 1 00', 1],
  ['$INCLUDE', '$INCLUDE /etc/passwd', 1],
  ['$GENERATE', '$GENERATE 1-9 h$ A 192.0.2.$', 1],
  ['two values of an address', 'a A 192.0.2.1 192.0.2.2', 1],
  ['an SOA that is not at the apex', 'a SOA ns. host. 1 2 3 4 5', 1],
  ['a quoted owner', '"a" A 192.0.2.1', 1],
])('lines of a zone file with %s are refused', (_, text, line) => {
  expect(read(text).problems.map((problem) => problem.line)).toEqual([line]);
});

test('lines of a zone file that are wrong are not counted without end', () => {
  expect(read('a A 1\n'.repeat(5_000)).problems).toHaveLength(1_000);
});

test('lines of a zone file that are wrong are all named, in their order', () => {
  const file = read('a A 1\nb A 192.0.2.1\nc TXT "open\n( d A\n 3 )\n');
  expect(file.problems.map(({ line }) => line)).toEqual([1, 3, 4]);
  expect(records(file)).toEqual(['b - A 192.0.2.1']);
});

const MIB = 2 ** 20;
const REST = '\nb A 192.0.2.1\nc A wrong\n';
test.each([
  ['words', `c TXT ( ${'"" '.repeat(2.6 * MIB)})`, '64016 words'],
  ['characters of a word', `c TXT ${'x'.repeat(8 * MIB)}`, '272384 characters'],
  ['characters of a quoted string', `c TXT "${'x'.repeat(8 * MIB)}"`, '272384 characters'],
  ['blanks', `c TXT (${' '.repeat(8 * MIB)} x )`, '272384 characters'],
  ['lines between parentheses', `c TXT (${'\n'.repeat(8 * MIB)} x )`, '272384 characters'],
  ['parentheses', `c TXT ${'('.repeat(4 * MIB)} x ${')'.repeat(4 * MIB)}`, 'nested more than 8 deep'],
])('limits of one entry: %s: reading ends with the line and the limit, at once', (_, entry, limit) => {
  const text = Buffer.from(`a A 192.0.2.1\n${entry}${REST}`).toString();
  const started = process.cpuUsage();
  const file = read(text);
  const { user, system } = process.cpuUsage(started);
  expect(file.problems).toEqual([{ line: 2, message: expect.stringContaining(limit) }]);
  expect(records(file)).toEqual(['a - A 192.0.2.1']);
  // Reading all of it takes seconds.
  expect((user + system) / 1_000).toBeLessThan(1_500);
});

test('limits of one entry leave room for the largest record in each of its forms', () => {
  for (const [strings, octets] of [
    ['"" '.repeat(21_666), 21_666],
    ['"\\097" '.repeat(16_250), 32_500],
    [`"${'\\097'.repeat(255)}"\n`.repeat(250), 64_000],
  ] as const) {
    const file = read(`c 60 IN TXT ( ; a comment\n ${strings})\nd A 192.0.2.1\n`);
    expect([file.problems, file.records.map(({ record }) => record.wire.length)]).toEqual([[], [octets, 4]]);
  }
  expect(accepted(`c TXT ${'('.repeat(8)} x ${')'.repeat(8)}\n`)).toEqual(['c - TXT "x"']);
  expect(accepted(`; ${'x'.repeat(MIB)}\na A 192.0.2.1 ; ${'x'.repeat(200_000)}\n`)).toEqual(['a - A 192.0.2.1']);
});

test('limits of one entry hold for an origin that grows from line to line', () => {
  const file = read('$ORIGIN aaaaaaaaaa\n'.repeat(200));
  // "example.com." and 90 lines of 11 characters make 1,002.
  expect(file.problems[0]).toEqual({ line: 91, message: expect.stringContaining('1012') });
});

test('limits of one entry leave short steps: no line, comment or empty line holds up others for long', () => {
  const texts = ['\n'.repeat(4 * MIB), ';x\n'.repeat(2 * MIB), 'a A 192.0.2.1\n'.repeat(50_000)];
  for (const text of texts) {
    const steps = [...zoneFileSteps(text, { zone: ZONE, defaultTtl: 3600, children: new Set() })].length;
    expect(steps).toBeGreaterThanOrEqual(Math.floor(text.length / (66 * 1024)));
  }
});

test('values in a zone file may be in several lines, with names relative to $ORIGIN', () => {
  const text = `$ORIGIN dev.example.com.
a NAPTR ( 100 10 "s" "SIP+D2U" ; a comment
          "" _sip._udp )
a SVCB 1 @ ( port=443 )
a DNAME ( old )
a LOC ( 52 22 23 N
        4 53 32 E ) -2m
a CERT PGP 0 0 ( aGVs
                 bG8= )
a URI 10 1 "https://www.example.com/;x(y)"
a HINFO PC "Linux (6)"
a RP john\\.doe text.example.net.
a TYPE17 \\# 2 0000
a SPF "v=spf1" "-all"
a NULL \\# 2 ( ff
  ff )
`;
  const rp = '086a6f686e2e646f6503646576076578616d706c6503636f6d00047465787407 6578616d706c65036e657400'.replace(
    ' ',
    '',
  );
  expect(accepted(text)).toEqual(
    [
      'NAPTR 100 10 "s" "SIP+D2U" "" _sip._udp.dev.example.com.',
      'SVCB 1 dev.example.com. port=443',
      'DNAME old.dev.example.com.',
      'LOC 52 22 23.000 N 4 53 32.000 E -2.00m 1.00m 10000.00m 10.00m',
      'CERT 3 0 0 aGVsbG8=',
      'URI 10 1 "https://www.example.com/;x(y)"',
      'TYPE13 \\# 13 025043094c696e757820283629',
      `TYPE17 \\# ${rp.length / 2} ${rp}`,
      'TYPE17 \\# 2 0000',
      'TYPE99 \\# 12 06763d73706631042d616c6c',
      'TYPE10 \\# 2 ffff',
    ].map((each) => `a.dev - ${each}`),
  );
});

test('values in a zone file that are names are relative to $ORIGIN, but for the final dot', () => {
  expect(
    accepted(`
a CNAME b
c CNAME b.example.net.
d NS @
e MX 5 mail
f MX 0 .
_s._tcp SRV 1 2 3 host
_t._tcp SRV 1 2 3 .
g HTTPS 1 . alpn="h2,h3" port=8443
h HTTPS 0 svc
p PTR q
l ALIAS m
`),
  ).toEqual([
    'a - CNAME b.example.com.',
    'c - CNAME b.example.net.',
    'd - NS example.com.',
    'e - MX 5 mail.example.com.',
    'f - MX 0 .',
    '_s._tcp - SRV 1 2 3 host.example.com.',
    '_t._tcp - SRV 1 2 3 .',
    expect.stringMatching(/^g - HTTPS 1 \. alpn="?h2,h3"? port=8443$/),
    'h - HTTPS 0 svc.example.com.',
    'p - PTR q.example.com.',
    'l - ALIAS m.example.com.',
  ]);
});

test('values in a zone file that belong to TXT are one string each, quoted or not', () => {
  expect(
    accepted('a TXT one two\nb TXT "one two" "three;"\nc TXT a\\"b c\\;d \\065\nd TXT ""\ne TXT "x""y"\n'),
  ).toEqual([
    'a - TXT "one" "two"',
    'b - TXT "one two" "three;"',
    'c - TXT "a\\"b" "c;d" "A"',
    'd - TXT ""',
    'e - TXT "x" "y"',
  ]);
  expect(read('a TXT b"c d"').problems).toHaveLength(1);
});

test('records that the service makes itself are ignored: SOA and NS at the apex, DNSSEC, the delegation of hosted child zones', () => {
  const file = read(
    `@ 300 SOA ns1.example.net. h.example.net. ( 1 2 3 4 5 )
@ NS ns1.example.net.
@ DNSKEY 257 3 13 AAAA
a NSEC b.example.com. A RRSIG NSEC
a RRSIG A 13 3 60 20260101000000 20250101000000 1 example.com. AAAA
sub NS ns1.example.net.
sub DS 1 13 2 0a
a A 192.0.2.1
`,
    { children: new Set(['sub.example.com']) },
  );
  // The TTL that was stated last is still that of the SOA.
  expect([records(file), file.ignoredLines.length, file.problems]).toEqual([['a 300 A 192.0.2.1'], 7, []]);
});

test('an ignored record does not lose the owner of the next line', () => {
  expect(accepted('@ NS ns1.example.net.\n  A 192.0.2.1\n')).toEqual(['@ - A 192.0.2.1']);
});

test('a DS at the apex is not a record of the service itself, and is refused', () => {
  expect(read('@ DS 1 13 2 0a').problems).toHaveLength(1);
});

const text = writeZoneFile({
  zone: ZONE,
  defaultTtl: 3600,
  soa: 'ns1.example.net. hostmaster.example.net. 7 10800 3600 604800 60',
  nameservers: ['ns1.example.net'],
  children: [{ name: 'sub.example.com', ds: [`1 13 2 ${'0a'.repeat(32)}`], nameservers: ['ns1.example.net'] }],
  records: [
    { name: '@', type: 'ALIAS', rdata: 'lb.example.net.', ttl: 60 },
    { name: 'www', type: 'A', rdata: '192.0.2.1', ttl: null },
  ],
});

test('ALIAS is written as a comment, all else as records', () => {
  const lines = text.trimEnd().split('\n');
  expect(lines.filter((line) => !line.startsWith(';')).map((line) => line.replaceAll('\t', ' '))).toEqual([
    '$ORIGIN example.com.',
    '$TTL 3600',
    '@ 300 IN SOA ns1.example.net. hostmaster.example.net. 7 10800 3600 604800 60',
    '@ 3600 IN NS ns1.example.net.',
    'sub 3600 IN NS ns1.example.net.',
    `sub 3600 IN DS 1 13 2 ${'0a'.repeat(32)}`,
    'www IN A 192.0.2.1',
  ]);
  expect(lines.filter((line) => line.startsWith(';'))).toEqual([';zonestead: @\t60\tIN\tALIAS\tlb.example.net.']);
});

test('ALIAS is read from that comment', () => {
  expect(accepted(text, { children: new Set(['sub.example.com']) })).toEqual([
    '@ 60 ALIAS lb.example.net.',
    'www - A 192.0.2.1',
  ]);
});

test('ALIAS is not read from a comment in the middle of a line', () => {
  expect(accepted('a A 192.0.2.1 ;zonestead: b ALIAS x.example.net.\n')).toEqual(['a - A 192.0.2.1']);
});
