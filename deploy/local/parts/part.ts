// The interface of a running part of the local stack, for code that waits for it and stops it.

export interface PartExit {
  code: number | null;
  signal: string | null;
}

export interface Part {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<PartExit>;
  /**
   * Sends `signal` (Default: SIGTERM), after `graceMs` (Default: 10,000) SIGKILL to the whole process group, and
   * resolves when the process is gone. Repeating it is fine; a repeat with SIGKILL ends the grace at once.
   * @throws when the process is still there 5 s after SIGKILL.
   */
  stop(options?: { signal?: NodeJS.Signals; graceMs?: number }): Promise<void>;
  /** The last lines that this process (not an earlier session) wrote, at most 64 KiB of them. */
  tail(lines: number): Promise<string>;
}
