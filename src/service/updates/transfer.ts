// A whole zone for a transfer (RFC 5936), as name servers serve it, without DNSSEC records. Rights are those of an
// export over REST.
import { type Labels, nameText } from '#dns/message/message.ts';
import type { ServedSet } from '#dns/served.ts';
import { type Actor, mustReadWholeZone } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { atPace, octetsOfEntries } from '../large-read.ts';
import { createServedSource, type RenderSettings } from '../nodes/source.ts';
import { holderOf } from '../permits.ts';
import { findZoneNamed } from '../zones/lookup.ts';

export interface ZoneTransfer {
  /** Without final dot. */
  name: string;
  serial: number;
  soa: RenderSettings['soa'];
  /** All RRsets but the SOA, from one snapshot. */
  pages: AsyncIterable<ServedSet[]>;
}

/**
 * Passes a zone to `send`. It holds a permit for large reads and a database connection until `send` settles; a reader
 * that takes no page for 30 s, or is too slow (large-read.ts), loses both.
 * @returns the result of `send`; null if the key reaches no zone with this name
 * @throws Refusal forbidden, busy; the reason of the signal
 */
export async function transferZone<T>(
  context: ServiceContext,
  actor: Actor,
  labels: Labels,
  signal: AbortSignal,
  send: (zone: ZoneTransfer) => Promise<T>,
): Promise<T | null> {
  const row = await findZoneNamed(context, actor, nameText(labels));
  if (row === null) return null;
  mustReadWholeZone(actor, row.id);
  const release = await context.largeReads.take(holderOf(actor), signal);
  // Ends the snapshot however `send` ends.
  const end = new AbortController();
  try {
    const servedZone = await createServedSource(context).zone(row.id, AbortSignal.any([signal, end.signal]));
    if (servedZone === null) return null;
    const { head, settings, pages } = servedZone;
    const countOctets = (page: readonly ServedSet[]) => octetsOfEntries(page.flatMap(({ rdata }) => rdata));
    const paced = atPace(context.largeReads, pages, countOctets);
    return await send({ name: head.name, serial: head.serial, soa: settings.soa, pages: paced });
  } finally {
    end.abort();
    release();
  }
}
