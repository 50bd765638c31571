// The holder of a key and the permissions of that key. Pure: levels, per-zone overrides, restrictions (contract K3 to
// K8).
import { type JudgedName, judgedNames, permitsName } from '#dns/names/certified.ts';
import { matchesPattern } from '#dns/names/pattern.ts';
import type { RecordType } from '#dns/types/index.ts';
import type { ClusterRight, KeyRow, Level } from '#store/keys.ts';
import type { Role } from '#store/people.ts';
import type { ZoneRow } from '#store/zones.ts';
import { likePattern, readablePatterns } from '../keys/patterns.ts';
import { Refusal, refusal } from '../refusal.ts';

export interface Person {
  id: string;
  email: string;
  name: string;
}

export interface Actor {
  keyId: string;
  keyName: string;
  /** The team of an app account's key; null for the key of a person. */
  teamId: string | null;
  teamName: string | null;
  /** The person who owns the key; null for the key of an app account. */
  user: Person | null;
  /** The teams of the person, who has all rights on their zones; empty for the key of an app account. */
  memberships: readonly { teamId: string; teamName: string; role: Role }[];
  records: Level;
  manageZones: Level;
  /** A person may. */
  clusters: ClusterRight;
  /** Names and patterns of the checks that it may send signals for, besides those that it may write. */
  signals: readonly string[];
  /** Levels by zone id; they take precedence over `records`. */
  grants: ReadonlyMap<string, Level>;
  /** Owner names (`*` stands for any run of characters) and types that the key may read and write; null: all. */
  onlyNames: string[] | null;
  onlyTypes: string[] | null;
  expiresAt: Date | null;
  /** Writes per minute; null: the service's limit. */
  zoneWrites: number | null;
  recordWrites: number | null;
  /**
   * The trust that accepted the token of the request, and the subject of the token. Absent if the request has a key.
   */
  trust?: { id: string; name: string; subject: string };
}

export function toActor(key: KeyRow): Actor {
  return {
    keyId: key.id,
    keyName: key.name,
    teamId: key.teamId,
    teamName: key.teamName,
    user: key.userId === null ? null : { id: key.userId, email: key.userEmail ?? '', name: key.userName ?? '' },
    memberships: key.memberships,
    records: key.records,
    manageZones: key.manageZones,
    clusters: key.userId === null ? key.clusters : 'write',
    signals: key.signals,
    grants: new Map(key.grants.map((grant) => [grant.zoneId, grant.records])),
    onlyNames: key.onlyNames,
    onlyTypes: key.onlyTypes,
    expiresAt: key.expiresAt,
    zoneWrites: key.zoneWrites,
    recordWrites: key.recordWrites,
  };
}

/** The owner of a zone: a team or a person. The other id is null. */
export type Owner = Pick<ZoneRow, 'teamId' | 'userId'>;

export function sameOwner(one: Owner, other: Owner): boolean {
  return one.teamId === other.teamId && one.userId === other.userId;
}

/** The teams whose zones the key reaches. */
export function teamsOfActor(actor: Actor): string[] {
  const ownTeams = actor.teamId === null ? [] : [actor.teamId];
  return [...ownTeams, ...actor.memberships.map((membership) => membership.teamId)];
}

/** Whether the owner is the key's team, one of the person's teams, or the person. */
export function actsFor(actor: Actor, owner: Owner): boolean {
  if (owner.teamId !== null) return teamsOfActor(actor).includes(owner.teamId);
  return actor.user !== null && actor.user.id === owner.userId;
}

/** The right on the records of one zone. */
export function recordLevel(actor: Actor, zoneId: string): Level {
  return actor.grants.get(zoneId) ?? actor.records;
}

/** Whether the key may see the zone. If not, the service answers as if the zone did not exist. */
export function maySee(actor: Actor, zone: Pick<ZoneRow, 'id'> & Owner): boolean {
  return actsFor(actor, zone) && (actor.manageZones !== 'none' || recordLevel(actor, zone.id) !== 'none');
}

/**
 * The ids of the zones that a list may show; null for all zones of the owners. The caller must still omit zones with an
 * override of `none`.
 */
export function visibleZoneIds(actor: Actor): string[] | null {
  if (actor.manageZones !== 'none' || actor.records !== 'none') return null;
  return [...actor.grants].filter(([, level]) => level !== 'none').map(([zoneId]) => zoneId);
}

/** @throws Refusal forbidden */
export function mustManageZones(actor: Actor): void {
  if (actor.manageZones === 'write') return;
  throw refusal('may-not-manage-zones');
}

/** @throws Refusal forbidden */
export function mustHaveClusters(actor: Actor): void {
  if (actor.clusters === 'write') return;
  throw refusal('may-not-use-clusters');
}

/** @throws Refusal forbidden */
export function mustReadRecords(actor: Actor, zoneId: string): void {
  if (recordLevel(actor, zoneId) !== 'none') return;
  throw refusal('may-not-read-records');
}

/** Checks the level only, for callers that do not know the record yet. @throws Refusal forbidden */
export function mustWriteRecords(actor: Actor, zoneId: string): void {
  if (recordLevel(actor, zoneId) === 'write') return;
  throw refusal('may-not-write-records');
}

/** @throws Refusal forbidden, also when the key is restricted to other names or types */
export function mustWriteRecord(actor: Actor, zoneId: string, record: { name: string; type: RecordType }): void {
  mustWriteRecords(actor, zoneId);
  if (actor.onlyTypes !== null && !actor.onlyTypes.includes(record.type)) {
    throw refusal('other-types-only', { types: actor.onlyTypes.join(', ') });
  }
  if (actor.onlyNames === null) return;
  const names = actor.onlyNames;
  const isPermitted = (judgedName: JudgedName) => names.some((pattern) => permitsName(pattern, judgedName));
  const deniedName = judgedNames(record.name, record.type).find((judgedName) => !isPermitted(judgedName));
  if (deniedName === undefined) return;
  const list = names.join(', ');
  if (deniedName.name === record.name || !names.some((pattern) => matchesPattern(pattern, record.name)))
    throw refusal('other-names-only', { names: list });
  throw refusal('proves-other-name', { names: list, name: record.name, type: record.type, proven: deniedName.name });
}

/** Like mustWriteRecord, but returns a boolean. */
export function mayWriteRecord(actor: Actor, zoneId: string, record: { name: string; type: RecordType }): boolean {
  try {
    mustWriteRecord(actor, zoneId, record);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/**
 * The records that a restricted key may read: those with its names and types, because such a key serves one purpose.
 * @returns LIKE patterns of names, and types; null for a key that is not restricted
 */
export function readableOnly(actor: Actor): { names: string[] | null; types: string[] | null } | null {
  if (actor.onlyNames === null && actor.onlyTypes === null) return null;
  const names = actor.onlyNames === null ? null : readablePatterns(actor.onlyNames).map(likePattern);
  return { names, types: actor.onlyTypes };
}

/** Whether the restrictions of the key let it read the record, as {@link readableOnly} says it for a list. */
export function mayReadRecord(
  { onlyNames, onlyTypes }: Actor,
  { name, type }: { name: string; type: string },
): boolean {
  if (onlyTypes !== null && !onlyTypes.includes(type)) return false;
  return onlyNames === null || readablePatterns(onlyNames).some((pattern) => matchesPattern(pattern, name));
}

/** Export and history show the whole zone, so a restricted key may not read them. @throws Refusal forbidden */
export function mustReadWholeZone(actor: Actor, zoneId: string): void {
  mustReadRecords(actor, zoneId);
  if (readableOnly(actor) === null) return;
  throw refusal('sees-a-part');
}

/** @throws Refusal forbidden, also when the key is restricted to some names or types */
export function mustWriteAllRecords(actor: Actor, zoneId: string): void {
  mustWriteRecords(actor, zoneId);
  if (readableOnly(actor) === null) return;
  throw refusal('writes-a-part');
}
