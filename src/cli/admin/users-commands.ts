// `zonestead users …`: users, over the database of the service.
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { type CommandGroup, describeCommand } from '../command.ts';
import { CREATE_TEAM_OPTION, DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';

const add = describeCommand({
  name: 'add',
  describe: 'create a user, or look one up by email, and print a new API key once',
  options: [
    { flags: '--email <address>', describe: 'email address of the user', isRequired: true },
    { flags: '--name <name>', describe: 'name of the user (default: the email address)' },
    { flags: '--key-name <name>', describe: 'purpose of the key', default: 'command line' },
    {
      flags: '--team <team>',
      describe: 'team that the user joins, by name or by id ("teams list")',
    },
    CREATE_TEAM_OPTION,
    { flags: '--role <role>', describe: 'role in that team: owner or member', default: 'owner' },
  ],
  settings: DATABASE_SETTINGS,
  run: async (_args, options: object, { config, print }) => {
    const { runUsersAdd } = await import('./users.ts');
    await runUsersAdd(config(), options, print);
  },
});

type Chosen = DryRunOption & { email: string };
const EMAIL_OPTION = { flags: '--email <address>', describe: 'email address of the user', isRequired: true };

const list = describeCommand({
  name: 'list',
  describe: 'list the users with their state, teams and accounts at the OpenID provider',
  options: [OUTPUT_OPTION],
  settings: DATABASE_SETTINGS,
  run: async (_args, { output }: OutputOption, { config, print }) => {
    const { runUsersList } = await import('./people.ts');
    await runUsersList(config(), { format: output, print });
  },
});

const suspend = describeCommand({
  name: 'suspend',
  describe: 'end all sessions of a user, and accept neither keys nor sign-ins until "users resume"',
  options: [EMAIL_OPTION, DRY_RUN_OPTION],
  settings: DATABASE_SETTINGS,
  run: async (_args, options: Chosen, { config, print }) => {
    const { runUsersSuspend } = await import('./people.ts');
    await runUsersSuspend(config(), options, print);
  },
});

const resume = describeCommand({
  name: 'resume',
  describe: 'accept the keys and sign-ins of a suspended user again',
  options: [EMAIL_OPTION, DRY_RUN_OPTION],
  settings: DATABASE_SETTINGS,
  run: async (_args, options: Chosen, { config, print }) => {
    const { runUsersResume } = await import('./people.ts');
    await runUsersResume(config(), options, print);
  },
});

const remove = describeCommand({
  name: 'remove',
  describe: 'end the keys, sessions, memberships and accounts of a user; the address becomes free',
  options: [
    EMAIL_OPTION,
    { flags: '--heir <address>', describe: 'user who becomes owner of the teams that would have no owner' },
    { flags: '--force', describe: 'leave such teams without an owner' },
    { flags: '--revoke-keys', describe: 'revoke the app keys and trusts that the user created in teams too' },
    DRY_RUN_OPTION,
  ],
  settings: DATABASE_SETTINGS,
  run: async (_args, options: Chosen & { heir?: string; force?: boolean; revokeKeys?: boolean }, { config, print }) => {
    const { runUsersRemove } = await import('./people.ts');
    await runUsersRemove(config(), options, print);
  },
});

const link = describeCommand({
  name: 'link',
  describe: 'give a user an account at the OpenID provider, in place of another one',
  options: [
    EMAIL_OPTION,
    { flags: '--issuer <address>', describe: 'address of the provider, as ZONESTEAD_OIDC_ISSUER', isRequired: true },
    { flags: '--subject <subject>', describe: 'the claim "sub" of the account', isRequired: true },
    DRY_RUN_OPTION,
  ],
  settings: DATABASE_SETTINGS,
  run: async (_args, options: Chosen & { issuer: string; subject: string }, { config, print }) => {
    const { runUsersLink } = await import('./people.ts');
    await runUsersLink(config(), options, print);
  },
});

export const command: CommandGroup = {
  name: 'users',
  describe: 'manage users (over the database)',
  commands: [add, list, suspend, resume, remove, link],
};
