// The environment of a process whose clock is wrong, and may be set. libfaketime replaces the clock functions of the C
// library. A time namespace would not do: it moves the monotonic clock alone.
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The library, in the folder of the machine's architecture. */
export const FAKE_TIME = '/usr/lib/*/faketime/libfaketimeMT.so.1';

export interface WrongClock {
  readonly env: Readonly<Record<string, string>>;
  /** @param seconds by which the clock is ahead from now on (below 0: behind) */
  set(seconds: number): void;
}

/** The monotonic clock, which timers use, stays as it is. @param folder for a file with the time */
export function wrongClock(folder: string, seconds: number): WrongClock {
  const [library] = globSync(FAKE_TIME);
  if (library === undefined) throw new Error(`${FAKE_TIME} is missing: apt-get install libfaketime`);
  const file = join(folder, 'faketime');
  const set = (ahead: number) => writeFileSync(file, ahead < 0 ? `${ahead}\n` : `+${ahead}\n`);
  set(seconds);
  return {
    set,
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      // Seconds between two reads of the file.
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  };
}
