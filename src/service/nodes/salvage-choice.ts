// Chooses among the copies of a zone that name servers sent. Pure.
//
//     a copy with the seal of this database   its id, key and owner are right: copies without a seal do not count
//     copies without a seal                   they must have one key; the administrator names the owner
//     several copies with one key             the one with the latest serial
import type { KeyState } from '#dns/dnssec/key-states.ts';
import { readSigningKey, type SigningKey } from '#dns/dnssec/signing-key.ts';
import { isLater } from '#dns/serial.ts';
import type { SalvageEnd } from './salvage-parts.ts';
import { isSealedZone, type SealedOrigin } from './seal.ts';

export interface Offer {
  node: string;
  instance: string;
  end: SalvageEnd;
}

export interface Copy {
  node: string;
  instance: string;
  end: Extract<SalvageEnd, { kind: 'zone' }>;
  keys: readonly (SigningKey & { state: KeyState })[];
  isSealed: boolean;
}

export interface Choice {
  copy: Copy;
  /** The latest serial of all copies. */
  serial: number;
  /** The nodes whose copies have other records. */
  others: readonly string[];
}

/**
 * @param onlyNode only the copy of this node counts. Undefined: of all
 * @returns the copy, or why there is none
 */
export function chooseCopy(
  name: string,
  offers: readonly Offer[],
  secret: Uint8Array,
  onlyNode?: string,
): { ok: true; value: Choice } | { ok: false; problem: string } {
  const usable = offers.filter(({ node }) => onlyNode === undefined || node === onlyNode);
  const copies = usable.flatMap((offer) => readCopy(name, offer, secret));
  if (copies.length === 0) return { ok: false, problem: explainAbsence(usable) };
  const sealed = copies.filter(({ isSealed }) => isSealed);
  const candidates = sealed.length > 0 ? sealed : copies;
  const keySets = new Set(candidates.map(({ keys }) => keys.map(({ publicKey }) => publicKey).join(' ')));
  if (keySets.size > 1) {
    const nodes = candidates.map(({ node }) => node).join(', ');
    return { ok: false, problem: `the name servers ${nodes} have different keys; choose one with --node` };
  }
  const [first, ...more] = candidates as [Copy, ...Copy[]];
  const copy = more.reduce((best, each) => (isLater(each.end.serial, best.end.serial) ? each : best), first);
  const others = candidates.filter(({ end }) => end.digest !== copy.end.digest).map(({ node }) => node);
  const serial = copies.reduce((last, { end }) => (isLater(end.serial, last) ? end.serial : last), copy.end.serial);
  return { ok: true, value: { copy, serial, others } };
}

function readCopy(name: string, { node, instance, end }: Offer, secret: Uint8Array): Copy[] {
  if (end.kind === 'failed') return [];
  const signingKeys = end.privateKeys.map(readSigningKey);
  if (!signingKeys.every((key) => key !== null)) return [];
  const sealedKeys = readSealedKeys(name, end, signingKeys, secret);
  if (sealedKeys !== null) return [{ node, instance, end, keys: sealedKeys, isSealed: true }];
  // Keys whose states nothing proves all sign: whichever DS records the parent has, the answers are valid.
  const keys = signingKeys.map((key) => ({ ...key, state: 'active' as const }));
  keys.sort((one, other) => (one.publicKey < other.publicKey ? -1 : 1));
  return [{ node, instance, end, keys, isSealed: false }];
}

/** Null without a seal, or if the node lacks the private half of a key. */
function readSealedKeys(
  name: string,
  { id, origin }: { id: string; origin: SealedOrigin | null },
  signingKeys: readonly SigningKey[],
  secret: Uint8Array,
): Copy['keys'] | null {
  if (origin === null) return null;
  const { seal, ...plainOrigin } = origin;
  if (!isSealedZone(secret, { id, name, origin: plainOrigin }, seal)) return null;
  const keys = plainOrigin.keys.map(({ publicKey, state }) => {
    const signingKey = signingKeys.find((key) => key.publicKey === publicKey);
    return signingKey === undefined ? null : { ...signingKey, state };
  });
  return keys.every((key) => key !== null) ? keys : null;
}

function explainAbsence(offers: readonly Offer[]): string {
  if (offers.length === 0) return 'no name server has answered';
  const reasons = offers.map(
    ({ node, end }) => `${node}: ${end.kind === 'failed' ? end.error : 'its key is unusable'}`,
  );
  return [...new Set(reasons)].join('; ');
}
