// Values of every record type, with awkward contents, as canonical text.
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import type { ServedSet } from '#dns/served.ts';
import { parseRdata, type RecordType } from '#dns/types/index.ts';
import type { NamedType } from '#dns/types/record-type.ts';
import { numberedContent, RARE_CONTENTS } from './record-contents.ts';

/** The canonical text of a content as users write it. @throws if the service refuses it */
export function canonical(type: RecordType, content: string, priority: number | null = null): string {
  const parsed = parseRdata(type, content, priority);
  if (!parsed.ok) throw new Error(`${type} ${content.slice(0, 80)}: ${parsed.problem.message}`);
  return parsed.value.rdata;
}

export function servedSet(name: string, type: RecordType, contents: readonly string[], ttl = 300): ServedSet {
  return { name, type, ttl, rdata: contents.map((content) => canonical(type, content)).sort() };
}

/** A text with the given octets, in quotes. */
export function quotedOctets(octets: Iterable<number>): string {
  return `"${[...octets].map((octet) => `\\${String(octet).padStart(3, '0')}`).join('')}"`;
}

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/).filter((text) => !text.startsWith('xn--'));
const host = fc
  .tuple(label, label, fc.constantFrom('example', 'test'))
  .map((labels) => labels.join('.'))
  .filter((name) => !/^[0-9.]+$/.test(name));
const octets = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });
const hex = (length: number) => octets(length, length).map((some) => Buffer.from(some).toString('hex'));
const uint16 = fc.nat(65_535);
const ipv6 = octets(16, 16).map((some) =>
  [0, 2, 4, 6, 8, 10, 12, 14].map((at) => ((some[at]! << 8) | some[at + 1]!).toString(16)).join(':'),
);
const ipv4 = octets(4, 4).map((some) => some.join('.'));
const text = fc.array(octets(0, 300).map(quotedOctets), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
const protocol = fc.stringMatching(/^[!-~]{1,12}$/).filter((id) => !id.includes('"'));
const parameters = fc
  .record(
    {
      alpn: fc.array(protocol, { minLength: 1, maxLength: 3 }).map((ids) => {
        const list = Buffer.from(ids.map((id) => id.replace(/[,\\]/g, '\\$&')).join(','));
        return `alpn=${quotedOctets(list)}`;
      }),
      port: uint16.map((port) => `port=${port}`),
      ipv4hint: fc.array(ipv4, { minLength: 1, maxLength: 3 }).map((list) => `ipv4hint=${list.join(',')}`),
      ipv6hint: fc.array(ipv6, { minLength: 1, maxLength: 3 }).map((list) => `ipv6hint=${list.join(',')}`),
      ech: octets(1, 60).map((some) => `ech=${Buffer.from(some).toString('base64')}`),
      key: octets(0, 60).map((some) => `key4711=${quotedOctets(some)}`),
    },
    { requiredKeys: [] },
  )
  .map((chosen) => Object.values(chosen).join(' '));

const service = fc
  .tuple(fc.integer({ min: 1, max: 65_535 }), fc.oneof(host, fc.constant('.')), parameters)
  .map((parts) => parts.join(' '));

const CONTENTS: Readonly<Record<Exclude<NamedType, 'ALIAS' | 'MX'>, fc.Arbitrary<string>>> = {
  ...RARE_CONTENTS,
  A: ipv4,
  AAAA: ipv6,
  CAA: fc
    .tuple(
      fc.nat(1).map((bit) => bit * 128),
      fc.constantFrom('issue', 'issuewild', 'issuemail'),
      host,
    )
    .map(([flags, tag, domain]) => `${flags} ${tag} "${domain}; account=\\"1\\""`),
  CNAME: host,
  DS: fc.tuple(uint16, hex(32)).map(([tag, digest]) => `${tag} 13 2 ${digest}`),
  HTTPS: service,
  SVCB: service,
  NS: host,
  PTR: host,
  SRV: fc.tuple(uint16, uint16, uint16, host).map((parts) => parts.join(' ')),
  TLSA: fc.tuple(fc.nat(3), fc.nat(1), hex(32)).map(([usage, selector, digest]) => `${usage} ${selector} 1 ${digest}`),
  TXT: text,
};

/** A type and the canonical text of one of its values. */
export const typedRdata: fc.Arbitrary<{ type: string; text: string }> = fc.oneof(
  fc.tuple(fc.nat(65_535), host).map(([priority, name]) => ({ type: 'MX', text: canonical('MX', name, priority) })),
  numberedContent.map(({ type, content }) => ({ type, text: canonical(type, content) })),
  ...Object.entries(CONTENTS).map(([type, content]) =>
    content
      .filter((some) => parseRdata(type as RecordType, some, null).ok)
      .map((some) => ({ type, text: canonical(type as RecordType, some) })),
  ),
);
