/** SSHFP: the fingerprint of an SSH host key (RFC 4255 section 3.1). The parser checks the fingerprint's length. */
import { Buffer } from 'node:buffer';
import { accept, refuse, type Verdict } from '../verdict.ts';
import { concat } from '../wire/octets.ts';
import { hexField } from './content-fields.ts';
import { defineType } from './define.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';
import { fields, parseHex, parseUint } from './tokens.ts';

const SYNTAX = 'algorithm type fingerprint';
/** Hex digits by fingerprint type: SHA-1 (RFC 4255 section 3.1.2), SHA-256 (RFC 6594 section 4.1). */
const LENGTH: ReadonlyMap<number, number> = new Map([
  [1, 40],
  [2, 64],
]);

export const SSHFP = defineType({
  number: 44,
  layout: ['octet', 'octet', 'hex'],
  syntax: SYNTAX,
  form: 'algorithm, fingerprint type, fingerprint, as "ssh-keygen -r" prints them',
  example: '4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789',
  fields: [
    {
      name: 'algorithm',
      label: 'Algorithm',
      choices: [
        ['4', 'Ed25519'],
        ['3', 'ECDSA'],
        ['1', 'RSA'],
        ['6', 'Ed448'],
        ['2', 'DSA'],
      ],
    },
    {
      name: 'type',
      label: 'Fingerprint type',
      choices: [
        ['2', 'SHA-256'],
        ['1', 'SHA-1'],
      ],
    },
    hexField('fingerprint', 'Fingerprint'),
  ],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const [first = '', second = '', ...digits] = fields(content);
  if (digits.length === 0) {
    return refuse(
      'content',
      `An SSHFP record is "${SYNTAX}", for instance "4 2 <64 hex digits>"; "ssh-keygen -r" prints it.`,
    );
  }
  const algorithm = parseUint(first, 255, 'algorithm');
  if (!algorithm.ok) return algorithm;
  const type = parseUint(second, 255, 'fingerprint type');
  if (!type.ok) return type;
  if (algorithm.value === 0)
    return refuse('content', 'Algorithm 0 is reserved; use that of the key, such as 4 (Ed25519).');
  if (type.value === 0) return refuse('content', 'Fingerprint type 0 is reserved; use 2 (SHA-256).');
  const fingerprint = parseHex(digits.join(''), 'fingerprint');
  if (!fingerprint.ok) return fingerprint;
  const expectedLength = LENGTH.get(type.value);
  if (expectedLength !== undefined && fingerprint.value.length !== expectedLength) {
    return refuse(
      'content',
      `The fingerprint has ${fingerprint.value.length} hexadecimal digits; fingerprint type ${type.value} has ${expectedLength}.`,
    );
  }
  const numbers = [algorithm.value, type.value];
  const text = `${numbers.join(' ')} ${fingerprint.value}`;
  return accept(plainRdata(text, text, concat([Uint8Array.from(numbers), Buffer.from(fingerprint.value, 'hex')])));
}
