// All teams of the service, for the command line.

import type { Db, Tx } from './database.ts';
import { asc, eq, sql } from './drizzle.ts';
import { apiKeys, memberships, teamBindings, teams } from './tables.ts';

export interface ListedTeam {
  id: string;
  name: string;
  members: number;
  /** App keys that are neither revoked nor expired. */
  keys: number;
  /** The name of the OpenID rules that is bound to the team; null: none. */
  rule: string | null;
  createdAt: Date;
}

/** Every team, by name. */
export async function listAllTeams(db: Db): Promise<ListedTeam[]> {
  return db.build
    .select({
      id: teams.id,
      name: teams.name,
      members: sql<number>`(select count(*)::int from ${memberships} m where m.team_id = ${teams.id})`,
      keys: sql<number>`(select count(*)::int from ${apiKeys} k where k.team_id = ${teams.id} and k.trust_id is null
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))`,
      rule: teamBindings.ruleTeam,
      createdAt: teams.createdAt,
    })
    .from(teams)
    .leftJoin(teamBindings, eq(teamBindings.teamId, teams.id))
    .orderBy(asc(teams.name));
}

/** The names of teams, at most 10,000. */
export async function teamNames(db: Db | Tx): Promise<string[]> {
  const rows = await db.build.select({ name: teams.name }).from(teams).orderBy(teams.name).limit(10_000);
  return rows.map(({ name }) => name);
}
