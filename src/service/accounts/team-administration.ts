// Teams from the command line: a list, and the binding of a team name of the OpenID rules to a team that exists.

import { writeFew } from '#base/few.ts';
import { judgeLifetime } from '#base/lifetime.ts';
import { insertAccountChange } from '#store/account-changes.ts';
import { withDatabase } from '#store/admin.ts';
import { sqlFailure, type Tx } from '#store/database.ts';
import { teamByName } from '#store/keys.ts';
import { listTeamMembers, lockTeam, type TeamRow } from '#store/people.ts';
import { bindTeam, boundTeamId } from '#store/team-bindings.ts';
import { keysOfTeam } from '#store/team-keys.ts';
import { type ListedTeam, listAllTeams } from '#store/team-list.ts';
import { trustsOfTeam } from '#store/trusts.ts';
import { COMMAND_LINE } from '../administrator.ts';
import { TEAM_ID } from './provided-teams.ts';

/** Every team, by name. */
export async function adminListTeams(url: string): Promise<ListedTeam[]> {
  return withDatabase(url, listAllTeams);
}

interface Binding {
  /** The team's name in the rules. */
  rule: string;
  /** The id of the team. Null: the team with the name `rule`. */
  teamId: string | null;
  /** Whether the administrator has confirmed the people and keys that are already in the team. */
  confirmed: boolean;
}

/**
 * Binds a team name of the rules to a team. Repeated calls have no further effect.
 * @throws Error if the team does not exist, if another name is bound to it, or if it has members or valid keys and the
 * binding is not confirmed; nothing is written then
 */
export async function adminBindTeam(url: string, binding: Binding, now: Date): Promise<TeamRow> {
  const { rule } = binding;
  if (TEAM_ID.test(rule)) throw new Error(`${rule} has the form of an id; a rule that names an id needs no binding`);
  return withDatabase(url, (db) =>
    db
      .transaction(async (tx) => {
        const team = await teamToBind(tx, binding);
        const before = await boundTeamId(tx, rule);
        if (before === team.id) return team;
        if (!binding.confirmed) await mustBeEmpty(tx, team, now);
        await bindTeam(tx, rule, team.id, now);
        const entry = { teamId: team.id, action: 'team.bind', subject: team.id, at: now, ...COMMAND_LINE } as const;
        await insertAccountChange(tx, {
          ...entry,
          before: before === null ? null : { rule, team: before },
          after: { rule, team: team.id },
        });
        return team;
      })
      .catch((error) => {
        if (sqlFailure(error)?.constraint !== 'team_bindings_team_key') throw error;
        throw new Error('another name of the rules is bound to this team; "zonestead admin teams list" shows which');
      }),
  );
}

async function teamToBind(tx: Tx, { rule, teamId }: Binding): Promise<TeamRow> {
  const id = teamId ?? (await teamByName(tx, rule))?.id;
  const team = id === undefined ? null : await lockTeam(tx, id);
  if (team) return team;
  const missingTeam = teamId === null ? `named ${JSON.stringify(rule)}` : teamId;
  throw new Error(
    `there is no team ${missingTeam}; "zonestead admin teams list" shows the teams, and the first sign-in by a rule creates its team if it does not exist`,
  );
}

/**
 * The people and keys that are already in the team would reach the zones of the group.
 * @throws Error that lists them
 */
async function mustBeEmpty(tx: Tx, team: TeamRow, now: Date): Promise<void> {
  const members = (await listTeamMembers(tx, team.id)).map(({ email, role }) => `${role} ${email}`);
  const keys = (await keysOfTeam(tx, team.id))
    .filter((key) => judgeLifetime(key, now) === 'valid')
    .map(({ id, name }) => `key ${id} (${name})`);
  const trusts = (await trustsOfTeam(tx, team.id))
    .filter((trust) => judgeLifetime(trust, now) === 'valid')
    .map(({ id, name }) => `trust ${id} (${name})`);
  const there = [...members, ...keys, ...trusts];
  if (there.length === 0) return;
  throw new Error(
    `the team ${JSON.stringify(team.name)} (${team.id}) already has ${writeFew(there, SHOWN)}, which would reach every zone of the team; remove the people, keys and trusts that do not belong there ("zonestead admin keys revoke <keyId>", "zonestead admin trusts revoke <trustId>"), then repeat the command with --yes`,
  );
}

const SHOWN = 20;
