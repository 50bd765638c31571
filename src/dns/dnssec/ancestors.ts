/**
 * The part of a chain of trust above the parent's DS: the root with its trust anchors, and each zone between it and the
 * zone. Compares DS records with keys (RFC 4035 section 5.2); the signatures of these zones are not checked. Pure.
 */
import type { Link } from './link.ts';
import { decodeDnskey, pointsAt } from './records.ts';

/** RDATA; null: no server answered. */
export interface AncestorFound {
  /** The empty text is the root. */
  zone: string;
  /** At its parent. For the root it is ignored. */
  ds: readonly Uint8Array[] | null;
  keys: readonly Uint8Array[] | null;
}

export interface Ancestor extends Link<{ keyTag: number; algorithm: number; flags: number }> {
  zone: string;
}

/** The DS records of the keys of the root: https://data.iana.org/root-anchors/root-anchors.xml. */
const ANCHORS = [
  '4f660802e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d',
  '97280802683d2d0acb8c9b712a1948b27f741219298d0a450d612c483af444a4c0fb2b16',
].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));

export function judgeAncestors(ancestors: readonly AncestorFound[]): Ancestor[] {
  return ancestors.map((each) => ({ zone: each.zone, ...judgeOne(each) }));
}

function judgeOne({ zone, ds: atParent, keys }: AncestorFound): Omit<Ancestor, 'zone'> {
  const ds = zone === '' ? ANCHORS : atParent;
  if (ds === null || keys === null)
    return { state: 'unknown', reason: `No resolver answered the queries about ${nameOf(zone)}.`, entries: [] };
  const unsigned = 'so resolvers validate nothing below it';
  if (keys.length === 0)
    return { state: 'missing', reason: `${subjectOf(zone)} is not signed, ${unsigned}.`, entries: [] };
  const entries = keys.flatMap((key) => {
    const isNamed = ds.some((each) => pointsAt(zone, each, key));
    return isNamed ? [{ ...decodeDnskey(key), state: 'valid' as const }] : [];
  });
  if (entries.length > 0) {
    const reason =
      zone === ''
        ? 'Validating resolvers know a key of the root.'
        : 'A DS record at its parent matches a key of the zone.';
    return { state: 'valid', reason, entries };
  }
  if (ds.length === 0)
    return { state: 'missing', reason: `The parent of ${zone} has no DS record for it, ${unsigned}.`, entries: [] };
  const reason =
    zone === ''
      ? 'The root has no key that this program knows.'
      : 'No DS record at its parent matches a key of the zone.';
  return { state: 'mismatch', reason, entries: [] };
}

function nameOf(zone: string): string {
  return zone === '' ? 'the root' : zone;
}

function subjectOf(zone: string): string {
  return zone === '' ? 'The root' : `The zone ${zone}`;
}
