// A change of a trust as the history keeps it.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { KeySource } from '#base/key-source.ts';

/**
 * Both sides of the change, from the terms as viewTrustTerms makes them. Pinned keys that stay are named by their
 * digest, because 16 of them have 20 kB, and each entry would have them twice.
 */
export function trustChange<Terms extends { keySource: KeySource }>(
  before: Terms,
  after: Terms,
): { before: object; after: object } {
  const { keySource } = before;
  if (keySource.kind !== 'pinned' || !isDeepStrictEqual(keySource, after.keySource)) return { before, after };
  const sha256 = createHash('sha256').update(JSON.stringify(keySource.jwks)).digest('hex');
  const same = { keySource: { kind: keySource.kind, keys: keySource.jwks.keys.length, sha256 } };
  return { before: { ...before, ...same }, after: { ...after, ...same } };
}
