/** The states of a zone's keys, and what follows from them. Pure. */
import { dsContents, type PublicKey } from './signing-key.ts';

/**
 * Where a key is in its life.
 *
 * - `presigning`: it signs everything, and is not in the DNSKEY RRset yet. Only for a roll to another algorithm
 *   (RFC 6781 section 4.1.4).
 * - `published`: in the DNSKEY RRset, which it signs as well. It signs nothing else, unless its algorithm is new.
 * - `ready`: the same, and the parent should have its DS records and no other.
 * - `withdrawn`: the same as `published`, after its roll was cancelled. The parent should have none of its DS records.
 * - `active`: it signs everything.
 * - `retired`: in the DNSKEY RRset, for signatures that resolvers keep. It signs nothing.
 * - `postsigning`: it signs everything, and is not in the DNSKEY RRset any more.
 */
export const KEY_STATES = [
  'presigning',
  'published',
  'ready',
  'withdrawn',
  'active',
  'retired',
  'postsigning',
] as const;
export type KeyState = (typeof KEY_STATES)[number];

interface StatedKey extends PublicKey {
  readonly state: KeyState;
}

/** The RDATA of the DS records that the parent of the zone should have, SHA-256 first. */
export function wantedDs(zone: string, keys: readonly StatedKey[]): string[] {
  const readyKeys = keys.filter(({ state }) => state === 'ready');
  const trustedKeys = readyKeys.length > 0 ? readyKeys : keys.filter(({ state }) => state === 'active');
  return trustedKeys.flatMap((key) => dsContents(zone, key));
}

/** Whether a key of this state comes or goes. It carries the steps of the roll; at most one key of a zone does. */
export function isRolling({ state }: StatedKey): boolean {
  return state !== 'active';
}
