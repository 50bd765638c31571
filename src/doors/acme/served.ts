// Waits until the name servers have a challenge. Many clients of these protocols ask for the certificate as soon as a
// value is accepted.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCaller } from '#http/hooks/auth.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Arrivals } from '#service/nodes/arrivals.ts';
import { untilServed } from '#service/nodes/living.ts';
import { holderOf } from '#service/permits.ts';

/** A client gets its answer after this time at latest, in ms. The clients' own time limits are 30 s and more. */
const SERVED_MS = 5_000;

/** Waits until the name servers have the zone as it is now. */
export type Served = (request: FastifyRequest, reply: FastifyReply, zoneId: string) => Promise<void>;

/** @param arrivals undefined: no request waits for name servers */
export function waitUntilServed(context: ServiceContext, arrivals: Arrivals | undefined): Served {
  return async (request, reply, zoneId) => {
    if (arrivals === undefined) return;
    const arrival = { zoneId, holder: holderOf(readCaller(request).actor), waitMs: SERVED_MS };
    await untilServed(context, arrivals, arrival, whenClientLeaves(reply));
  };
}
