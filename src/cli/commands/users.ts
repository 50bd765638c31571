// `zonestead users …`: users, over the database of the service.
import { type CommandGroup, describeCommand } from '../command.ts';

const add = describeCommand({
  name: 'add',
  describe: 'create a user, or look one up by email, and print a new API key once',
  options: [
    { flags: '--email <address>', describe: 'email address of the user', isRequired: true },
    { flags: '--name <name>', describe: 'name of the user (default: the email address)' },
    { flags: '--key-name <name>', describe: 'purpose of the key', default: 'command line' },
    {
      flags: '--team <team>',
      describe: 'team that the user joins, by name or by id; a team of a new name is created',
    },
    { flags: '--role <role>', describe: 'role in that team: owner or member', default: 'owner' },
  ],
  settings: ['DATABASE_URL'],
  run: async (_args, options: object, { config, print }) => {
    const { runUsersAdd } = await import('../admin/users.ts');
    await runUsersAdd(config(), options, print);
  },
});

export const command: CommandGroup = {
  name: 'users',
  describe: 'manage users (over the database)',
  commands: [add],
};
