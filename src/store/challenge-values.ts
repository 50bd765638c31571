// The owners at one name that begin with a prefix, in the order of their last change, for protocols that keep the
// newest values.

import type { Db } from './database.ts';
import { and, desc, eq, sql } from './drizzle.ts';
import { ownedSets } from './tables.ts';

/** The newest first. The ordername is as dns/names/name.ts makes it. */
export async function ownersAt(
  db: Db,
  { zoneNo, ordername, type }: { zoneNo: number; ordername: string; type: string },
  prefix: string,
): Promise<string[]> {
  const { owner, appliedAt } = ownedSets;
  const rows = await db.build
    .select({ owner })
    .from(ownedSets)
    .where(
      and(
        eq(ownedSets.zoneNo, zoneNo),
        eq(ownedSets.ordername, ordername),
        eq(ownedSets.type, type),
        sql`starts_with(${owner}, ${prefix})`,
      ),
    )
    .orderBy(desc(appliedAt), owner);
  return rows.map((row) => row.owner);
}
