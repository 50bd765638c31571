// The TXT values at one name with their age, for protocols that keep the newest.
import { and, asc, eq } from 'drizzle-orm';
import type { Db } from './database.ts';
import { records } from './tables.ts';

/** The oldest first. @param ordername as dns/name.ts makes it */
export async function challengeValues(
  db: Db,
  zoneNo: number,
  ordername: string,
): Promise<{ id: string; content: string }[]> {
  return db
    .select({ id: records.id, content: records.content })
    .from(records)
    .where(and(eq(records.zoneNo, zoneNo), eq(records.ordername, ordername), eq(records.type, 'TXT')))
    .orderBy(asc(records.createdAt), asc(records.id));
}
