// `zonestead teams list` and `zonestead teams bind`: the teams of the service in the database.
import { adminBindTeam, adminListTeams } from '#service/accounts/team-administration.ts';
import { type Output, show } from '../output.ts';
import { table } from '../table.ts';

type Print = (line: string) => void;
type Config = { DATABASE_URL: string };

export async function runTeamsList(config: Config, output: Output): Promise<void> {
  const teams = await adminListTeams(config.DATABASE_URL);
  const rows = teams.map((team) => [
    team.id,
    String(team.members),
    String(team.keys),
    team.rule === null ? '-' : JSON.stringify(team.rule),
    team.name,
  ]);
  await show(output, { teams }, () => table(['ID', 'MEMBERS', 'KEYS', 'RULE', 'NAME'], rows, output.print));
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
