// Who a new zone will belong to, and which names nobody may have. Pure.
import { isPublicSuffix } from '../dns/public-suffix.ts';
import { type Actor, actsFor, type Owner } from './actor.ts';
import { Refusal } from './refusal.ts';

/** SPEC 4, POST /zones: rules 1 and 2 for app accounts; a person creates for itself or in one of its teams. */
export function ownerFor(actor: Actor, owner: string | undefined): Owner {
  if (actor.user === null) {
    const own = `org:${actor.teamId}`;
    if (owner === own) return { teamId: actor.teamId, userId: null };
    throw new Refusal('forbidden', `An app can only create zones in its own team: set "owner" to "${own}".`);
  }
  if (owner === undefined || owner === 'personal') return { teamId: null, userId: actor.user.id };
  const [, teamId] = /^org:(.+)$/.exec(owner) ?? [];
  if (teamId === undefined) {
    throw new Refusal('bad_request', 'owner: must be "org:<teamId>", or "personal" (also when left out).');
  }
  const wanted = { teamId, userId: null };
  if (actsFor(actor, wanted)) return wanted;
  throw noTeamOfYours();
}

/** Of a team of others as of one that does not exist. */
export function noTeamOfYours(): Refusal {
  return new Refusal(
    'forbidden',
    'owner: you can only create zones in a team that you are a member of, or "personal".',
  );
}

/** Whoever held a public suffix could take every name that is registered below it. @throws Refusal forbidden */
export function mustNotBePublic(name: string): void {
  if (!isPublicSuffix(name)) return;
  throw new Refusal(
    'forbidden',
    `zoneName: ${name} is a public suffix, below which anybody may register names; create a zone for a name below it.`,
  );
}
