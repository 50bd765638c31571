/**
 * The key with which a zone moves in. It becomes the only key of the zone here, a combined signing key, and signs
 * everything from the first answer on. The DS records at the parent stay valid if they are of this key, and cached
 * answers of the earlier name servers stay valid if this key signed them too. So a key that only signed the data (ZSK)
 * is refused, and a zone that a ZSK signed must first be signed by one key. Pure.
 */
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { isSigningAlgorithm } from './algorithms.ts';
import { type DnskeyText, readDnskeys } from './dnskey-text.ts';
import { ONLY, readKeyFile } from './key-file.ts';
import { CSK_FLAGS, computeKeyTag, dnskeyRdataOf, keyTag, type SigningKey } from './signing-key.ts';

export interface KeyImport {
  /** The text of a file; see readKeyFile. Secret. */
  privateKey: string;
  /** Its DNSKEY record, such as the text of BIND's `.key` file. */
  dnskey?: string | undefined;
}

const FIELD = 'key.dnskey';
/** Bits of the flags of a DNSKEY (RFC 4034 section 2.1.1, RFC 5011 section 7). */
const [ZONE_KEY, REVOKED, ENTRY_POINT] = [0x0100, 0x0080, 0x0001];

/** The remedy for a zone with two kinds of keys. */
export const ONE_KEY =
  'Sign the zone with its key of flags 257 alone at its present name servers, wait for the longest TTL of the zone, and import that key';

/**
 * @param zone canonical
 * @returns a problem of `key.privateKey` or `key.dnskey`, which says how to correct it
 */
export function readImportedKey(zone: string, { privateKey, dnskey }: KeyImport): Verdict<SigningKey> {
  const read = readKeyFile(privateKey);
  if (!read.ok || dnskey === undefined || dnskey.trim() === '') return read;
  const flaw = findDnskeyFlaw(zone, read.value, readDnskeys(dnskey));
  return flaw === null ? accept(read.value) : refuse(FIELD, flaw);
}

function findDnskeyFlaw(zone: string, key: SigningKey, dnskeys: readonly DnskeyText[]): string | null {
  const [dnskey, ...others] = dnskeys;
  if (dnskey === undefined)
    return 'the public half must be a DNSKEY record, such as the text of a K….key file of BIND: "example.org. IN DNSKEY 257 3 13 <key>".';
  if (others.length > 0) return 'the public half must be one DNSKEY record: that of the private key.';
  const { owner, flags, protocol, algorithm } = dnskey;
  if (owner !== null && owner !== zone)
    return `the DNSKEY record is a key of the zone ${clip(owner)}, and the new zone is ${zone}; give the key of ${zone}.`;
  if (!isSigningAlgorithm(algorithm)) return `the DNSKEY record has the algorithm ${algorithm}. ${ONLY}`;
  if ((flags & REVOKED) !== 0)
    return `the DNSKEY record is a revoked key (flags ${flags}), which signs nothing; give the key of the DS record.`;
  if (protocol !== 3 || (flags & ZONE_KEY) === 0)
    return `the DNSKEY record is not a key of a zone: its flags must be ${CSK_FLAGS} and its protocol 3, and they are ${flags} and ${protocol}.`;
  if ((flags & ENTRY_POINT) === 0)
    return `the DNSKEY record is a zone-signing key (flags ${flags}), and the key of the DS record must be imported, which has the flags ${CSK_FLAGS}. ${ONE_KEY}.`;
  if (flags !== CSK_FLAGS)
    return `the DNSKEY record has the flags ${flags}; a key with flags ${CSK_FLAGS} can be imported.`;
  if (isOf(dnskey, key)) return null;
  return `the DNSKEY record does not fit the private key: it has the tag ${tagOf(dnskey)} and algorithm ${algorithm}, and the DNSKEY of the private key has the tag ${keyTag(key)} and algorithm ${key.algorithm}; give both halves of one key.`;
}

/** The keys of a signed zone that its text shows and that are not the imported one, by flags and key tag. */
export function listOtherKeys(zoneText: string, key: SigningKey): { flags: number; tag: number }[] {
  const others = readDnskeys(zoneText).filter((dnskey) => !isOf(dnskey, key));
  return others.map((dnskey) => ({ flags: dnskey.flags, tag: tagOf(dnskey) }));
}

function isOf({ flags, algorithm, publicKey }: DnskeyText, key: SigningKey): boolean {
  return flags === CSK_FLAGS && algorithm === key.algorithm && decode(publicKey).equals(decode(key.publicKey));
}

function tagOf({ flags, algorithm, publicKey }: DnskeyText): number {
  return computeKeyTag(dnskeyRdataOf(flags, algorithm, decode(publicKey)));
}

function decode(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
