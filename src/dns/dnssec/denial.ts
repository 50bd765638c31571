/**
 * How the name servers of a zone prove that a name or a type does not exist. NSEC3 is that of RFC 9276: SHA-1 without
 * extra iterations, without salt, and without opt-out. Pure.
 */
export const DENIALS = ['NSEC', 'NSEC3'] as const;
export type Denial = (typeof DENIALS)[number];

export const DEFAULT_DENIAL: Denial = 'NSEC';
