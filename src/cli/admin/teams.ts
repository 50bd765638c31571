// `zonestead teams list` and `zonestead teams bind`: the teams of the service in the database.
import { adminBindTeam, adminListTeams } from '#service/accounts/team-administration.ts';
import { table } from '../table.ts';

type Print = (line: string) => void;
type Config = { DATABASE_URL: string };

export async function runTeamsList(config: Config, options: { json?: boolean }, print: Print): Promise<void> {
  const teams = await adminListTeams(config.DATABASE_URL);
  if (options.json) {
    print(JSON.stringify({ teams }, null, 2));
    return;
  }
  const rows = teams.map((team) => [
    team.id,
    String(team.members),
    String(team.keys),
    team.rule === null ? '-' : JSON.stringify(team.rule),
    team.name,
  ]);
  table(['ID', 'MEMBERS', 'KEYS', 'RULE', 'NAME'], rows, print);
}

/** @throws Error if the team does not exist, or has members or keys while `yes` is missing */
export async function runTeamsBind(
  config: Config,
  rule: string,
  options: { team?: string; yes?: boolean },
  print: Print,
): Promise<void> {
  const binding = { rule, teamId: options.team ?? null, confirmed: options.yes === true };
  const team = await adminBindTeam(config.DATABASE_URL, binding, new Date());
  print(`the rules' team ${JSON.stringify(rule)} is bound to ${JSON.stringify(team.name)} (${team.id})`);
}
