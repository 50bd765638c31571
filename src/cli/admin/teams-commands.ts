// `zonestead teams …`: teams and their quotas, over the database of the service.
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { type CommandGroup, describeCommand } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';

const list = describeCommand({
  name: 'list',
  describe: 'list the teams with the number of their members and of their valid API keys',
  options: [OUTPUT_OPTION],
  settings: DATABASE_SETTINGS,
  run: async (_args, { output }: OutputOption, { config, print }) => {
    const { runTeamsList } = await import('./teams.ts');
    await runTeamsList(config(), { format: output, print });
  },
});

const bind = describeCommand({
  name: 'bind',
  describe: 'bind a team name in ZONESTEAD_OIDC_TEAMS to a team that already exists',
  arguments: [{ usage: '<name>', describe: 'name of the team in ZONESTEAD_OIDC_TEAMS' }],
  options: [
    {
      flags: '--team <teamId>',
      describe: 'id of the team, as "teams list" prints it (default: the team of that name)',
    },
    { flags: '--yes', describe: 'bind a team that already has members or keys' },
  ],
  settings: DATABASE_SETTINGS,
  run: async ([name = ''], options: { team?: string; yes?: boolean }, { config, print }) => {
    const { runTeamsBind } = await import('./teams.ts');
    await runTeamsBind(config(), name, options, print);
  },
});

const quota = describeCommand({
  name: 'quota',
  describe: 'show the quota of a team, or change it',
  arguments: [{ usage: '<team>', describe: 'id or name of the team, as "teams list" prints them' }],
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
  settings: DATABASE_SETTINGS,
  run: async ([team = ''], options: object, { config, print }) => {
    const { runTeamsQuota } = await import('./team-quota.ts');
    await runTeamsQuota(config(), team, options, print);
  },
});

export const command: CommandGroup = {
  name: 'teams',
  describe: 'manage teams (over the database)',
  commands: [list, bind, quota],
};
