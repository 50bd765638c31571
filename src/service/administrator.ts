// The administrator of the service works on the database, and needs no key. Every change is in the same history as the
// changes over the API.
import { findNearest } from '#base/nearest.ts';
import { withDatabase } from '#store/admin.ts';
import type { Tx } from '#store/database.ts';
import { teamByName } from '#store/keys.ts';
import { lockTeam } from '#store/people.ts';
import { teamNames } from '#store/team-list.ts';
import { TEAM_ID } from './accounts/provided-teams.ts';
import { ensureTeam } from './keys/keys.ts';

export interface DryRun {
  /** True: the transaction is rolled back at its end. */
  dryRun?: boolean | undefined;
}

/**
 * Runs `work` in a transaction. A dry run does everything, with all checks, and rolls it back at the end.
 * @returns the result of `work`, also in a dry run
 */
export async function inTransaction<T>(url: string, work: (tx: Tx) => Promise<T>, { dryRun }: DryRun = {}): Promise<T> {
  return withDatabase(url, async (db) => {
    let outcome: { result: T } | undefined;
    try {
      await db.transaction(async (tx) => {
        outcome = { result: await work(tx) };
        if (dryRun) throw new Error('A dry run writes nothing.');
      });
    } catch (error) {
      if (!dryRun || outcome === undefined) throw error;
    }
    return (outcome as { result: T }).result;
  });
}

/** The author of the command line's changes in the history. */
export const COMMAND_LINE = { keyId: null, requestId: 'command-line' } as const;

/** A team by its name or its id. */
export interface NamedTeam {
  team: string;
  /** True: a team of this name is created if there is none. Otherwise that is an error. */
  createTeam?: boolean | undefined;
}

/** @throws Error if no team has this name or id; it suggests the team with the nearest name */
export async function findTeam(
  tx: Tx,
  { team, createTeam }: NamedTeam,
  random: (bytes: number) => Buffer,
): Promise<{ id: string; name: string }> {
  if (TEAM_ID.test(team)) {
    const lockedTeam = await lockTeam(tx, team);
    if (lockedTeam) return lockedTeam;
    throw new Error(`there is no team ${team}; "zonestead admin teams list" shows the ids`);
  }
  const namedTeam = createTeam ? await ensureTeam(tx, team, random) : await teamByName(tx, team);
  if (namedTeam) return { id: namedTeam.id, name: team };
  const nearest = findNearest(team, await teamNames(tx));
  const meant = nearest === null ? '' : ` Did you mean ${JSON.stringify(nearest)}?`;
  throw new Error(
    `there is no team ${JSON.stringify(team)}.${meant} "zonestead admin teams list" shows all teams, and --create-team creates this one`,
  );
}
