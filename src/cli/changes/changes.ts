// `zonestead changes …`: the history of a zone, over the REST API.
import type { CommandGroup } from '../command.ts';
import { list } from './list.ts';
import { undo } from './undo.ts';

export const command: CommandGroup = {
  name: 'changes',
  describe: 'the history of a zone (over the REST API)',
  commands: [list, undo],
};
