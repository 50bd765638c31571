// For all types: every record that the service accepts can be written as a zone file and read back as the same record.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ParsedRecord, parseRecord } from '#dns/record.ts';
import { RECORD_TYPES } from '#dns/types/index.ts';
import type { NamedType } from '#dns/types/record-type.ts';
import { recordKey } from '#dns/zonefile/read.ts';
import { numberedContent, RARE_CONTENTS } from '../../support/dns/record-contents.ts';
import { readZoneFile, writeZoneFile } from '../../support/dns/zone-file.ts';
import { effort } from '../../support/runner/seed.ts';
import { hex, ZONE } from './build.ts';

const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9_-]{0,8}[a-z0-9])?$/);
const hostLabel = fc
  .stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,8}[a-z0-9])?$/)
  .filter((text) => !/^xn--|^..--/.test(text));
const host = fc
  .array(hostLabel, { minLength: 1, maxLength: 3 })
  .map((labels) => `${labels.join('.')}.example${labels.length}.`)
  .filter((name) => !/^[0-9.]+$/.test(name));
const u8 = fc.nat(255);
const u16 = fc.nat(65_535);
const ipv4 = fc.tuple(u8, u8, u8, u8).map((octets) => octets.join('.'));
const ipv6 = fc.array(u16, { minLength: 8, maxLength: 8 }).map((groups) => groups.map((g) => g.toString(16)).join(':'));
const hexOf = (octets: number) =>
  fc.uint8Array({ minLength: octets, maxLength: octets }).map((bytes) => Buffer.from(bytes).toString('hex'));
const quoted = (maxLength: number) =>
  fc
    .uint8Array({ maxLength })
    .map(
      (bytes) =>
        `"${Array.from(bytes, (b) => (b > 34 && b < 127 && b !== 92 ? String.fromCharCode(b) : `\\${String(b).padStart(3, '0')}`)).join('')}"`,
    );
const alpn = fc.uniqueArray(fc.stringMatching(/^[!-~]{1,8}$/), { minLength: 1, maxLength: 3 });

interface Draft {
  name?: string;
  content: string;
  priority?: number;
}

const rare = (type: keyof typeof RARE_CONTENTS) => RARE_CONTENTS[type].map((content): Draft => ({ content }));

const CONTENTS: Readonly<Record<NamedType, fc.Arbitrary<Draft>>> = {
  CERT: rare('CERT'),
  DHCID: rare('DHCID'),
  DNAME: rare('DNAME'),
  LOC: rare('LOC'),
  NAPTR: rare('NAPTR'),
  OPENPGPKEY: rare('OPENPGPKEY'),
  SMIMEA: rare('SMIMEA'),
  SSHFP: rare('SSHFP'),
  SVCB: rare('SVCB'),
  URI: rare('URI'),
  A: ipv4.map((content) => ({ content })),
  AAAA: ipv6.map((content) => ({ content })),
  ALIAS: host.map((content) => ({ content })),
  CAA: fc.oneof(
    host.map((name) => ({ content: `0 issue "${name.slice(0, -1)}; a=b"` })),
    fc.constant({ content: '128 issuewild ";"' }),
    quoted(60).map((value) => ({ content: `0 x9 ${value}` })),
  ),
  CNAME: host.map((content) => ({ content })),
  DS: fc.tuple(u16, hexOf(32)).map(([tag, digest]) => ({ content: `${tag} 13 2 ${digest}` })),
  HTTPS: fc.oneof(
    host.map((name) => ({ content: `0 ${name}` })),
    fc
      .tuple(fc.integer({ min: 1, max: 65_535 }), fc.oneof(host, fc.constant('.')), alpn, u16, quoted(40), ipv4)
      .map(([priority, target, ids, port, value, hint]) => {
        const list = ids.map((id) => id.replace(/[\\,]/g, '\\$&').replace(/[\\"]/g, '\\$&')).join(',');
        return { content: `${priority} ${target} alpn="${list}" port=${port} ipv4hint=${hint} key4711=${value}` };
      }),
    fc.constant({ content: '1 . mandatory=port port=1 key23=""' }),
  ),
  MX: fc.oneof(
    fc.tuple(host, u16).map(([content, priority]) => ({ content, priority })),
    fc.constant({ content: '.', priority: 0 }),
  ),
  NS: host.map((content) => ({ name: 'cut', content })),
  PTR: host.map((content) => ({ content })),
  SRV: fc
    .tuple(u16, u16, u16, fc.oneof(host, fc.constant('.')))
    .map(([a, b, c, target]) => ({ name: '_sip._tcp', content: `${a} ${b} ${c} ${target}` })),
  TLSA: hexOf(32).map((data) => ({ name: '_443._tcp', content: `3 1 1 ${data}` })),
  TXT: fc.oneof(
    fc.array(quoted(300), { minLength: 1, maxLength: 4 }).map((strings) => ({ content: strings.join(' ') })),
    fc.stringMatching(/^[!#-[\]-~][ !#-[\]-~é]{0,300}$/).map((text) => ({ content: text.trim() })),
  ),
};

const name = fc.oneof(
  fc.constant('@'),
  fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.')),
  label.map((text) => `*.${text}`),
);
const ttl = fc.oneof(fc.constant(null), fc.constant(3600), fc.integer({ min: 30, max: 86_400 }));

const draft = fc
  .constantFrom(...RECORD_TYPES, null)
  .chain(
    (type): fc.Arbitrary<Draft & { type: string }> =>
      type === null ? numberedContent : CONTENTS[type].map((content) => ({ type, ...content })),
  );

const record: fc.Arbitrary<ParsedRecord> = fc
  .tuple(draft, name, ttl)
  .map(([{ type, ...draft }, owner, seconds]) => {
    const prefix =
      draft.name === undefined
        ? owner
        : owner === '@' || type === 'NS'
          ? draft.name
          : `${draft.name}.${owner.replace('*.', '')}`;
    return parseRecord({ type, name: prefix, content: draft.content, priority: draft.priority, ttl: seconds }, ZONE);
  })
  // This test is not about records that the rules of single records refuse (a CNAME at the apex).
  .filter((verdict) => verdict.ok)
  .map((verdict) => (verdict as { ok: true; value: ParsedRecord }).value);

const essence = ({ name: owner, type, ttl: seconds, priority, wire, rdata }: ParsedRecord) =>
  `${owner} ${seconds} ${type} ${priority} ${hex(wire)} ${rdata}`;

test('writing and reading a zone file is identity, for records of all types', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.uniqueArray(record, { minLength: 1, maxLength: 30, selector: recordKey }),
      fc.integer({ min: 30, max: 86_400 }),
      (records, defaultTtl) => {
        for (const { type } of records) seen.add(type.startsWith('TYPE') ? 'TYPEn' : type);
        const soa = 'ns1.example.net. hostmaster.example.net. 7 10800 3600 604800 60';
        const text = writeZoneFile({
          zone: ZONE,
          defaultTtl,
          soa,
          nameservers: ['ns1.example.net'],
          children: [],
          records,
        });
        const file = readZoneFile(text, { zone: ZONE, defaultTtl, children: new Set() });
        expect(file.problems).toEqual([]);
        expect(file.ignoredLines).toHaveLength(2);
        expect(file.records.map(({ record: read }) => essence(read))).toEqual(records.map(essence));
        // Any blank may as well be a line between parentheses.
        const spread = text.replace(
          /^([^$;"\n]+?)\tIN\t([^"\n]*)$/gm,
          (_, head, rest) => `${head}\tIN ( ; why not\n ${rest.replaceAll(' ', '\n\t ')} )`,
        );
        const again = readZoneFile(spread, { zone: ZONE, defaultTtl, children: new Set() });
        expect(again.problems).toEqual([]);
        expect(again.records.map(({ record: read }) => essence(read))).toEqual(records.map(essence));
      },
    ),
    { numRuns: effort(150, 40) },
  );
  expect([...seen].sort()).toEqual([...RECORD_TYPES, 'TYPEn'].sort());
});

test('no text makes the reader fail, and each problem names a line of the text', () => {
  const word = fc.oneof(
    fc.constantFrom(
      '(',
      ')',
      '"',
      ';',
      '\\',
      '\n',
      '\r\n',
      ' ',
      '\t',
      '@',
      '$TTL',
      '$ORIGIN',
      'IN',
      'A',
      'TXT',
      '60',
      '1h',
      ';zonestead:',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) => {
      const text = words.join('');
      const { problems, records } = readZoneFile(text, { zone: ZONE, defaultTtl: 60, children: new Set() });
      const lines = text.split('\n').length;
      for (const { line } of [...problems, ...records]) expect(line >= 1 && line <= lines).toBe(true);
    }),
    { numRuns: effort(500, 100) },
  );
});
