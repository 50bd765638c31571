// The hint that a command exists below "admin": `zonestead users add` is `zonestead admin users add`.
import type { CommandDescription, CommandGroup, CommandMap } from './command.ts';

type Described = CommandDescription | CommandGroup;

/** The command that has these words below "admin", for instance "zonestead admin keys mint"; null if there is none. */
export function adminCommand(admin: Described | undefined, [first, second]: readonly string[]): string | null {
  const group = below(admin, first);
  const found = group === undefined ? undefined : below(group, second);
  return found === undefined ? null : `zonestead admin ${first} ${second}`;
}

/**
 * The hint after an error about an unknown command, for the words of a command line. The descriptions below "admin" are
 * loaded only if the words name no command.
 */
export async function adminHint(commands: CommandMap, words: readonly string[]): Promise<string | null> {
  const [first = '', second = ''] = words;
  if (first === 'admin' || second === '' || second.startsWith('-')) return null;
  const named = await commands[first]?.();
  if (named === undefined || below(named.command, second) !== undefined) return null;
  const found = adminCommand((await commands.admin?.())?.command, words);
  return found === null ? null : `It is a command over the database: ${found}`;
}

function below(group: Described | undefined, name: string | undefined): Described | undefined {
  return group !== undefined && 'commands' in group ? group.commands.find((each) => each.name === name) : undefined;
}
