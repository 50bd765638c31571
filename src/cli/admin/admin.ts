// `zonestead admin …`: the commands for the administrator of a service, over its database.
import type { CommandGroup } from '../command.ts';
import { afterRestore } from './after-restore.ts';
import { encryptKeys } from './encrypt-keys.ts';
import { keys } from './keys.ts';
import { nameservers } from './nameservers.ts';
import { nodes } from './nodes.ts';
import { secondaries } from './secondaries.ts';
import { teams } from './teams.ts';
import { trusts } from './trusts.ts';
import { upgradeCheck } from './upgrade-check.ts';
import { usage } from './usage.ts';
import { users } from './users.ts';
import { zones } from './zones.ts';

export const command: CommandGroup = {
  name: 'admin',
  describe: 'administer the service (over its database)',
  examples: [
    'zonestead admin users add --email ada@example.org --name Ada',
    'zonestead admin nodes list',
    'zonestead admin upgrade-check',
  ],
  commands: [
    ...[keys, trusts, teams, users, nodes, nameservers, secondaries, zones],
    ...[usage, encryptKeys, afterRestore, upgradeCheck],
  ],
};
