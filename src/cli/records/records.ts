// `zonestead records …`: records, over the REST API.
import type { CommandGroup } from '../command.ts';
import { remove } from './delete.ts';
import { list } from './list.ts';
import { set } from './set.ts';
import { create, update } from './write.ts';

export const command: CommandGroup = {
  name: 'records',
  describe: 'manage records (over the REST API)',
  examples: [
    'zonestead records list shop.example',
    'zonestead records set shop.example www A 192.0.2.1 192.0.2.2',
    'zonestead records delete shop.example www A',
  ],
  commands: [list, create, set, update, remove],
};
