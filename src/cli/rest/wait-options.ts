// The options of commands that can wait for name servers.
import type { OptionDescription } from '../command.ts';

export interface WaitOptions {
  wait?: boolean;
  /** In seconds. */
  waitLimit?: number;
}

/** The longest wait in seconds if no option says otherwise. */
export const DEFAULT_LIMIT_S = 60;
const MAX_LIMIT_S = 86_400;

/** For commands that change answers. */
export const WAIT_OPTIONS: readonly OptionDescription[] = [
  { flags: '--wait', describe: 'wait until every name server of the zone answers with the change' },
  { flags: '--wait-limit <time>', describe: 'longest wait, from 1s to 1d (default: 1m)', value: 'seconds' },
];

/** To be called before the change. @throws Error if the limit is out of range */
export function checkWait({ waitLimit = DEFAULT_LIMIT_S }: WaitOptions): void {
  if (waitLimit >= 1 && waitLimit <= MAX_LIMIT_S) return;
  throw new Error(`--wait-limit is ${waitLimit} s; write a time from 1s to 1d`);
}
