// The owners of challenge values at records:apply. Each value has an owner of its own, so that writers at one name
// never remove each other's values, and no writer reads before it writes. Pure.

/** The protocol by which a value came. */
export type ChallengeWriter = 'httpreq' | 'acme-dns';

/** The time after which the service removes a value that its client did not remove, in ms. */
export const HTTPREQ_LEASE_MS = 60 * 60 * 1_000;

/**
 * In ms. It is longer, because clients of acme-dns set a value once and have no request that removes it or sets it
 * again.
 */
export const ACME_DNS_LEASE_MS = 12 * 60 * 60 * 1_000;

/** The beginning of all owners of a key: `acme:httpreq/<id of the key>/`. */
export function buildWriterPrefix(writer: ChallengeWriter, keyId: string): string {
  return `acme:${writer}/${keyId}/`;
}

/** @param value 1 to 255 characters of base64url */
export function buildChallengeOwner(writer: ChallengeWriter, keyId: string, value: string): string {
  return `${buildWriterPrefix(writer, keyId)}${value}`;
}
