/**
 * CERT: a certificate or revocation list (RFC 4398 section 2). Type and algorithm may be written with their mnemonics;
 * they are returned as numbers, which every program reads.
 */
import { accept, refuse, type Verdict } from '../verdict.ts';
import { concat, uint16 } from '../wire/octets.ts';
import { base64, number } from './content-fields.ts';
import { defineType } from './define.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';
import { fields, parseBase64, parseUint } from './tokens.ts';

const SYNTAX = 'type keytag algorithm certificate';
/** RFC 4398 section 2.1. */
const TYPES: ReadonlyMap<string, number> = new Map([
  ['PKIX', 1],
  ['SPKI', 2],
  ['PGP', 3],
  ['IPKIX', 4],
  ['ISPKI', 5],
  ['IPGP', 6],
  ['ACPKIX', 7],
  ['IACPKIX', 8],
  ['URI', 253],
  ['OID', 254],
]);

/** Mnemonics of DNSSEC algorithms (IANA, DNS Security Algorithm Numbers). */
const ALGORITHMS: ReadonlyMap<string, number> = new Map([
  ['RSAMD5', 1],
  ['DH', 2],
  ['DSA', 3],
  ['RSASHA1', 5],
  ['DSA-NSEC3-SHA1', 6],
  ['RSASHA1-NSEC3-SHA1', 7],
  ['RSASHA256', 8],
  ['RSASHA512', 10],
  ['ECC-GOST', 12],
  ['ECDSAP256SHA256', 13],
  ['ECDSAP384SHA384', 14],
  ['ED25519', 15],
  ['ED448', 16],
  ['INDIRECT', 252],
  ['PRIVATEDNS', 253],
  ['PRIVATEOID', 254],
]);

export const CERT = defineType({
  number: 37,
  layout: ['number', 'number', 'octet', 'base64'],
  syntax: SYNTAX,
  form: 'type, key tag, algorithm, certificate in base64',
  example: 'PKIX 0 0 MIIBIjANBgkqhkiG',
  fields: [
    {
      name: 'type',
      label: 'Certificate type',
      example: '1',
      choices: [
        ['1', 'PKIX: X.509'],
        ['2', 'SPKI'],
        ['3', 'PGP'],
        ['253', 'URI'],
        ['254', 'OID'],
      ],
    },
    number('keytag', 'Key tag'),
    number('algorithm', 'Algorithm'),
    base64('certificate', 'Certificate'),
  ],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const [first = '', second = '', third = '', ...rest] = fields(content);
  if (rest.length === 0) {
    return refuse('content', `A CERT record is "${SYNTAX}", for instance "PKIX 0 0 <base64>" or "1 0 0 <base64>".`);
  }
  const type = parseMnemonic(first, TYPES, 65_535, 'certificate type');
  if (!type.ok) return type;
  if (type.value === 0 || type.value === 65_535) {
    return refuse(
      'content',
      `Certificate type ${type.value} is reserved; use that of the certificate, such as 1 (PKIX).`,
    );
  }
  const tag = parseUint(second, 65_535, 'key tag');
  if (!tag.ok) return tag;
  const algorithm = parseMnemonic(third, ALGORITHMS, 255, 'algorithm');
  if (!algorithm.ok) return algorithm;
  const certificate = parseBase64(rest.join(''), 'certificate');
  if (!certificate.ok) return certificate;
  const text = `${type.value} ${tag.value} ${algorithm.value} ${certificate.value.toString('base64')}`;
  const head = [uint16(type.value), uint16(tag.value), Uint8Array.of(algorithm.value)];
  return accept(plainRdata(text, text, concat([...head, certificate.value])));
}

function parseMnemonic(text: string, names: ReadonlyMap<string, number>, max: number, what: string): Verdict<number> {
  const knownNumber = names.get(text.toUpperCase());
  return knownNumber === undefined ? parseUint(text, max, what) : accept(knownNumber);
}
