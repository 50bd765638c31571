// The deleted zones that an actor can bring back.
import { listOwnedDeletedZones } from '#store/deleted-zones.ts';
import { type Actor, teamsOfActor, visibleZoneIds } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';

export interface ShownDeletedZone {
  id: string;
  zoneName: string;
  /** As in a Zone: `org:<teamId>` or `personal`. */
  owner: string;
  deletedAt: string;
  /** Until when the zone can be restored. */
  until: string;
  records: number;
}

/** Those that were deleted last are listed. */
const MAX_DELETED = 100;

/**
 * The deleted zones of the actor's teams, and the actor's own ones, the last deleted first: at most MAX_DELETED. None
 * for a key with rights on single zones only. A zone that the actor could not see before its deletion, because of an
 * override of `none`, is not listed.
 */
export async function readDeletedZones(context: ServiceContext, actor: Actor): Promise<ShownDeletedZone[]> {
  if (visibleZoneIds(actor) !== null) return [];
  const owners = { teamIds: teamsOfActor(actor), userIds: actor.user === null ? [] : [actor.user.id] };
  const deniedTo = actor.manageZones === 'none' ? overridesOf(actor) : {};
  const zones = await listOwnedDeletedZones(context.db, owners, context.now(), { limit: MAX_DELETED, deniedTo });
  return zones.map(({ id, name, teamId, deletedAt, until, recordCount }) => ({
    id,
    zoneName: name,
    owner: teamId === null ? 'personal' : `org:${teamId}`,
    deletedAt: deletedAt.toISOString(),
    until: until.toISOString(),
    records: recordCount,
  }));
}

/** The key or trust whose overrides apply to the actor. */
function overridesOf({ trust, keyId }: Actor): { keyId: string } | { trustId: string } {
  return trust ? { trustId: trust.id } : { keyId };
}
