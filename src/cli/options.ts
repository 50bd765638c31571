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

export interface YesOption {
  yes?: boolean;
}

/** For commands that delete more than one record. Without it, they ask at a terminal, and refuse elsewhere. */
export const YES_OPTION: OptionDescription = { flags: '--yes', describe: 'delete without a question' };
