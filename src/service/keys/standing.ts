// The state of a key or a trust at a time, and whether a key may be used from an address: the check that every proof of
// a key shares. Pure.
import type { KeyRow } from '#store/keys.ts';
import { isWithin } from './networks.ts';

/** A time: a Date in rows, a text of RFC 3339 in answers. */
interface Lifetime {
  readonly revokedAt: Date | string | null;
  /** Null: without an end. */
  readonly expiresAt: Date | string | null;
}

/** The state of a key or a trust. A revoked one stays revoked after its end. */
export function judgeLifetime({ revokedAt, expiresAt }: Lifetime, now: Date): 'valid' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return isExpired({ expiresAt }, now) ? 'expired' : 'valid';
}

export function isExpired({ expiresAt }: Pick<Lifetime, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && new Date(expiresAt) <= now;
}

/** @param address the address of the client */
export function mayBeUsed(
  { networks, trustId, ...lifetime }: Pick<KeyRow, 'revokedAt' | 'expiresAt' | 'networks' | 'trustId'>,
  address: string,
  now: Date,
): boolean {
  // A subject of a trust proves itself with a token.
  if (trustId !== null) return false;
  if (judgeLifetime(lifetime, now) !== 'valid') return false;
  return networks === null || isWithin(address, networks);
}
