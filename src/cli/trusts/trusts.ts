// `zonestead trusts …`: the trusts of a team, over the REST API with the key of a person.
import type { CommandGroup } from '../command.ts';
import { NEEDS_PERSON } from '../rest/team.ts';
import { list, revoke, showCommand } from './read.ts';
import { accept, test } from './use.ts';
import { create, update } from './write.ts';

export const command: CommandGroup = {
  name: 'trusts',
  describe: `manage the trusts of a team, which let tokens take the place of API keys (over the REST API, ${NEEDS_PERSON})`,
  examples: ['zonestead trusts list --team platform', 'zonestead trusts test token.jwt'],
  commands: [list, create, showCommand, update, revoke, test, accept],
};
