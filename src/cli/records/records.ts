// `zonestead records …`: records, over the REST API.
import type { CommandGroup } from '../command.ts';
import { remove } from './delete.ts';
import { list } from './list.ts';
import { set } from './set.ts';
import { create, update } from './write.ts';

export const command: CommandGroup = {
  name: 'records',
  describe: 'manage records (over the REST API)',
  commands: [list, create, set, update, remove],
};
