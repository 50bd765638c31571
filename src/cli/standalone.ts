// The program of the single file: all commands but those of servers, which need the packages of the image.
import type { CommandDescription, CommandMap } from './command.ts';
import { PEOPLE_COMMANDS } from './people-commands.ts';

const SERVER_COMMAND_NAMES = [
  'api',
  'operator',
  'solver',
  'nameserver',
  'external-dns',
  'knot-conf',
  'edge-conf',
  'migrate',
  'bootstrap',
  'certificates',
  'release-finalizers',
] as const;

export type ServerCommandName = (typeof SERVER_COMMAND_NAMES)[number];

export const STANDALONE_COMMANDS: CommandMap = {
  ...PEOPLE_COMMANDS,
  ...Object.fromEntries(SERVER_COMMAND_NAMES.map((name) => [name, async () => ({ command: elsewhere(name) })])),
};

/** Takes any words, and says where the command runs. */
function elsewhere(name: ServerCommandName): CommandDescription {
  return {
    name,
    describe: 'runs in the image only',
    arguments: [{ usage: '[words...]', describe: 'arguments of the command' }],
    passThrough: true,
    isHidden: true,
    run: async () => {
      throw new Error(
        `"${name}" is a command of a server, and this file contains the commands for people. Run it in the image of Zonestead, or in a checkout with "npm start -s -- ${name}"`,
      );
    },
  };
}
