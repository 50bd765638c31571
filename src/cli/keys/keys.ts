// `zonestead keys …`: the API keys of the apps of a team, over the REST API with the key of a person.
import type { CommandGroup } from '../command.ts';
import { NEEDS_PERSON } from '../rest/team.ts';
import { list, revoke, showCommand } from './read.ts';
import { mint, update } from './write.ts';

export const command: CommandGroup = {
  name: 'keys',
  describe: `manage the API keys of a team (over the REST API, ${NEEDS_PERSON})`,
  examples: ['zonestead keys mint --name ci --team platform', 'zonestead keys list --team platform'],
  commands: [list, mint, showCommand, update, revoke],
};
