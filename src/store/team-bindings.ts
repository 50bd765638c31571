// The teams that team names in the rules of the OpenID provider stand for, as rows.

import type { Db, Tx } from './database.ts';
import { eq } from './drizzle.ts';
import { teamBindings } from './tables.ts';

/** The id of the team that the rules' team name is bound to; null when it is bound to none. */
export async function boundTeamId(db: Db | Tx, ruleTeam: string): Promise<string | null> {
  const rows = await db.build
    .select({ teamId: teamBindings.teamId })
    .from(teamBindings)
    .where(eq(teamBindings.ruleTeam, ruleTeam));
  return rows[0]?.teamId ?? null;
}

/**
 * Replaces an earlier binding of the name.
 * @throws SQLSTATE 23505 (team_bindings_team_key) when another name has the team
 */
export async function bindTeam(tx: Tx, ruleTeam: string, teamId: string, createdAt: Date): Promise<void> {
  await tx.build
    .insert(teamBindings)
    .values({ ruleTeam, teamId, createdAt })
    .onConflictDoUpdate({ target: teamBindings.ruleTeam, set: { teamId, createdAt } });
}
