// Zone files that wait for the confirmation of their preview.

import type { Db } from './database.ts';
import { and, eq, gt, lt } from './drizzle.ts';
import { statement } from './statement.ts';
import { zoneUploads } from './tables.ts';

export interface Upload {
  content: string;
  /** The serial of the zone when the file was previewed. */
  serial: number;
}

/**
 * One a zone and key: a new one replaces the one before. Those made before `stale` are dropped, whosever they are, and
 * the oldest ones of an owner of zones that has more than 8.
 */
export async function keepUpload(
  db: Db,
  { stale, ...row }: Upload & { zoneId: string; keyId: string; createdAt: Date; stale: Date },
): Promise<void> {
  await db.build.delete(zoneUploads).where(lt(zoneUploads.createdAt, stale));
  const { content, serial, createdAt } = row;
  await db.build
    .insert(zoneUploads)
    .values(row)
    .onConflictDoUpdate({ target: [zoneUploads.zoneId, zoneUploads.keyId], set: { content, serial, createdAt } });
  await dropOldestUploads(db, row.zoneId);
}

/** Files that wait for one team or person, the newest; each may have 8 MiB. */
const UPLOADS_OF_OWNER = 8;

const dropOldestUploads = statement(`
  delete from zone_uploads where (zone_id, key_id) in (
    select u.zone_id, u.key_id from zone_uploads u join zones z on z.id = u.zone_id
    where coalesce(z.team_id, z.user_id) = (select coalesce(team_id, user_id) from zones where id = $1)
    order by u.created_at desc offset ${UPLOADS_OF_OWNER})`);

/** @param since older ones are as good as gone */
export async function findUpload(db: Db, zoneId: string, keyId: string, since: Date): Promise<Upload | null> {
  const rows = await db.build
    .select({ content: zoneUploads.content, serial: zoneUploads.serial })
    .from(zoneUploads)
    .where(and(eq(zoneUploads.zoneId, zoneId), eq(zoneUploads.keyId, keyId), gt(zoneUploads.createdAt, since)));
  return rows[0] ?? null;
}

export async function dropUpload(db: Db, zoneId: string, keyId: string): Promise<void> {
  await db.build.delete(zoneUploads).where(and(eq(zoneUploads.zoneId, zoneId), eq(zoneUploads.keyId, keyId)));
}
