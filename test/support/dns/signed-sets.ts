// RRsets with signatures (RFC 4034 section 3.1.8.1) of keys that the test has: the wire form is written here a second
// time, so that a mistake of the code under test does not cancel itself out.
import { Buffer } from 'node:buffer';
import { createHash, sign } from 'node:crypto';
import { generateSigningKey } from '#dns/dnssec/signing-key.ts';

export const NOW = new Date('2026-11-21T12:00:00Z');
export const NOW_SECONDS = NOW.getTime() / 1000;

export interface SignedTestKey {
  /** The private key. */
  pem: string;
  /** RDATA. */
  dnskey: Uint8Array;
  /** RDATA with SHA-256. */
  ds: Uint8Array[];
}

interface Set {
  name: string;
  type: number;
  rdatas: Uint8Array[];
}

interface Times {
  inception: number;
  expiration: number;
}

const wireName = (name: string) =>
  Buffer.from([...name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]), 0]);
const number = (value: number, octets: 1 | 2 | 4) => {
  const bytes = Buffer.alloc(octets);
  bytes.writeUIntBE(value, 0, octets);
  return bytes;
};

/** The key tag (RFC 4034 appendix B). */
function tagOf(dnskey: Uint8Array): number {
  let sum = 0;
  for (const [at, octet] of dnskey.entries()) sum += at % 2 === 0 ? octet << 8 : octet;
  return (sum + (sum >>> 16)) & 0xffff;
}

export function testKey(zone: string, { flags = 257, protocol = 3 } = {}): SignedTestKey {
  const csk = generateSigningKey();
  const point = Buffer.from(csk.publicKey, 'base64');
  const dnskey = Uint8Array.from(Buffer.concat([number(flags, 2), number(protocol, 1), number(13, 1), point]));
  const digest = createHash('sha256')
    .update(Buffer.concat([wireName(zone), dnskey]))
    .digest();
  const ds = Buffer.concat([number(tagOf(dnskey), 2), number(13, 1), number(2, 1), digest]);
  return { pem: csk.privateKey, dnskey, ds: [Uint8Array.from(ds)] };
}

/** The set with one signature. @param zone the signer (Default of the times: an hour before and after NOW.) */
export function signedSet(
  zone: string,
  set: Set,
  key: SignedTestKey,
  { inception, expiration }: Times = { inception: NOW_SECONDS - 3_600, expiration: NOW_SECONDS + 3_600 },
): { set: Set; signatures: Uint8Array[] } {
  const ttl = number(300, 4);
  const head = Buffer.concat([
    ...[number(set.type, 2), number(13, 1), number(set.name.split('.').length, 1), ttl],
    ...[number(expiration, 4), number(inception, 4), number(tagOf(key.dnskey), 2), wireName(zone)],
  ]);
  const start = Buffer.concat([wireName(set.name), number(set.type, 2), number(1, 2), ttl]);
  const records = [...set.rdatas].sort(Buffer.compare).flatMap((rdata) => [start, number(rdata.length, 2), rdata]);
  const signature = sign('sha256', Buffer.concat([head, ...records]), { key: key.pem, dsaEncoding: 'ieee-p1363' });
  return { set, signatures: [Uint8Array.from(Buffer.concat([head, signature]))] };
}
