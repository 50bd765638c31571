// The header Zonestead-Owners in the answer to a change of records that other clients own: owners may revert such a change.
import type { FastifyReply } from 'fastify';

export const OWNERS_HEADER = 'Zonestead-Owners';
/** A record has up to 100 owners of 400 characters; a header must stay short. The field `owners` has all of them. */
const MAX_TOLD = 5;

/** Adds the header, with the first five owners. Without owners, nothing happens. */
export function tellOwners(reply: FastifyReply, owners: readonly string[]): void {
  const told = [...new Set(owners)];
  if (told.length === 0) return;
  const more = told.length > MAX_TOLD ? [`and ${told.length - MAX_TOLD} more`] : [];
  reply.header(OWNERS_HEADER.toLowerCase(), [...told.slice(0, MAX_TOLD), ...more].join(', '));
}
