// A cache of the number, the name and the owner of zones, which never change. A change of records needs no query for
// them. If the zone was deleted meanwhile, the write detects it.
import type { Db } from '#store/database.ts';
import { type ZoneRow, zoneById } from '#store/zones.ts';

export type ZoneIdentity = Pick<ZoneRow, 'id' | 'no' | 'name' | 'teamId' | 'userId'>;

/** The number of zones in the cache of a process. */
const REMEMBERED = 10_000;
const rememberedIdentities = new WeakMap<Db, Map<string, ZoneIdentity>>();

/** Null: the zone does not exist. */
export async function zoneIdentity(db: Db, zoneId: string): Promise<ZoneIdentity | null> {
  const identityById = rememberedIdentities.get(db) ?? new Map<string, ZoneIdentity>();
  rememberedIdentities.set(db, identityById);
  const knownIdentity = identityById.get(zoneId);
  if (knownIdentity) return knownIdentity;
  const zone = await zoneById(db, zoneId);
  if (!zone) return null;
  // A map keeps the order of insertion, so its first entry is the oldest.
  for (const oldest of identityById.keys()) {
    if (identityById.size < REMEMBERED) break;
    identityById.delete(oldest);
  }
  const { id, no, name, teamId, userId } = zone;
  identityById.set(id, { id, no, name, teamId, userId });
  return { id, no, name, teamId, userId };
}
