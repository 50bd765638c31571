// Keeps one connection to the feed: connects with the cursor, hands each line on, and connects again when the
// connection ends.
import type { Clock } from '#base/clock.ts';
import { explainTls } from '#base/tls-fault.ts';
import { sleep } from '#base/wait.ts';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import type { FeedLine } from '#contract/feed.ts';
import type { LaterLine } from '#contract/feed-later.ts';
import type { Logger } from '#telemetry/log.ts';
import type { FeedApi } from './api.ts';
import { FEED_PEER, FeedFault, textOfError } from './faults.ts';
import { retryDelay } from './plan.ts';

/** Why a connection ended. `list` was asked for by this node. */
export type Ending = 'refused' | 'certificate' | 'unreachable' | 'fault' | 'list';
export const ENDINGS: readonly Ending[] = ['refused', 'certificate', 'unreachable', 'fault', 'list'];

interface FollowOptions {
  readonly api: Pick<FeedApi, 'follow'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** The cursor for the next connection; null asks for the list. */
  after(): string | null;
  /** @throws FeedFault if the line breaks the order of lines; the connection ends then */
  onLine(line: FeedLine | LaterLine): void;
  onEnd(ending: Ending, problem: string | null): void;
}

export interface Follower {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Ends the connection; the next one begins at once. */
  reconnect(): void;
}

const WAIT_MIN_MS = 200;
/** After an answer that is an error: the api has work enough. */
const WAIT_MAX_MS = 30_000;
/** Without any answer, a try costs nothing, and changes should arrive soon after an outage. */
const UNREACHABLE_MAX_MS = 5_000;
/** A key that is refused is rarely accepted a moment later. */
const REFUSED_MS = 30_000;
/** No answer makes the node wait longer. */
const RETRY_AFTER_MAX_MS = 300_000;

export function createFollower(options: FollowOptions): Follower {
  return new FeedFollower(options);
}

class FeedFollower implements Follower {
  readonly #options: FollowOptions;
  #connection: AbortController | null = null;
  #isAsked = false;
  #failures = 0;
  #logged: string | null = null;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      let wait = 0;
      try {
        await this.#connect(signal);
      } catch (error) {
        if (signal.aborted) return;
        wait = this.#judge(error);
      }
      await sleep(clock, wait, signal).catch(() => undefined);
    }
  }

  reconnect(): void {
    this.#isAsked = this.#connection !== null;
    this.#connection?.abort(new FeedFault('the node asks for the list of zones'));
  }

  /** Returns only by throwing the reason of the end. */
  async #connect(signal: AbortSignal): Promise<never> {
    const { api, log } = this.#options;
    const connectionAbort = new AbortController();
    const stop = () => connectionAbort.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    this.#connection = connectionAbort;
    try {
      for await (const line of api.follow(this.#options.after(), connectionAbort.signal)) {
        this.#options.onLine(line);
        // A connection counts as good with its first beat: an api that sends a list and fails is not asked five times a
        // second.
        if (line.kind !== 'beat') continue;
        this.#failures = 0;
        if (this.#logged !== null) log.info('the feed of the api is connected again');
        this.#logged = null;
      }
      throw new FeedFault('the api ended the feed');
    } finally {
      this.#connection = null;
      signal.removeEventListener('abort', stop);
      connectionAbort.abort(new FeedFault('the connection has ended'));
    }
  }

  /** Logs the first of equal failures. @returns the wait before the next connection in ms */
  #judge(error: unknown): number {
    const { random, log } = this.#options;
    if (this.#isAsked) {
      this.#isAsked = false;
      this.#options.onEnd('list', null);
      return 0;
    }
    this.#failures += 1;
    const longest = error instanceof ApiUnavailable ? UNREACHABLE_MAX_MS : WAIT_MAX_MS;
    let wait = retryDelay(this.#failures, WAIT_MIN_MS, longest, random);
    const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
    if (isRefused) wait = REFUSED_MS * (1 + random());
    else if (error instanceof ApiError && error.retryAfterMs !== null) {
      wait = Math.max(wait, Math.min(error.retryAfterMs, RETRY_AFTER_MAX_MS));
    }
    const problem = isRefused ? refused(error) : textOfError(error);
    if (problem !== this.#logged)
      log[isRefused ? 'error' : 'warn']({ retryMs: Math.round(wait) }, `the feed is not connected: ${problem}`);
    this.#logged = problem;
    this.#options.onEnd(isRefused ? 'refused' : classifyFault(error), problem);
    return wait;
  }
}

/** A certificate that is not accepted is told from a network that is down: it needs another person. */
function classifyFault(error: unknown): Ending {
  if (explainTls(error, FEED_PEER) !== null) return 'certificate';
  return error instanceof FeedFault ? 'fault' : 'unreachable';
}

function refused(error: ApiError): string {
  const reason = `${error.status} ${error.code}: ${textOfError(error)}`;
  // The reason of 403 says what to change: the kind of the key, or the connection.
  return error.status === 403
    ? `the api refuses this node (${reason}). It keeps serving the zones that it has`
    : `the api refuses the key of this node (${reason}). Give the node a valid node key; it keeps serving the zones that it has`;
}
