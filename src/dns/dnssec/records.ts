/** Reads the RDATA of DS and DNSKEY records, and compares them (RFC 4034 sections 2 and 5). Pure. */
import { Buffer } from 'node:buffer';
import { computeKeyTag, dsDigest } from './signing-key.ts';

export function decodeDs(rdata: Uint8Array) {
  const [high = 0, low = 0, algorithm = 0, digestType = 0] = rdata;
  return { keyTag: (high << 8) | low, algorithm, digestType, digest: Buffer.from(rdata.subarray(4)).toString('hex') };
}

export function decodeDnskey(rdata: Uint8Array) {
  const [high = 0, low = 0, , algorithm = 0] = rdata;
  return { keyTag: computeKeyTag(rdata), algorithm, flags: (high << 8) | low };
}

/** Whether the DS record is the digest of the key. @param zone without final dot; the empty text is the root */
export function pointsAt(zone: string, ds: Uint8Array, dnskey: Uint8Array): boolean {
  const { keyTag, algorithm, digestType, digest } = decodeDs(ds);
  if (keyTag !== computeKeyTag(dnskey) || algorithm !== dnskey[3]) return false;
  return dsDigest(zone, dnskey, digestType) === digest;
}
