// All commands of `zonestead`, as the image and a checkout have them.
import type { CommandMap } from './command.ts';
import { PEOPLE_COMMANDS } from './people-commands.ts';
import { SERVER_COMMANDS } from './server-commands.ts';

/** By the first word of the command line, in the order of the help. */
export const COMMANDS: CommandMap = { ...PEOPLE_COMMANDS, ...SERVER_COMMANDS };
