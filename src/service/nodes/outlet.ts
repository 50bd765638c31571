// The connection of one name server, as the feed needs it. The api makes one from an HTTP answer.

export interface Outlet {
  /** Sends the octets in one piece. */
  write(text: Buffer): void;
  /** Octets that were written and that the connection has not taken yet. */
  waiting(): number;
  /** Resolves when most of these octets are gone, when the connection is closed, or after `ms`. */
  drained(ms: number): Promise<void>;
  /** Ends the connection in order, or at once if its reader does not read. */
  end(isReading: boolean): void;
  /** Aborts when the connection is closed. */
  readonly closed: AbortSignal;
}

/** A reader with more than this waiting is slow. */
export const MAX_WAITING = 512 * 1024;
/** A reader with less than this waiting gets more. */
export const FEW_WAITING = 64 * 1024;
