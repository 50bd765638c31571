// `zonestead admin teams …`: the teams of the service and their quotas in the database.
import { z } from 'zod';
import { octets } from '#config.ts';
import type { CommandGroup } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { parseOptions } from '../parse-options.ts';
import { table } from '../table.ts';
import { type Administration, describeAdminCommand, outputOf } from './command.ts';

const list = describeAdminCommand({
  name: 'list',
  describe: 'list the teams with the number of their members and of their valid API keys',
  options: [OUTPUT_OPTION],
  run: (administration, _args, options: OutputOption) => listTeams(administration, options),
});

type BindOptions = { team?: string; yes?: boolean };

const bind = describeAdminCommand({
  name: 'bind',
  describe: 'bind a team name in ZONESTEAD_OIDC_TEAMS to a team that already exists',
  arguments: [{ usage: '<name>', describe: 'name of the team in ZONESTEAD_OIDC_TEAMS' }],
  options: [
    {
      flags: '--team <teamId>',
      describe: 'id of the team, as "admin teams list" prints it (default: the team of that name)',
    },
    { flags: '--yes', describe: 'bind a team that already has members or keys' },
  ],
  run: (administration, [name = ''], options: BindOptions) => bindTeam(administration, name, options),
});

const quota = describeAdminCommand({
  name: 'quota',
  describe: 'show the quota of a team, or change it',
  arguments: [{ usage: '<team>', describe: 'id or name of the team, as "admin teams list" prints them' }],
  options: [
    { flags: '--zones <number>', describe: 'zones' },
    { flags: '--records <number>', describe: 'records of all zones' },
    {
      flags: '--bytes <bytes>',
      describe: 'bytes of the names, contents and comments of all records, for instance 512Mi or 1Gi',
    },
    { flags: '--keys <number>', describe: 'valid API keys' },
    { flags: '--members <number>', describe: 'members' },
    { flags: '--default', describe: 'use the quota of the service (ZONESTEAD_QUOTA_...) for all numbers not given' },
    OUTPUT_OPTION,
  ],
  run: (administration, [team = ''], options: OutputOption) => changeQuota(administration, team, options),
});

export const teams: CommandGroup = {
  name: 'teams',
  describe: 'list all teams, change their quotas, and bind them to rules of the OpenID provider',
  commands: [list, bind, quota],
};

async function listTeams(administration: Administration, options: OutputOption): Promise<void> {
  const { adminListTeams } = await import('#service/accounts/team-administration.ts');
  const listed = await adminListTeams(administration.url);
  const rows = listed.map((team) => [
    team.id,
    String(team.members),
    String(team.keys),
    team.rule === null ? '-' : JSON.stringify(team.rule),
    team.name,
  ]);
  await show(outputOf(administration, options), { teams: listed }, () =>
    table(['ID', 'MEMBERS', 'KEYS', 'RULE', 'NAME'], rows, administration.print),
  );
}

/** @throws Error if the team does not exist, or has members or keys while `yes` is missing */
async function bindTeam({ url, print }: Administration, rule: string, options: BindOptions): Promise<void> {
  const binding = { rule, teamId: options.team ?? null, confirmed: options.yes === true };
  const { adminBindTeam } = await import('#service/accounts/team-administration.ts');
  const team = await adminBindTeam(url, binding, new Date());
  print(`the rules' team ${JSON.stringify(rule)} is bound to ${JSON.stringify(team.name)} (${team.id})`);
}

const number = z
  .string()
  .regex(/^[0-9]{1,10}$/, { error: 'must be a whole number' })
  .transform(Number)
  .optional();
const quotaOptions = z.object({
  zones: number,
  records: number,
  bytes: octets.schema.optional(),
  keys: number,
  members: number,
  default: z.boolean().optional(),
  output: z.enum(['table', 'json', 'yaml']),
});

/** @throws Error if the team does not exist or an option is wrong */
async function changeQuota({ url, print }: Administration, team: string, given: OutputOption): Promise<void> {
  const { default: reset = false, output: format, ...numbers } = parseOptions(quotaOptions, given);
  const { adminTeamQuota } = await import('#service/accounts/team-quota.ts');
  const shown = await adminTeamQuota(url, team, { reset, numbers }, new Date());
  const rows = Object.entries(shown.quota).map(([kind, { used, own }]) => [
    kind,
    String(used),
    own === null ? "the service's" : String(own),
  ]);
  await show({ format, print }, shown, () => {
    print(`team ${shown.name} (${shown.id})`);
    table(['QUOTA', 'USED', 'LIMIT'], rows, print);
  });
}
