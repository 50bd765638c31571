// Who asks, and what that key may do. Pure: levels, per-zone overrides, restrictions (DESIGN 3, "permissions of a key").
import type { KeyRow, Level } from '../store/keys.ts';
import type { Role } from '../store/people.ts';
import type { ZoneRow } from '../store/zones.ts';
import { likePattern, matchesPattern } from './patterns.ts';
import { Refusal } from './refusal.ts';

export interface Person {
  id: string;
  email: string;
  name: string;
}

export interface Actor {
  keyId: string;
  keyName: string;
  /** The team of an app account's key; null for a person's. */
  teamId: string | null;
  teamName: string | null;
  /** Whose key it is; null for an app account's. */
  user: Person | null;
  /** The teams of the person, whose zones it has all rights on; none for an app account's key. */
  memberships: readonly { teamId: string; teamName: string; role: Role }[];
  records: Level;
  manageZones: Level;
  /** Levels by zone id; they win over `records`. */
  grants: ReadonlyMap<string, Level>;
  /** Owner names (`*` stands for any run of characters) and types that the key may read and write; null: all. */
  onlyNames: string[] | null;
  onlyTypes: string[] | null;
  expiresAt: Date | null;
  /** Writes a minute; null: the service's limit. */
  zoneWrites: number | null;
  recordWrites: number | null;
}

export function actorOf(key: KeyRow): Actor {
  return {
    keyId: key.id,
    keyName: key.name,
    teamId: key.teamId,
    teamName: key.teamName,
    user: key.userId === null ? null : { id: key.userId, email: key.userEmail ?? '', name: key.userName ?? '' },
    memberships: key.memberships,
    records: key.records,
    manageZones: key.manageZones,
    grants: new Map(key.grants.map((grant) => [grant.zoneId, grant.records])),
    onlyNames: key.onlyNames,
    onlyTypes: key.onlyTypes,
    expiresAt: key.expiresAt,
    zoneWrites: key.zoneWrites,
    recordWrites: key.recordWrites,
  };
}

/** Who owns a zone: a team or a person, the other one being null. */
export type Owner = Pick<ZoneRow, 'teamId' | 'userId'>;

export function sameOwner(one: Owner, other: Owner): boolean {
  return one.teamId === other.teamId && one.userId === other.userId;
}

/** The teams whose zones the key reaches. */
export function teamsOfActor(actor: Actor): string[] {
  const own = actor.teamId === null ? [] : [actor.teamId];
  return [...own, ...actor.memberships.map((membership) => membership.teamId)];
}

/** Whether the owner is the key's team, one of the person's teams, or the person itself. */
export function actsFor(actor: Actor, owner: Owner): boolean {
  if (owner.teamId !== null) return teamsOfActor(actor).includes(owner.teamId);
  return actor.user !== null && actor.user.id === owner.userId;
}

/** The right on the records of one zone. */
export function recordLevel(actor: Actor, zoneId: string): Level {
  return actor.grants.get(zoneId) ?? actor.records;
}

/** A zone that a key may not see does not exist for it. */
export function maySee(actor: Actor, zone: Pick<ZoneRow, 'id'> & Owner): boolean {
  return actsFor(actor, zone) && (actor.manageZones !== 'none' || recordLevel(actor, zone.id) !== 'none');
}

/** Which of the owners' zones a list may show: null for all of them. Zones with an override of `none` still have to be left out. */
export function visibleZoneIds(actor: Actor): string[] | null {
  if (actor.manageZones !== 'none' || actor.records !== 'none') return null;
  return [...actor.grants].filter(([, level]) => level !== 'none').map(([zoneId]) => zoneId);
}

/** @throws Refusal forbidden */
export function mustManageZones(actor: Actor): void {
  if (actor.manageZones === 'write') return;
  throw new Refusal('forbidden', 'This key may not manage zones: it needs the permission manage-zones at level write.');
}

/** @throws Refusal forbidden */
export function mustReadRecords(actor: Actor, zoneId: string): void {
  if (recordLevel(actor, zoneId) !== 'none') return;
  throw new Refusal('forbidden', 'This key may not read the records of this zone: it needs records at level read.');
}

/** The level alone, for when it is not known which record is meant. @throws Refusal forbidden */
export function mustWriteRecords(actor: Actor, zoneId: string): void {
  if (recordLevel(actor, zoneId) === 'write') return;
  throw new Refusal('forbidden', 'This key may not write the records of this zone: it needs records at level write.');
}

/** @throws Refusal forbidden, also when the key is restricted to other names or types */
export function mustWriteRecord(actor: Actor, zoneId: string, record: { name: string; type: string }): void {
  mustWriteRecords(actor, zoneId);
  if (actor.onlyTypes !== null && !actor.onlyTypes.includes(record.type)) {
    throw new Refusal('forbidden', `This key may only write records of type ${actor.onlyTypes.join(', ')}.`);
  }
  if (actor.onlyNames !== null && !actor.onlyNames.some((pattern) => matchesPattern(pattern, record.name))) {
    throw new Refusal('forbidden', `This key may only write records named ${actor.onlyNames.join(', ')}.`);
  }
}

/**
 * What a restricted key may read of a zone's records: no more than it may write, since it is meant for one purpose. As
 * LIKE patterns of names, and types; null for a key that is not restricted.
 */
export function readableOnly(actor: Actor): { names: string[] | null; types: string[] | null } | null {
  if (actor.onlyNames === null && actor.onlyTypes === null) return null;
  return { names: actor.onlyNames?.map(likePattern) ?? null, types: actor.onlyTypes };
}

/** Whole-zone reading (export, history) shows what a restricted key may not see. @throws Refusal forbidden */
export function mustReadWholeZone(actor: Actor, zoneId: string): void {
  mustReadRecords(actor, zoneId);
  if (readableOnly(actor) === null) return;
  throw new Refusal('forbidden', 'This key may only see some names or types, so it may not read a whole zone.');
}

/** @throws Refusal forbidden, also when the key is restricted to some names or types */
export function mustWriteAllRecords(actor: Actor, zoneId: string): void {
  mustWriteRecords(actor, zoneId);
  if (readableOnly(actor) === null) return;
  throw new Refusal(
    'forbidden',
    'This key may only write records of some names or types, and a zone file replaces all; change single records instead.',
  );
}
