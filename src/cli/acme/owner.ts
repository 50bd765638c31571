// The owner of a challenge value that `zonestead acme` adds. Each value has its own, so that several machines and
// clients at one name never remove each other's values. Pure.

/** The time after which the service removes a value that the client did not remove, in ms. */
export const ACME_LEASE_MS = 60 * 60 * 1_000;

/** Linux has no longer names of hosts. */
const LONGEST_HOST = 64;

/**
 * `acme:hook/<host>/<value>`. Two machines with one account at the CA can get the same value, so the host is part of
 * it.
 * @param value 1 to 255 characters of base64url
 */
export function buildHookOwner(host: string, value: string): string {
  const name = host.toLowerCase().replace(/[^a-z0-9._-]/g, '-');
  return `acme:hook/${name.slice(0, LONGEST_HOST) || 'unknown'}/${value}`;
}
