// The first creations of a DNSRecord, announced in an annotation that the finalizer's own write carries: one write instead of
// two before anything is created. Pure.
//
// It is the ledger until the status has one, and nothing afterwards. Whoever may write annotations but no status could forge
// it, and have values made where the object is not permitted: the seal, which only a holder of the operator's API key can
// make, binds it to the object's uid. A copy of the object carries it in vain.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { BIRTH } from './names.ts';
import type { DNSRecord, LedgerEntry } from './resources/dnsrecord.ts';

/** What an object owns, or is about to own, in one zone. */
export interface Ledger {
  readonly zoneId: string | undefined;
  readonly entries: readonly LedgerEntry[];
}

/** Makes a proof that only this operator, or another with its key, can make. */
export type Seal = (text: string) => string;

/** Annotations are limited to 256 KiB together, and are not ours alone. */
const LONGEST = 32_768;

/** @param secret any length; what is sealed with another one counts for nothing */
export function createSeal(secret: string): Seal {
  return (text) => createHmac('sha256', secret).update(`zonestead birth\n${text}`).digest('base64url');
}

/** The annotation; null when it would be too long. */
export function birthOf(object: DNSRecord, zoneId: string, entries: readonly LedgerEntry[], seal: Seal): string | null {
  const text = JSON.stringify({ zoneId, entries });
  const birth = `${seal(sealed(object, text))} ${text}`;
  return birth.length > LONGEST ? null : birth;
}

/** Objects never change, and one is asked about several times: by the cache's indexes, by each run. */
const read = new WeakMap<DNSRecord, { readonly seal: Seal; readonly ledger: Ledger }>();

/** The ledger of the status, or that of the birth while the status has none. */
export function ledgerOf(object: DNSRecord, seal: Seal): Ledger {
  const { zoneId, records } = object.status ?? {};
  if (records !== undefined) return { zoneId, entries: records };
  const known = read.get(object);
  if (known?.seal === seal) return known.ledger;
  const ledger = bornWith(object, zoneId, seal);
  read.set(object, { seal, ledger });
  return ledger;
}

function bornWith(object: DNSRecord, zoneId: string | undefined, seal: Seal): Ledger {
  const birth = object.metadata.annotations?.[BIRTH] ?? '';
  if (birth === '') return { zoneId, entries: [] };
  const space = birth.indexOf(' ');
  const [proof, text] = [Buffer.from(birth.slice(0, Math.max(0, space))), birth.slice(space + 1)];
  const expected = Buffer.from(seal(sealed(object, text)));
  if (proof.length !== expected.length || !timingSafeEqual(proof, expected)) return { zoneId, entries: [] };
  return JSON.parse(text) as Ledger;
}

function sealed({ metadata }: DNSRecord, text: string): string {
  return `${metadata.uid}\n${text}`;
}
