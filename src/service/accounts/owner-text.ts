// The owner of a cluster or a check: requests and answers write it as they write the owner of a zone, and tables have
// the id of the team or person. Pure.
import { ownerFor } from '../zones/owner.ts';
import { type Actor, teamsOfActor } from './actor.ts';

/** The id of the team or person. @throws Refusal forbidden, bad_request */
export function toOwnerId(actor: Actor, text: string | undefined): string {
  const { teamId, userId } = ownerFor(actor, text);
  return teamId ?? userId ?? '';
}

/** The ids of one owner, or of all that the key acts for. @throws Refusal forbidden, bad_request */
export function toOwnerIds(actor: Actor, text: string | undefined): string[] {
  const person = actor.user === null ? [] : [actor.user.id];
  return text === undefined ? [...teamsOfActor(actor), ...person] : [toOwnerId(actor, text)];
}

export function writeOwner(actor: Actor, id: string): string {
  return id === actor.user?.id ? 'personal' : `org:${id}`;
}
