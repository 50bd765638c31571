// The owner of a new zone, and the names that no zone may have. Pure.
import { isPublicSuffix } from '#dns/names/public-suffix.ts';
import { reservedName } from '#dns/names/reserved-names.ts';
import { type Actor, actsFor, type Owner } from '../accounts/actor.ts';
import { type Refusal, refusal } from '../refusal.ts';

/** The owner of a new zone (contract K11): the team of an app account; a person or one of their teams. */
export function ownerFor(actor: Actor, owner: string | undefined): Owner {
  if (actor.user === null) {
    const ownTeam = `org:${actor.teamId}`;
    if (owner === ownTeam) return { teamId: actor.teamId, userId: null };
    throw refusal('app-owner', { owner: ownTeam });
  }
  if (owner === undefined || owner === 'personal') return { teamId: null, userId: actor.user.id };
  const [, teamId] = /^org:(.+)$/.exec(owner) ?? [];
  if (teamId === undefined) {
    throw refusal('bad-owner');
  }
  const teamOwner = { teamId, userId: null };
  if (actsFor(actor, teamOwner)) return teamOwner;
  throw noTeamOfYours();
}

/**
 * The same refusal for another team and for a team that does not exist, so that it does not reveal which teams exist.
 */
export function noTeamOfYours(): Refusal {
  return refusal('foreign-owner');
}

/** The owner of a public suffix could take over every name that is registered below it. @throws Refusal forbidden */
export function mustNotBePublic(name: string): void {
  if (!isPublicSuffix(name)) return;
  throw refusal('public-suffix', { name });
}

/**
 * The owner of a reserved name would answer queries that machines and services of other people send for it.
 * @param allowedSuffixes the names that the service's setting allows, with every name below them
 * @throws Refusal forbidden
 */
export function mustNotBeReserved(name: string, allowedSuffixes: readonly string[] | 'allow'): void {
  const reserved = reservedName(name, allowedSuffixes);
  if (reserved === null) return;
  const { name: by, source, purpose } = reserved;
  const place = by === name ? '' : `below ${by}, which is `;
  throw refusal('reserved-name', { name, place, purpose, source, reserved: by });
}
