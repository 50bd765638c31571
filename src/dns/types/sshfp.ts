/** SSHFP: the fingerprint of an SSH host key (RFC 4255 section 3.1). The parser checks the fingerprint's length. */
import { Buffer } from 'node:buffer';
import { accept, refuse } from '../verdict.ts';
import { concat } from '../wire/octets.ts';
import { type ParseContent, plainRdata } from './rdata.ts';
import { fields, parseHex, parseUint } from './tokens.ts';

/** Hex digits by fingerprint type: SHA-1 (RFC 4255 section 3.1.2), SHA-256 (RFC 6594 section 4.1). */
const LENGTH: ReadonlyMap<number, number> = new Map([
  [1, 40],
  [2, 64],
]);

export const parseSshfp: ParseContent = (content) => {
  const [first = '', second = '', ...hex] = fields(content);
  if (hex.length === 0) {
    return refuse(
      'content',
      'An SSHFP record is "algorithm type fingerprint", for instance "4 2 <64 hex digits>"; "ssh-keygen -r" prints it.',
    );
  }
  const algorithm = parseUint(first, 255, 'algorithm');
  if (!algorithm.ok) return algorithm;
  const type = parseUint(second, 255, 'fingerprint type');
  if (!type.ok) return type;
  if (algorithm.value === 0)
    return refuse('content', 'Algorithm 0 is reserved; use that of the key, such as 4 (Ed25519).');
  if (type.value === 0) return refuse('content', 'Fingerprint type 0 is reserved; use 2 (SHA-256).');
  const fingerprint = parseHex(hex.join(''), 'fingerprint');
  if (!fingerprint.ok) return fingerprint;
  const expected = LENGTH.get(type.value);
  if (expected !== undefined && fingerprint.value.length !== expected) {
    return refuse(
      'content',
      `The fingerprint has ${fingerprint.value.length} hexadecimal digits; fingerprint type ${type.value} has ${expected}.`,
    );
  }
  const numbers = [algorithm.value, type.value];
  const text = `${numbers.join(' ')} ${fingerprint.value}`;
  return accept(plainRdata(text, text, concat([Uint8Array.from(numbers), Buffer.from(fingerprint.value, 'hex')])));
};
