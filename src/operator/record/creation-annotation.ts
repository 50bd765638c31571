// The annotation that announces the first creations of a DNSRecord. It is part of the write that adds the finalizer, so that
// only one write precedes the creations instead of two.
//
// The annotation is the ledger until the status has one, and is ignored afterwards. A user who may write annotations but no
// status could forge it to create values that the object is not permitted to have. The seal prevents this: only a holder of
// the operator's API key can make it, and it is bound to the uid of the object, so that it is invalid on a copy.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DNSRecord, LedgerEntry } from '#resources/dnsrecord.ts';
import { CREATION_ANNOTATION } from '#resources/names.ts';

/** The values that an object owns, or is about to own, in one zone. */
interface Ledger {
  readonly zoneId: string | undefined;
  readonly entries: readonly LedgerEntry[];
}

/** Signs a text so that only this operator, or another one with the same key, can have made the signature. */
export type Seal = (text: string) => string;

/** The limit of the annotation in characters. All annotations of an object together are limited to 256 KiB. */
const MAX_ANNOTATION_LENGTH = 32_768;

/** @param secret a text of any length; seals that were made with another secret are invalid */
export function createSeal(secret: string): Seal {
  return (text) => createHmac('sha256', secret).update(`zonestead creation\n${text}`).digest('base64url');
}

/** Returns the annotation, or null when it would be too long. */
export function creationAnnotationOf(
  object: DNSRecord,
  zoneId: string,
  entries: readonly LedgerEntry[],
  seal: Seal,
): string | null {
  const text = JSON.stringify({ zoneId, entries });
  const annotation = `${seal(sealed(object, text))} ${text}`;
  return annotation.length > MAX_ANNOTATION_LENGTH ? null : annotation;
}

/** Objects in the cache never change, and the indexes and each run read the ledger of the same object. */
const read = new WeakMap<DNSRecord, { readonly seal: Seal; readonly ledger: Ledger }>();

/** Returns the ledger of the status, or the ledger of the annotation while the status has none. */
export function ledgerOf(object: DNSRecord, seal: Seal): Ledger {
  const { zoneId, records } = object.status ?? {};
  if (records !== undefined) return { zoneId, entries: records };
  const known = read.get(object);
  if (known?.seal === seal) return known.ledger;
  const ledger = ledgerInAnnotation(object, zoneId, seal);
  read.set(object, { seal, ledger });
  return ledger;
}

function ledgerInAnnotation(object: DNSRecord, zoneId: string | undefined, seal: Seal): Ledger {
  const annotation = object.metadata.annotations?.[CREATION_ANNOTATION] ?? '';
  if (annotation === '') return { zoneId, entries: [] };
  const space = annotation.indexOf(' ');
  const [proof, text] = [Buffer.from(annotation.slice(0, Math.max(0, space))), annotation.slice(space + 1)];
  const expected = Buffer.from(seal(sealed(object, text)));
  if (proof.length !== expected.length || !timingSafeEqual(proof, expected)) return { zoneId, entries: [] };
  return JSON.parse(text) as Ledger;
}

function sealed({ metadata }: DNSRecord, text: string): string {
  return `${metadata.uid}\n${text}`;
}
