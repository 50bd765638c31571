// src/cli/completion/outlines.ts: the names, arguments and options of all commands, for help of the whole program,
// completion and hints, which would wait for the modules of every command otherwise.
import { COMMANDS } from '#cli/all-commands.ts';
import type { CommandDescription, CommandGroup, Outline } from '#cli/command.ts';

const HEAD = `// Made by \`npm run generate\` from the descriptions of the commands: do not edit.
import type { Outline } from '../command.ts';

/** In the order of the help. */
export const OUTLINES: readonly Outline[] = [
`;

/** A command is one line. */
export async function outlinesFile(): Promise<string> {
  const loaded = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  return `${HEAD}${loaded.map(({ command }) => `${JSON.stringify(outlineOf(command))},\n`).join('')}];\n`;
}

/** Pure. */
export function outlineOf(command: CommandDescription | CommandGroup): Outline {
  const { name, describe } = command;
  if ('commands' in command) return { name, describe, commands: command.commands.map(outlineOf) };
  const { arguments: words, options, passThrough, isHidden } = command;
  const found = { name, describe, arguments: words, options, passThrough, isHidden };
  return JSON.parse(JSON.stringify(found)) as Outline;
}
