// Whether a key may be used at a time and from an address: the check that every proof of a key shares. Pure.
import type { KeyRow } from '#store/keys.ts';
import { isWithin } from './networks.ts';

/** @param address the address of the client */
export function mayBeUsed(
  { revokedAt, expiresAt, networks, trustId }: Pick<KeyRow, 'revokedAt' | 'expiresAt' | 'networks' | 'trustId'>,
  address: string,
  now: Date,
): boolean {
  // A subject of a trust proves itself with a token.
  if (trustId !== null) return false;
  if (revokedAt !== null || (expiresAt !== null && expiresAt <= now)) return false;
  return networks === null || isWithin(address, networks);
}
