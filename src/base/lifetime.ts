// The state of a key or a trust at a time. Pure.

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
