// `zonestead users …`: the people of a team and their invitations, over the REST API with the key of a person.
import type { CommandGroup } from '../command.ts';
import { NEEDS_PERSON } from '../rest/team.ts';
import { accept, decline, invitations, invite, uninvite } from './invitations.ts';
import { list, remove, role } from './members.ts';

export const command: CommandGroup = {
  name: 'users',
  describe: `manage the people of a team, and invite others (over the REST API, ${NEEDS_PERSON})`,
  examples: ['zonestead users list --team platform', 'zonestead users invite ada@example.org --team platform'],
  commands: [list, invite, role, remove, invitations, accept, decline, uninvite],
};
