// The looks of the hub at the database: which changes were found, which of them were told, and the position up to which
// all were.
//
// Each look passes on what the one before has seen, so that a row is found once. Its names are rendered after that, so
// they include the change. The position stays behind transactions that have not ended: only then is everything before
// it told.
import type { Clock } from '#base/clock.ts';
import { parseCursor } from './cursor.ts';
import { type FeedPart, type LineFailure, renderPending } from './lines.ts';
import { Pending } from './pending.ts';
import type { ServedSource } from './source.ts';

/** The wait before zones that could not be rendered are tried again, in ms; it doubles with each failure in a row. */
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

export interface PollListener {
  tell(part: FeedPart): void;
  tellAll(): void;
  moveTo(cursor: string, isNews: boolean): void;
}

export type PollResult =
  /** Another database than before, or one that was restored. */
  | { kind: 'moved' }
  /**
   * `failure`: the first zone that could not be rendered in this look; the other zones were told. `isComplete`: no zone
   * of this or of an earlier look waits to be rendered.
   */
  | { kind: 'looked'; isChanged: boolean; failure: LineFailure | null; isComplete: boolean };

export class Look {
  readonly #source: ServedSource;
  readonly #clock: Clock;
  /** The next look begins here. */
  #read: string;
  /** Everything up to here was told. */
  #said: string;
  /** The source needs it to find each row once. */
  #seen: string | undefined;
  /** The last transaction that was told and that `#read` has not reached; null: there is none. */
  #ahead: bigint | null = null;
  /** The zones that could not be rendered. */
  #failed = new Pending();
  #failures = 0;
  #retryAt = 0;

  private constructor(source: ServedSource, clock: Clock, position: string) {
    [this.#source, this.#clock, this.#read, this.#said] = [source, clock, position, position];
  }

  /** Begins at the current position of the database. @throws an error of the database */
  static async begin(source: ServedSource, clock: Clock): Promise<Look> {
    return new Look(source, clock, await source.position());
  }

  /** Finds the changes since the last look and tells them. @throws an error of the database; nothing is lost by it */
  async next(to: PollListener): Promise<PollResult> {
    const servedChanges = await this.#source.changesSince(this.#read, this.#seen);
    if (servedChanges === null) return { kind: 'moved' };
    const dueChanges = new Pending();
    for (const change of servedChanges.changes) {
      dueChanges.add(change);
      const xid = BigInt(change.xid);
      if (this.#ahead === null || this.#ahead < xid) this.#ahead = xid;
    }
    [this.#read, this.#seen] = [servedChanges.cursor, servedChanges.seen];
    if (!this.#failed.isEmpty && this.#clock.now() >= this.#retryAt) {
      dueChanges.merge(this.#failed);
      this.#failed = new Pending();
    }
    const isNews = !dueChanges.isEmpty || this.#reachesAhead();
    const failure = dueChanges.isEmpty ? null : await this.#tell(dueChanges, to);
    if (this.#reachesAhead()) this.#ahead = null;
    if (this.#failed.isEmpty && this.#said !== this.#read) {
      this.#said = this.#read;
      to.moveTo(this.#said, isNews);
    }
    return { kind: 'looked', isChanged: servedChanges.changes.length > 0, failure, isComplete: this.#failed.isEmpty };
  }

  #reachesAhead(): boolean {
    const { xid = 0n } = parseCursor(this.#read) ?? {};
    return this.#ahead !== null && this.#ahead < xid;
  }

  /** @returns the first failure */
  async #tell(dueChanges: Pending, to: PollListener): Promise<LineFailure | null> {
    if (dueChanges.all) to.tellAll();
    const failures: LineFailure[] = [];
    for await (const part of renderPending(this.#source, dueChanges, this.#said, (failure) => failures.push(failure))) {
      to.tell(part);
    }
    const [first = null] = failures;
    if (first === null) {
      if (this.#failed.isEmpty) this.#failures = 0;
      return null;
    }
    for (const { zoneId, names } of failures) this.#failed.addNames(zoneId, names);
    this.#retryAt = this.#clock.now() + Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
    this.#failures = Math.min(this.#failures + 1, 10);
    return first;
  }
}
