/**
 * DS: the digest of a child zone's key (RFC 4034 section 5). The parser checks the digest's length.
 */
import { Buffer } from 'node:buffer';
import { accept, refuse, type Verdict } from '../verdict.ts';
import { concat, uint16 } from '../wire/octets.ts';
import { hexField, number } from './content-fields.ts';
import { defineType } from './define.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';
import { fields, parseHex, parseUint } from './tokens.ts';

const SYNTAX = 'keytag algorithm digesttype digest';
/**
 * Hex digits by digest type, from the registry "Digest Algorithms" for DS: SHA-1, SHA-256, GOST R 34.11-94, SHA-384,
 * GOST R 34.11-2012, SM3. Types that are not assigned are taken with any length: validators skip them (RFC 4509 section
 * 3).
 */
const DIGEST_LENGTH: ReadonlyMap<number, number> = new Map([
  [1, 40],
  [2, 64],
  [3, 64],
  [4, 96],
  [5, 64],
  [6, 64],
]);

export const DS = defineType({
  number: 43,
  layout: ['number', 'octet', 'octet', 'hex'],
  syntax: SYNTAX,
  form: 'key tag, algorithm, digest type, digest',
  example: '14301 13 2 e2d3c916f6deeac73294e8268fb5885044a833fc5459588f4a9184cfc41a5766',
  fields: [
    number('keytag', 'Key tag'),
    {
      name: 'algorithm',
      label: 'Algorithm',
      choices: [
        ['13', 'ECDSA P-256 with SHA-256'],
        ['8', 'RSA with SHA-256'],
        ['10', 'RSA with SHA-512'],
        ['14', 'ECDSA P-384 with SHA-384'],
        ['15', 'Ed25519'],
        ['16', 'Ed448'],
      ],
    },
    {
      name: 'digesttype',
      label: 'Digest type',
      choices: [
        ['2', 'SHA-256'],
        ['4', 'SHA-384'],
        ['1', 'SHA-1'],
      ],
    },
    hexField('digest', 'Digest'),
  ],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const [first = '', second = '', third = '', ...digits] = fields(content);
  if (digits.length === 0) {
    return refuse('content', `A DS record is "${SYNTAX}", for instance "12345 13 2 <64 hex digits>".`);
  }
  const tag = parseUint(first, 65_535, 'key tag');
  if (!tag.ok) return tag;
  const algorithm = parseUint(second, 255, 'algorithm');
  if (!algorithm.ok) return algorithm;
  const digestType = parseUint(third, 255, 'digest type');
  if (!digestType.ok) return digestType;
  // RFC 8078 section 4 reserves both zeros for CDS ("delete the DS"); no key and no digest has them.
  if (algorithm.value === 0)
    return refuse('content', "Algorithm 0 is reserved; use that of the child's key, such as 13.");
  if (digestType.value === 0) return refuse('content', 'Digest type 0 is reserved; use 2 (SHA-256) or 4 (SHA-384).');
  const digest = parseHex(digits.join(''), 'digest');
  if (!digest.ok) return digest;
  const expectedLength = DIGEST_LENGTH.get(digestType.value);
  if (expectedLength !== undefined && digest.value.length !== expectedLength) {
    return refuse(
      'content',
      `The digest has ${digest.value.length} hexadecimal digits; digest type ${digestType.value} has ${expectedLength}.`,
    );
  }
  const text = `${tag.value} ${algorithm.value} ${digestType.value} ${digest.value}`;
  const head = Uint8Array.of(algorithm.value, digestType.value);
  return accept(plainRdata(text, text, concat([uint16(tag.value), head, Buffer.from(digest.value, 'hex')])));
}
