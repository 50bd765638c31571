// Writes the changes of a PATCH or a PUT, as one change of the zone, and waits until the name servers have the
// challenges among them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCaller } from '#http/hooks/auth.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { createWriteBudget } from '#http/hooks/limits.ts';
import { tellOwners } from '#http/hooks/owners-header.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Arrivals } from '#service/nodes/arrivals.ts';
import { untilChallengesServed } from '#service/nodes/living.ts';
import { holderOf } from '#service/permits.ts';
import { editRrsets } from '#service/records/edit-rrsets.ts';
import type { ZoneView } from '#service/zones/view.ts';
import { buildPowerDnsEdit } from '../plan.ts';
import type { RrsetChange } from '../read-rrsets.ts';

/** A value of a challenge is answered when the name servers have it, or after this time, in ms. */
const SERVED_MS = 5_000;

export interface ChangeRequest {
  context: ServiceContext;
  /** Undefined: no request waits for name servers. */
  arrivals: Arrivals | undefined;
  request: FastifyRequest;
  reply: FastifyReply;
  /** How many of the RRsets are those of challenges; 0 if omitted. */
  challenges?: number;
}

/**
 * Sets the headers with the serials and with the owners of the changed records. The request was counted as one write
 * before.
 * @param serial the serial that the zone must have. Absent: any.
 * @throws Refusal; nothing is written then. It is `busy` if the zone has another serial
 */
export async function writeChanges(
  { context, arrivals, request, reply, challenges = 0 }: ChangeRequest,
  zone: ZoneView,
  changes: readonly RrsetChange[],
  serial?: number,
): Promise<void> {
  const budget = createWriteBudget(request, 1, challenges);
  const caller = { ...readCaller(request), once: null };
  const { serials, owned = [] } = await editRrsets(
    context,
    caller,
    zone.id,
    buildPowerDnsEdit(changes, serial),
    budget,
  );
  const names = changes.filter(({ records }) => records !== null && records.length > 0).map(({ name }) => name);
  const arrival = { zoneId: zone.id, holder: holderOf(caller.actor), waitMs: SERVED_MS, names };
  await untilChallengesServed(context, arrivals, arrival, whenClientLeaves(reply));
  tellOwners(
    reply,
    owned.flatMap(({ owners }) => owners),
  );
  reply.header('x-pdns-old-serial', serials.before).header('x-pdns-new-serial', serials.after);
}
