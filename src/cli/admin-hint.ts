// The hint that a command exists below "admin": `zonestead users add` is `zonestead admin users add`. Pure.
import type { Outline } from './command.ts';

/** The command that has these words below "admin", for instance "zonestead admin keys mint"; null if there is none. */
export function adminCommand(outlines: readonly Outline[], [first, second]: readonly string[]): string | null {
  const admin = outlines.find(({ name }) => name === 'admin');
  return below(below(admin, first), second) === undefined ? null : `zonestead admin ${first} ${second}`;
}

/** The hint after an error about an unknown command, for the words of a command line. */
export function adminHint(outlines: readonly Outline[], words: readonly string[]): string | null {
  const found = adminCommand(outlines, words);
  return found === null ? null : `It is a command over the database: ${found}`;
}

function below(group: Outline | undefined, name: string | undefined): Outline | undefined {
  return group !== undefined && 'commands' in group ? group.commands.find((each) => each.name === name) : undefined;
}
