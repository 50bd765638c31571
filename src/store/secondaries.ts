// Rows of secondaries, of the zones that are listed for them, and what the source reports of them.

import { type Db, isStorable, type Tx } from './database.ts';
import { asc, eq, sql } from './drizzle.ts';
import { statement } from './statement.ts';
import { secondaries, secondaryZones, service, transferPlanRow, zones } from './tables.ts';

export type { SecondaryBehind } from './secondary-tables.ts';
export type SecondaryRow = typeof secondaries.$inferSelect;
export type NewSecondary = Omit<SecondaryRow, 'createdAt'>;

export async function allSecondaries(db: Db | Tx): Promise<SecondaryRow[]> {
  return db.build.select().from(secondaries).orderBy(asc(secondaries.name));
}

export async function secondaryByName(db: Db | Tx, name: string): Promise<SecondaryRow | null> {
  if (!isStorable(name)) return null;
  return (await db.build.select().from(secondaries).where(eq(secondaries.name, name)))[0] ?? null;
}

/** Inserts the secondary, or replaces it. */
export async function putSecondary(tx: Tx, row: NewSecondary): Promise<void> {
  await tx.build.insert(secondaries).values(row).onConflictDoUpdate({ target: secondaries.name, set: row });
}

/** @returns whether it was there */
export async function deleteSecondary(tx: Tx, name: string): Promise<boolean> {
  return (
    (await tx.build.delete(secondaries).where(eq(secondaries.name, name)).returning({ name: secondaries.name }))
      .length > 0
  );
}

export interface ListedZone {
  secondary: string;
  id: string;
  name: string;
  byAdministrator: boolean;
  byOwner: boolean;
}

/**
 * The zones that the administrator or their owners listed for secondaries, by name.
 * @param secondary Absent: those of all secondaries.
 */
export async function listedZones(db: Db | Tx, secondary?: string): Promise<ListedZone[]> {
  return db.build
    .select({
      secondary: secondaryZones.secondary,
      id: zones.id,
      name: zones.name,
      byAdministrator: secondaryZones.byAdministrator,
      byOwner: secondaryZones.byOwner,
    })
    .from(secondaryZones)
    .innerJoin(zones, eq(zones.id, secondaryZones.zoneId))
    .where(secondary === undefined ? undefined : eq(secondaryZones.secondary, secondary))
    .orderBy(asc(zones.name));
}

/** Lists the zone for the administrator. A choice of its owner stays as it is. */
export const listZone = statement(`
  insert into zone_secondaries (zone_id, secondary) values ($1, $2)
  on conflict (zone_id, secondary) do update set by_administrator = true`);

const delist = statement(
  'update zone_secondaries set by_administrator = false where zone_id = $1 and secondary = $2 and by_administrator',
);
const dropUnlisted = statement(
  'delete from zone_secondaries where zone_id = $1 and secondary = $2 and not by_owner and not by_administrator',
);

/** Takes the zone out of the administrator's list. A choice of its owner stays. */
export async function delistZone(tx: Tx, zoneId: string, secondary: string): Promise<void> {
  await delist(tx, zoneId, secondary);
  await dropUnlisted(tx, zoneId, secondary);
}

/** Makes nodes read the answer about transfers again. It locks the plan until the transaction ends. */
export async function changePlan(tx: Tx): Promise<void> {
  await tx.build.update(transferPlanRow).set({ version: sql`${transferPlanRow.version} + 1` });
}

/** The names that secondaries with all zones add to every zone. The trigger of the row announces a change of them. */
export async function refreshServiceNames(tx: Db | Tx): Promise<void> {
  const names = sql`coalesce((select array_agg(distinct n order by n) from secondaries x, unnest(x.nameservers) n where x.all_zones), '{}')`;
  await tx.build
    .update(service)
    .set({ secondaryNameservers: names })
    .where(sql`${service.secondaryNameservers} is distinct from ${names}`);
}

const selectStaleZones = statement<{ id: string; name: string }>(`
  select z.id, z.name from zones z
  where (z.secondary_nameservers <> '{}' or exists (select from zone_secondaries l where l.zone_id = z.id))
    and z.secondary_nameservers is distinct from coalesce((select array_agg(distinct n order by n)
      from zone_secondaries l join secondaries x on x.name = l.secondary and not x.all_zones, unnest(x.nameservers) n
      where l.zone_id = z.id), '{}')
    and ($1::text is null or z.id = $1)
  order by z.id`);

/** The zones whose names are not those of their secondaries. @param zoneId (Default: all zones.) */
export async function zonesWithStaleNames(tx: Tx, zoneId: string | null): Promise<{ id: string; name: string }[]> {
  return [...(await selectStaleZones(tx, zoneId))];
}

/** Writes the names that listed secondaries add to the zone. The caller announces the change. */
export const refreshZoneNames = statement(`
  update zones z set secondary_nameservers = coalesce((select array_agg(distinct n order by n)
    from zone_secondaries l join secondaries x on x.name = l.secondary and not x.all_zones, unnest(x.nameservers) n
    where l.zone_id = z.id), '{}')
  where z.id = $1`);
