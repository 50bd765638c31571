// Options that many commands share.
import type { OptionDescription } from './command.ts';

export interface DryRunOption {
  dryRun?: boolean;
}

/** For commands that write. */
export const DRY_RUN_OPTION: OptionDescription = {
  flags: '--dry-run',
  describe: 'show what would change, and change nothing',
};

/** The output of a command: in a dry run, each line says so. */
export function sayer(print: (line: string) => void, { dryRun }: DryRunOption): (line: string) => void {
  return dryRun ? (line) => print(`dry run: ${line}`) : print;
}

/** For commands that name a team: a misspelled name must not make a team without zones. */
export const CREATE_TEAM_OPTION: OptionDescription = {
  flags: '--create-team',
  describe: 'create the team if there is none of this name',
};

/** @param words the words of the shell. (Default: an example.) */
export function quotingHint(words: readonly string[] = ['v=spf1', 'mx', '-all']): string {
  return `Put a value with blanks in quotes, for instance '${words.join(' ')}'.`;
}

export interface YesOption {
  yes?: boolean;
}

/** For commands that delete more than one record. Without it, they ask at a terminal, and refuse elsewhere. */
export const YES_OPTION: OptionDescription = { flags: '--yes', describe: 'delete without a question' };

export interface ForceOption {
  force?: boolean;
}

/**
 * For commands that change records that others may own. Without it, they ask before they change records that have
 * owners.
 */
export const FORCE_OPTION: OptionDescription = {
  flags: '--force',
  describe: 'change records that have owners without a question',
};
