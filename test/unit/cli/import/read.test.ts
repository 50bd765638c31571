// A source's zone: each line becomes a record, or is named with a reason.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ReadOptions, readSteps } from '#cli/import/read.ts';
import type { SourceZone } from '#cli/import/source.ts';
import { readCsv } from '#cli/import/sources/csv.ts';
import { readOctodns } from '#cli/import/sources/octodns.ts';
import { parseZoneFileSource } from '#cli/import/sources/zone-file.ts';

const ZONE = 'moved.example';

function read(source: SourceZone, options: Partial<ReadOptions> = {}) {
  const steps = readSteps(source, { defaultTtl: 3600, children: [], ...options });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
const file = (text: string, options: Partial<ReadOptions> = {}) =>
  read(parseZoneFileSource('old.zone', text, ZONE), options);
const csv = (text: string, columns = {}) => read(readCsv('records.csv', text, { zone: ZONE, columns }));
const yaml = (text: string) => read(readOctodns('moved.example.yaml', text, ZONE));

/** `www 300 A 192.0.2.1`; `-` stands for the default TTL of the zone. */
function shown({ records }: ReturnType<typeof read>): string[] {
  return records.map(({ record: { name, ttl, type, content, priority } }) =>
    [name, ttl ?? '-', type, ...(priority === null ? [] : [priority]), content].join(' '),
  );
}
const told = (remarks: readonly { place: string; message: string }[]) =>
  remarks.map(({ place, message }) => `${place}: ${message}`);

test('the record in which BIND keeps the state of its signatures is skipped at the zone itself', () => {
  const found = file('@ 0 IN TYPE65534 \\# 5 0d44d00001\nwww 60 TYPE65534 \\# 1 00\n');
  expect(shown(found)).toEqual(['www 60 TYPE65534 \\# 1 00']);
  expect(told(found.skipped)).toEqual(['line 1: BIND keeps the state of its signatures in this record.']);
  expect(told(found.notes)).toEqual([]);
});

test('a zone file names each omitted line with the reason', () => {
  const found = file(
    '@ 300 IN SOA ns1 host 1 2 3 4 5\n@ NS ns1\nwww 300 A 192.0.2.1\nWWW 300 A 192.0.2.1\na.elsewhere.example. A 192.0.2.2\n' +
      'lua LUA A "1"\nold TYPE65281 \\# 1 00\nwww CNAME mail\nmail A 300.0.0.1\n$INCLUDE more\n',
  );
  expect(shown(found)).toEqual(['old 300 TYPE65281 \\# 1 00']);
  expect(told(found.skipped)).toEqual([
    'line 1: The service makes this record itself.',
    'line 2: The service makes this record itself.',
    'line 4: The same record is in line 3.',
  ]);
  expect(told(found.refused)).toEqual([
    expect.stringMatching(/^line 3: .*CNAME/),
    expect.stringMatching(/^line 5: name: "a\.elsewhere\.example\." is not in the zone moved\.example/),
    expect.stringMatching(/^line 6: type: LUA is a program of PowerDNS; write/),
    expect.stringMatching(/^line 8: .*CNAME/),
    expect.stringMatching(/^line 9: content: .*300\.0\.0\.1/),
    expect.stringMatching(/^line 10: \$INCLUDE: .*write its records out/),
  ]);
});

test('a zone file with NSEC3 has a note about it, once', () => {
  const text = '@ IN NSEC3PARAM 1 0 0 -\n@ IN NSEC3PARAM 1 0 5 ab\nwww IN A 192.0.2.1\n';
  const { notes, skipped } = file(text);
  expect(notes).toEqual([{ place: 'line 1', message: expect.stringContaining('--denial NSEC3') }]);
  expect(skipped).toHaveLength(2);
});

test('a zone file skips types and names that the service cannot hold if it may, and still refuses broken lines', () => {
  const text = 'x.other. A 192.0.2.1\nq LUA A "1"\nz A 300.0.0.1\n';
  const found = file(text, { skipUnsupported: true });
  expect([found.skipped.length, told(found.refused)]).toEqual([2, [expect.stringMatching(/^line 3/)]]);
});

test('a zone file brings TTLs into the range of the service, and says so', () => {
  const found = file('$TTL 604800\na A 192.0.2.1\nb 1 A 192.0.2.1\nc 86400 A 192.0.2.1\n');
  expect(shown(found)).toEqual(['a 86400 A 192.0.2.1', 'b 30 A 192.0.2.1', 'c 86400 A 192.0.2.1']);
  expect(told(found.notes)).toEqual(['line 1: The TTL 604800 becomes 86400.', 'line 3: The TTL 1 becomes 30.']);
});

test('a zone file reads the automatic TTL of Cloudflare, and warns of names behind its proxy', () => {
  const text =
    ';; Domain:     moved.example.\nwww.moved.example.\t1\tIN\tA\t192.0.2.1 ; cf_tags=cf-proxied:true\n' +
    'mail.moved.example.\t1\tIN\tA\t192.0.2.2 ; cf_tags=cf-proxied:false\n';
  const found = file(text);
  expect(shown(found)).toEqual(['www 300 A 192.0.2.1', 'mail 300 A 192.0.2.2']);
  expect(found.notes.filter(({ message }) => message.includes('proxy')).map(({ place }) => place)).toEqual(['line 2']);
});

test('a zone file makes an ALIAS of a CNAME at the zone itself, and of ANAME', () => {
  const found = file('@ CNAME host.example.net.\nb ANAME host.example.net.\n');
  expect(shown(found)).toEqual(['@ - ALIAS host.example.net', 'b - ALIAS host.example.net']);
  expect(found.notes).toHaveLength(2);
});

test.each([
  ['$ORIGIN moved.example.\n@ SOA a b 1 2 3 4 5\n', ZONE],
  ['Moved.Example. 300 IN SOA a b 1 2 3 4 5\n', ZONE],
  ['$ORIGIN example.\nmoved A 192.0.2.1\n', 'example'],
])('a zone file names its zone by its SOA record or its first $ORIGIN: %j', (text, zone) => {
  expect(parseZoneFileSource('f', text).zone).toBe(zone);
});

test('a zone file asks for --zone if it does not name its zone', () => {
  expect(() => parseZoneFileSource('f', 'www A 192.0.2.1\n')).toThrow(
    'f: the file has neither $ORIGIN nor an absolute SOA',
  );
});

test('a CSV file has the columns of common providers', () => {
  const found = csv(
    'Type;Host;Points To;TTL;Priority;Comment\nA;@;192.0.2.1;1h;;web\nCNAME;www.moved.example;host.example.net;auto;;\n' +
      'MX;;mail.example.net;3600;5;\nTXT;@;v=spf1 -all;600;;\nSRV;_sip._tcp;1 2 5060 sip.example.net;600;;\nCNAME;x;www;;;\n',
  );
  expect(shown(found)).toEqual([
    '@ 3600 A 192.0.2.1',
    'www - CNAME host.example.net',
    '@ 3600 MX 5 mail.example.net',
    '@ 600 TXT "v=spf1 -all"',
    '_sip._tcp 600 SRV 1 2 5060 sip.example.net',
    'x - CNAME www.moved.example',
  ]);
  expect(found.records[0]?.comment).toBe('web');
});

test('a CSV file keeps quotes, backslashes, semicolons and long texts of TXT', () => {
  const long = 'k'.repeat(300);
  const found = csv(`name,type,value\na,TXT,"say ""x""; C:\\d"\nb,TXT,"""one"" ""two"""\nc,TXT,${long}\n`);
  expect(shown(found)).toEqual([
    'a - TXT "say \\"x\\"; C:\\\\d"',
    'b - TXT "one" "two"',
    `c - TXT "${long.slice(0, 255)}" "${long.slice(255)}"`,
  ]);
});

test('a CSV file refuses a value that a zone file would cut off', () => {
  const found = csv(
    'name,type,value\na,CAA,"0 issue ca.example; validationmethods=dns-01"\nb,A,"192.0.2.1 ( )"\nc,A,"1\n2"\n',
  );
  expect(shown(found)).toEqual([]);
  expect(told(found.refused)).toEqual(
    [2, 3, 4].map((line) => expect.stringMatching(new RegExp(`^line ${line}: content: .*outside of quotes`))),
  );
});

test('a CSV file names the accepted columns if one is missing, and takes other names', () => {
  expect(() => csv('a,b\nx,y\n')).toThrow(
    /records\.csv: line 1 has no column for the name; it has "a, b"\. Accepted names are name,/,
  );
  expect(shown(csv('a,b,c\nwww,A,192.0.2.1\n', { name: 'a', type: 'b', content: 'c' }))).toEqual(['www - A 192.0.2.1']);
  expect(() => csv('a,type,value\n', { name: 'q' })).toThrow('line 1 has no column "q"');
});

test('a file of octoDNS is not a file of Kubernetes objects, which is refused with the command for them', () => {
  const text = 'apiVersion: zonestead.dev/v1alpha1\nkind: DNSZone\n';
  const refusal = 'moved.example.yaml: the file has Kubernetes objects; apply them with kubectl apply -f';
  for (const objects of [text, `${text}---\n${text}`]) expect(() => yaml(objects)).toThrow(refusal);
});

test('a file of octoDNS has all types with values of several fields', () => {
  const found = yaml(`
'':
  - {type: MX, ttl: 600, values: [{exchange: mail.example.net., preference: 5}, {value: b.example.net., priority: 9}]}
  - {type: TXT, value: 'v=spf1\\; -all'}
  - {type: CAA, value: {flags: 0, tag: issue, value: ca.example}}
_sip._tcp: {type: SRV, value: {priority: 1, weight: 2, port: 3, target: sip.example.net.}}
h: {type: HTTPS, value: {svcpriority: 1, targetname: ., svcparams: {alpn: [h2, h3]}}}
k: {type: SSHFP, value: {algorithm: 4, fingerprint_type: 2, fingerprint: ${'ab'.repeat(32)}}}
n: {type: NAPTR, value: {order: 1, preference: 2, flags: S, service: SIP+D2U, regexp: '', replacement: a.example.net.}}
_443._tcp: {type: TLSA, value: {certificate_usage: 3, selector: 1, matching_type: 1, certificate_association_data: ${'cd'.repeat(32)}}}
u: {type: URI, value: {priority: 1, weight: 2, target: 'https://example.net/'}}
`);
  expect(found.refused).toEqual([]);
  expect(shown(found)).toEqual([
    '@ 600 MX 5 mail.example.net',
    '@ 600 MX 9 b.example.net',
    '@ 3600 TXT "v=spf1; -all"',
    '@ 3600 CAA 0 issue "ca.example"',
    '_sip._tcp 3600 SRV 1 2 3 sip.example.net',
    'h 3600 HTTPS 1 . alpn="h2,h3"',
    `k 3600 SSHFP 4 2 ${'ab'.repeat(32)}`,
    'n 3600 NAPTR 1 2 "S" "SIP+D2U" "" a.example.net',
    `_443._tcp 3600 TLSA 3 1 1 ${'cd'.repeat(32)}`,
    'u 3600 URI 1 2 "https://example.net/"',
  ]);
});

test('a file of octoDNS names the line of a broken record, and tells about pools', () => {
  const found = yaml('a:\n  type: A\nb: 7\nc:\n  type: A\n  value: 192.0.2.1\n  dynamic: {pools: {}}\n');
  expect(told(found.refused)).toEqual([
    'line 2: content: The record has no value.',
    expect.stringMatching(/^line 3: "b" is not a record/),
  ]);
  expect(told(found.notes)).toEqual([expect.stringMatching(/^line 5: The record has pools or regions/)]);
});

test.each(['- a\n', 'a: [\n'])('a file of octoDNS says that %j is not a zone list', (text) => {
  expect(() => yaml(text)).toThrow(/^moved\.example\.yaml: the file is not/);
});

const places = ({ records, skipped, refused }: ReturnType<typeof read>) =>
  [...records, ...skipped, ...refused].map(({ place }) => place);
const word = fc.constantFrom(
  'www',
  '@',
  'A',
  'MX',
  'TXT',
  'CNAME',
  '192.0.2.1',
  '10',
  'x.',
  '"',
  '(',
  ')',
  ';',
  '\\',
  '"a b"',
  'IN',
  'é',
  '$TTL',
);

test('any text has each row of a CSV file in exactly one list', () => {
  // A cell without quotes and line breaks is one field, so each row is one record.
  const cell = fc.array(word, { maxLength: 4 }).map((words) => words.join(' ').replace(/["\n,]/g, ''));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }), (rows) => {
      const filled = rows.map(([name, type, value]) => `${name || 'n'},${type || 'A'},${value || '1'}`);
      const found = csv(`name,type,value\n${filled.join('\n')}\n`);
      expect(places(found).sort()).toEqual(filled.map((_, at) => `line ${at + 2}`).sort());
    }),
  );
});

test('any text has each line of a zone file with one record in exactly one list', () => {
  const line = fc
    .array(word, { minLength: 1, maxLength: 6 })
    .map((words) => `n ${words.join(' ').replace(/[;()"$\\]/g, '')}`);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      expect(places(file(`${lines.join('\n')}\n`)).sort()).toEqual(lines.map((_, at) => `line ${at + 1}`).sort());
    }),
  );
});

test('any text never fails in another way than by an error with a text', () => {
  const text = fc.oneof(
    fc.string(),
    fc.array(word).map((words) => words.join(' ')),
    fc.array(word).map((words) => words.join('\n')),
  );
  fc.assert(
    fc.property(text, (any) => {
      file(any);
      for (const reader of [csv, yaml]) {
        try {
          reader(any);
        } catch (error) {
          expect((error as Error).message).toMatch(/^(records\.csv|moved\.example\.yaml): /);
        }
      }
    }),
  );
});
