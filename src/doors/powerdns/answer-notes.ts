// Notes of the PowerDNS API about a request that was accepted and changed: a header, because many answers have no body.
import type { FastifyReply } from 'fastify';
import { MAX_TTL, MIN_TTL } from '#dns/record.ts';
import type { ReadRrsets } from './read-rrsets.ts';

const NOTE = 'zonestead-note';
const SENTENCES = {
  clamped: `A TTL was moved into the range of the service, ${MIN_TTL} to ${MAX_TTL} seconds.`,
  kept: 'The SOA and NS records of the zone apex are made by the service itself, and were not deleted.',
  soa: 'The SOA record of the zone is made by the service itself; the one in the request was not taken.',
} as const;

export type Note = keyof typeof SENTENCES;

/** The notes about RRsets that were read. */
export function listNotes({ isClamped, isOwnKept }: Pick<ReadRrsets, 'isClamped' | 'isOwnKept'>): Note[] {
  return [...(isClamped ? ['clamped' as const] : []), ...(isOwnKept ? ['kept' as const] : [])];
}

/** Sets the header, unless there is nothing to say. */
export function sendNotes(reply: FastifyReply, notes: ReadonlySet<Note>): void {
  if (notes.size > 0) reply.header(NOTE, [...notes].map((note) => SENTENCES[note]).join(' '));
}
