// The program of the single file: all commands but those of servers, which need the packages of the image.
import type { CommandDescription, CommandMap } from './command.ts';
import { PEOPLE_COMMANDS } from './people-commands.ts';
import { SERVER_COMMANDS } from './server-commands.ts';

/** The commands that run elsewhere. */
export const MISSING_COMMANDS: readonly string[] = Object.keys(SERVER_COMMANDS);

/** The modules of server commands are not in the file, and nothing loads them. */
export const STANDALONE_COMMANDS: CommandMap = {
  ...PEOPLE_COMMANDS,
  ...Object.fromEntries(MISSING_COMMANDS.map((name) => [name, async () => ({ command: elsewhere(name) })])),
};

/** Takes any words, and says where the command runs. */
function elsewhere(name: string): CommandDescription {
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
