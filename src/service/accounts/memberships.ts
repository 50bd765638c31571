// The limit of a person's memberships. It exists because every request of the person reads all of them.
import type { Tx } from '#store/database.ts';
import { countMemberships, lockUser } from '#store/people.ts';
import { refusal } from '../refusal.ts';

/**
 * The number of teams that a person may create or join. Group rules of an OpenID provider and the command line may
 * exceed it.
 */
const MAX_MEMBERSHIPS = 100;

/**
 * Locks the person's row, so that two requests of the same person are counted one after the other. A caller that also
 * locks a team must lock the team first.
 * @throws Refusal conflict
 */
export async function mustHaveRoomForTeam(tx: Tx, userId: string): Promise<void> {
  await lockUser(tx, userId);
  if ((await countMemberships(tx, userId)) < MAX_MEMBERSHIPS) return;
  throw refusal('too-many-teams', { limit: MAX_MEMBERSHIPS });
}
