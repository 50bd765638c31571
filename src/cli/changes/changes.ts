// `zonestead changes …`: the history of a zone, over the REST API.
import type { CommandGroup } from '../command.ts';
import { list } from './list.ts';
import { undo } from './undo.ts';

export const command: CommandGroup = {
  name: 'changes',
  describe: 'the history of a zone (over the REST API)',
  examples: ['zonestead changes list shop.example --limit 5', 'zonestead changes undo shop.example 4711 --dry-run'],
  commands: [list, undo],
};
