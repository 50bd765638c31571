// The header Zonestead-Owners in the answer to a change of records that other clients own: owners may revert such a
// change.
import type { FastifyReply } from 'fastify';
import { MAX_TOLD_OWNERS } from '#base/owner-names.ts';

export const OWNERS_HEADER = 'Zonestead-Owners';
/**
 * Adds the header, with the first five owners. Without owners, nothing happens.
 * @param count the number of different owners, if `owners` has only the first of them. (Default: `owners` has all.)
 */
export function tellOwners(reply: FastifyReply, owners: readonly string[], count?: number): void {
  const text = ownersText(owners, count);
  if (text !== null) reply.header(OWNERS_HEADER.toLowerCase(), text);
}

/** The first five owners as a list. Null: there is none. @param count as of tellOwners */
export function ownersText(owners: readonly string[], count?: number): string | null {
  const different = [...new Set(owners)];
  if (different.length === 0) return null;
  const shownOwners = different.slice(0, MAX_TOLD_OWNERS);
  const more = (count ?? different.length) - shownOwners.length;
  return [...shownOwners, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
