// Zone files that wait until somebody has looked them over. Knows no rules and no rights.
import { and, eq, gt, lt } from 'drizzle-orm';
import type { Db } from './database.ts';
import { zoneUploads } from './tables.ts';

export interface Upload {
  content: string;
  /** Of the zone when the file was looked over. */
  serial: number;
}

/** One a zone and key: a new one replaces the one before. Those made before `stale` are dropped, whosever they are. */
export async function keepUpload(
  db: Db,
  { stale, ...row }: Upload & { zoneId: string; keyId: string; createdAt: Date; stale: Date },
): Promise<void> {
  await db.delete(zoneUploads).where(lt(zoneUploads.createdAt, stale));
  const { content, serial, createdAt } = row;
  await db
    .insert(zoneUploads)
    .values(row)
    .onConflictDoUpdate({ target: [zoneUploads.zoneId, zoneUploads.keyId], set: { content, serial, createdAt } });
}

/** @param since older ones are as good as gone */
export async function uploadOf(db: Db, zoneId: string, keyId: string, since: Date): Promise<Upload | null> {
  const rows = await db
    .select({ content: zoneUploads.content, serial: zoneUploads.serial })
    .from(zoneUploads)
    .where(and(eq(zoneUploads.zoneId, zoneId), eq(zoneUploads.keyId, keyId), gt(zoneUploads.createdAt, since)));
  return rows[0] ?? null;
}

export async function dropUpload(db: Db, zoneId: string, keyId: string): Promise<void> {
  await db.delete(zoneUploads).where(and(eq(zoneUploads.zoneId, zoneId), eq(zoneUploads.keyId, keyId)));
}
