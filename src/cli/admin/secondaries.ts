// `zonestead admin secondaries …`: third-party name servers that transfer zones, over the database of the service.
import type { CommandGroup } from '../command.ts';
import { config } from './secondary-config.ts';
import { list, showCommand } from './secondary-read.ts';
import { add, apply, change, remove, zones } from './secondary-write.ts';

export const secondaries: CommandGroup = {
  name: 'secondaries',
  describe: 'administer the secondaries that transfer zones',
  commands: [add, change, apply, list, showCommand, zones, remove, config],
};
