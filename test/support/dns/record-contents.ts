// Contents of the record types that zone files rarely have, as users write them, for tests of all values.
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import type { GenericType, NamedType } from '#dns/types/record-type.ts';

const octets = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength });
const arbitraryHex = (length: number) => octets(length).map((some) => Buffer.from(some).toString('hex'));
const base64 = (some: Uint8Array) => Buffer.from(some).toString('base64');
const uint16 = fc.nat(65_535);
const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/).filter((text) => !/^..--/.test(text));
const host = fc.tuple(label, label).map(([one, two]) => `_${one}.${two}.example.`);
/** A character string with octets of all kinds. */
const string = octets(0, 40).map(
  (some) => `"${Array.from(some, (octet) => `\\${String(octet).padStart(3, '0')}`).join('')}"`,
);
const metres = (most: number) => fc.nat(most).map((centimetres) => `${(centimetres / 100).toFixed(2)}m`);
const angle = (most: number, signs: string) =>
  fc
    .tuple(fc.nat(most - 1), fc.nat(59), fc.nat(59_999), fc.constantFrom(...signs))
    .map(
      ([degrees, minutes, thousandths, sign]) => `${degrees} ${minutes} ${(thousandths / 1_000).toFixed(3)} ${sign}`,
    );

type Rare = Extract<
  NamedType,
  'CERT' | 'DHCID' | 'DNAME' | 'LOC' | 'NAPTR' | 'OPENPGPKEY' | 'SMIMEA' | 'SSHFP' | 'SVCB' | 'URI'
>;

export const RARE_CONTENTS: Readonly<Record<Rare, fc.Arbitrary<string>>> = {
  CERT: fc
    .tuple(fc.integer({ min: 1, max: 65_534 }), uint16, fc.nat(255), octets(1, 60))
    .map(([type, tag, algorithm, certificate]) => `${type} ${tag} ${algorithm} ${base64(certificate)}`),
  DHCID: fc.tuple(fc.nat(2), octets(32)).map(([type, digest]) => base64(Uint8Array.of(0, type, 1, ...digest))),
  DNAME: host,
  LOC: fc
    .tuple(
      angle(90, 'NS'),
      angle(180, 'EW'),
      fc.integer({ min: -10_000_000, max: 2 ** 32 - 1 - 10_000_000 }),
      metres(9e9),
    )
    .map(([latitude, longitude, height, size]) => `${latitude} ${longitude} ${(height / 100).toFixed(2)}m ${size}`),
  NAPTR: fc.oneof(
    fc
      .tuple(uint16, uint16, fc.constantFrom('', 's', 'U', 'a1'), string, host)
      .map(([order, preference, flags, services, name]) => `${order} ${preference} "${flags}" ${services} "" ${name}`),
    fc
      .tuple(uint16, uint16, string)
      .map(([order, preference, text]) => `${order} ${preference} "u" "E2U+sip" ${text} .`),
  ),
  OPENPGPKEY: octets(0, 80).map((some) => base64(Uint8Array.of(0x99, ...some))),
  SMIMEA: fc
    .tuple(fc.nat(3), fc.nat(1), arbitraryHex(64))
    .map(([usage, selector, digest]) => `${usage} ${selector} 2 ${digest}`),
  SSHFP: fc
    .tuple(fc.integer({ min: 1, max: 255 }), arbitraryHex(32))
    .map(([algorithm, digest]) => `${algorithm} 2 ${digest}`),
  SVCB: fc.oneof(
    host.map((name) => `0 ${name}`),
    fc
      .tuple(fc.integer({ min: 1, max: 65_535 }), fc.oneof(host, fc.constant('.')), uint16, string)
      .map(([priority, name, port, value]) => `${priority} ${name} alpn="dot,h2" port=${port} key4711=${value}`),
  ),
  URI: fc
    .tuple(uint16, uint16, label, fc.stringMatching(/^[!#-;=?-[\]_a-z~]{0,80}$/))
    .map(([priority, weight, scheme, rest]) => `${priority} ${weight} "${scheme}:/${rest}"`),
};

const pieces = (...parts: fc.Arbitrary<Uint8Array>[]) => fc.tuple(...parts).map((some) => Buffer.concat(some));
const two = octets(2);
const characters = octets(0, 40).map((some) => Uint8Array.of(some.length, ...some));
/** A name with octets that a zone file escapes. */
const name = fc
  .array(octets(1, 12), { maxLength: 3 })
  .map((labels) => Buffer.concat([...labels.map((each) => Buffer.of(each.length, ...each)), Buffer.of(0)]));

/** Octets of types that Knot shows in their own forms. */
const OLD: Readonly<Record<number, fc.Arbitrary<Uint8Array>>> = {
  10: octets(1, 20),
  13: pieces(characters, characters),
  14: pieces(name, name),
  17: pieces(name, name),
  18: pieces(two, name),
  21: pieces(two, name),
  36: pieces(two, name),
  99: fc.array(characters, { minLength: 1, maxLength: 3 }).map((some) => Buffer.concat(some)),
  104: octets(10),
  105: octets(6),
  106: octets(10),
  107: pieces(two, name),
  108: octets(6),
  109: octets(8),
};

/** A type by its number, and RDATA in generic form. */
export const numberedContent: fc.Arbitrary<{ type: GenericType; content: string }> = fc
  .oneof(
    fc.tuple(fc.integer({ min: 65_280, max: 65_400 }), octets(0, 80)),
    ...Object.entries(OLD).map(([number, some]) => some.map((each): [number, Uint8Array] => [Number(number), each])),
  )
  .map(([number, some]) => ({
    type: `TYPE${number}`,
    content: some.length === 0 ? '\\# 0' : `\\# ${some.length} ${Buffer.from(some).toString('hex')}`,
  }));
