// The names of the owners of keys, for people who read a history; never the rights of a key.

import type { Db } from './database.ts';
import { eq, sql } from './drizzle.ts';
import { apiKeys, teams, users } from './tables.ts';

export interface KeyName {
  id: string;
  name: string;
  /** The person whose key it is; null for an app account's. */
  email: string | null;
  team: string | null;
  /** The User-Agent of its last use. */
  lastUsedBy: string | null;
}

/** Those of the keys that there are, by id. */
export async function keyNames(db: Db, ids: string[]): Promise<Map<string, KeyName>> {
  if (ids.length === 0) return new Map();
  const rows = await db.build
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      email: users.email,
      team: teams.name,
      lastUsedBy: apiKeys.lastUsedBy,
    })
    .from(apiKeys)
    .leftJoin(users, eq(users.id, apiKeys.userId))
    .leftJoin(teams, eq(teams.id, apiKeys.teamId))
    .where(sql`${apiKeys.id} = any(${sql.param(ids)}::text[])`);
  return new Map(rows.map((row) => [row.id, row]));
}
