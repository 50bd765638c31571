// Who asks, and what that key may do. Pure: levels, per-zone overrides, restrictions (DESIGN 3, "permissions of a key").
import type { KeyRow, Level } from '../store/keys.ts';
import type { ZoneRow } from '../store/zones.ts';
import { Refusal } from './refusal.ts';

export interface Actor {
  keyId: string;
  keyName: string;
  teamId: string;
  teamName: string;
  records: Level;
  manageZones: Level;
  /** Levels by zone id; they win over `records`. */
  grants: ReadonlyMap<string, Level>;
  /** Owner names (`*` stands for any run of characters) and types that the key may write; null: all. */
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

/** The right on the records of one zone. */
export function recordLevel(actor: Actor, zoneId: string): Level {
  return actor.grants.get(zoneId) ?? actor.records;
}

/** A zone that a key may not see does not exist for it. */
export function maySee(actor: Actor, zone: Pick<ZoneRow, 'id' | 'teamId'>): boolean {
  return zone.teamId === actor.teamId && (actor.manageZones !== 'none' || recordLevel(actor, zone.id) !== 'none');
}

/** Which of the team's zones a list may show: null for all of them. Zones with an override of `none` still have to be left out. */
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
  if (actor.onlyNames !== null && !actor.onlyNames.some((pattern) => matches(pattern, record.name))) {
    throw new Refusal('forbidden', `This key may only write records named ${actor.onlyNames.join(', ')}.`);
  }
}

/** @throws Refusal forbidden, also when the key is restricted to some names or types */
export function mustWriteAllRecords(actor: Actor, zoneId: string): void {
  mustWriteRecords(actor, zoneId);
  if (actor.onlyTypes === null && actor.onlyNames === null) return;
  throw new Refusal(
    'forbidden',
    'This key may only write records of some names or types, and a zone file replaces all; change single records instead.',
  );
}

function matches(pattern: string, name: string): boolean {
  const escaped = pattern.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(name);
}
