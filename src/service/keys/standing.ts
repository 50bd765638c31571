// Whether a key may be used from an address: the check that every proof of a key shares. Pure.
import { judgeLifetime } from '#base/lifetime.ts';
import type { KeyRow } from '#store/keys.ts';
import { isWithinNetworks } from './networks.ts';

/** @param address the address of the client */
export function mayBeUsed(
  { networks, trustId, ...lifetime }: Pick<KeyRow, 'revokedAt' | 'expiresAt' | 'networks' | 'trustId'>,
  address: string,
  now: Date,
): boolean {
  // A subject of a trust proves itself with a token.
  if (trustId !== null) return false;
  if (judgeLifetime(lifetime, now) !== 'valid') return false;
  return networks === null || isWithinNetworks(address, networks);
}
