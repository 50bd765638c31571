// The hub of the feed: one in each process. It looks for changes in the database while name servers follow the feed,
// and gives their lines to every stream. It looks at once when this process commits a change, or after 10 ms if changes
// follow each other quickly. For changes of other processes it looks every 50 ms, and every 10 ms for a moment after
// one of them.

import type { Clock } from '#base/clock.ts';
import { LINE_LEVELS, type LineLevels } from '#base/feed-levels.ts';
import type { Limit } from '#base/limit.ts';
import { sleep } from '#base/wait.ts';
import { Waker } from '#base/waker.ts';
import type { Logger } from '#telemetry/log.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { Commits } from './commits.ts';
import type { LineFailure } from './lines.ts';
import { Look, type PollListener } from './look.ts';
import type { FeedMetrics } from './metrics.ts';
import type { Outlet } from './outlet.ts';
import type { ServedSource } from './source.ts';
import { type End, Stream } from './stream.ts';

const BUSY_MS = 10;
const QUIET_MS = 50;
/** The least time between two looks. */
const APART_MS = 2;
/**
 * Changes that are found so soon after others are found together with the next ones: a look costs as much as many
 * changes.
 */
const CROWD_MS = 25;
/** Another process's next change often follows soon, so the hub looks often for this time after one. */
const BUSY_FOR_MS = 500;
const BEAT_MS = 1_000;
/** Two of these are less than the 5 s within which the stream of a revoked key ends. */
const KEYS_MS = 2_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;
/** The streams of one process, and those of one node. */
export const MAX_STREAMS = 64;
const MAX_OF_NODE = 2;
const RETRY_AFTER_MS = 2_000;

export interface HubOptions {
  source: ServedSource;
  clock: Clock;
  log: Logger;
  metrics: FeedMetrics;
  commits: Commits;
  /** Limits the reads of all zones that are in progress. */
  reads: Limit;
  /** The levels of the kinds of lines. (Default: those of this version.) */
  levels?: LineLevels;
  /** Which of these keys are neither revoked nor expired. */
  validKeys(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface Reader {
  /** The position to resume at; null: the stream begins with the list of all zones. */
  after: string | null;
  /** The name of the node. A third stream of one name ends the oldest one. */
  node: string;
  keyId: string;
  /** The level of the lines that the node knows. */
  understands: number;
}

export interface Hub {
  /**
   * Opens a stream.
   * @param connect makes the connection; it is called last, so that an error can be answered
   * @throws Refusal busy; an error of the database
   */
  open(reader: Reader, connect: () => Outlet): Promise<void>;
  /** Ends all streams and the work of the hub. */
  close(): Promise<void>;
}

interface Opened {
  stream: Stream;
  node: string;
  keyId: string;
}

export function createHub(options: HubOptions): Hub {
  return new FeedHub(options);
}

class FeedHub implements Hub {
  readonly #options: HubOptions;
  readonly #streams = new Set<Opened>();
  readonly #stop = new AbortController();
  readonly #waker = new Waker();
  /** The streams that wait for the first look. */
  readonly #starting = new Set<PromiseWithResolvers<void>>();
  #looks = 0;
  #look: Look | null = null;
  #isAnnounced = false;
  readonly #silence: () => void;
  readonly #listener: PollListener;
  /** Whether a zone that could not be rendered was logged. */
  #isLogged = false;
  readonly #running: Promise<unknown>;

  constructor(options: HubOptions) {
    this.#options = options;
    const { metrics, commits } = this.#options;
    metrics.watchStreams(() => this.#streams.size);
    this.#silence = commits.onAnnounced(() => {
      this.#isAnnounced = true;
      this.#waker.wake();
    });
    this.#listener = {
      tell: (part) => {
        for (const { stream } of [...this.#streams]) stream.tell(part);
      },
      tellAll: () => {
        for (const { stream } of [...this.#streams]) stream.tellAll();
      },
      moveTo: (cursor, isNews) => {
        for (const { stream } of [...this.#streams]) stream.moveTo(cursor, this.#looks, isNews);
      },
    };
    this.#running = Promise.all([
      this.#run(),
      this.#every(BEAT_MS, () => this.#beat()),
      this.#every(KEYS_MS, () => this.#endRevoked()),
    ]);
  }

  async open(reader: Reader, connect: () => Outlet): Promise<void> {
    this.#mustHaveRoom(reader);
    // The looks begin before the first query of the stream, so that no change falls between them.
    while (this.#look === null) {
      const start = Promise.withResolvers<void>();
      this.#starting.add(start);
      this.#waker.wake();
      await start.promise;
      this.#mustHaveRoom(reader);
    }
    this.#add(reader, connect()).begin(reader.after);
  }

  async close(): Promise<void> {
    this.#silence();
    this.#stop.abort();
    for (const each of this.#starting) each.reject(busy('work, because it exits'));
    this.#endAll('shutdown');
    await this.#running;
  }

  #pause(ms: number) {
    const { clock } = this.#options;
    return sleep(clock, ms, this.#stop.signal).catch(() => undefined);
  }

  #endAll(end: End) {
    for (const { stream } of [...this.#streams]) stream.end(end);
  }

  /**
   * @returns whether there was a change
   * @throws an error of the database
   */
  async #lookOnce(): Promise<boolean> {
    const { source, clock, log } = this.#options;
    this.#look ??= await Look.begin(source, clock);
    for (const each of this.#starting) each.resolve();
    this.#starting.clear();
    this.#looks += 1;
    const pollResult = await this.#look.next(this.#listener);
    if (pollResult.kind === 'looked') {
      if (pollResult.failure !== null) this.#noteFailure(pollResult.failure);
      if (pollResult.isComplete) this.#isLogged = false;
      return pollResult.isChanged;
    }
    log.warn(
      'the feed cannot continue at its position (another database, a restart of Postgres, or very many changes at once); name servers get the list of all zones again',
    );
    this.#look = null;
    this.#endAll('moved');
    return false;
  }

  #noteFailure({ zoneId, error }: LineFailure): void {
    const { metrics, log } = this.#options;
    metrics.zoneFailed();
    if (!this.#isLogged) log.error({ err: error, zoneId }, RENDER_FAILED);
    this.#isLogged = true;
  }

  async #run(): Promise<void> {
    const { clock, metrics, log } = this.#options;
    let failures = 0;
    let lastChange = Number.NEGATIVE_INFINITY;
    let lastOfOthers = Number.NEGATIVE_INFINITY;
    while (!this.#stop.signal.aborted) {
      if (this.#streams.size + this.#starting.size === 0) {
        this.#look = null;
        await this.#waker.wait(clock, null, this.#stop.signal);
        continue;
      }
      const startedAt = clock.now();
      const isOwn = this.#isAnnounced;
      this.#isAnnounced = false;
      let apart = APART_MS;
      try {
        if (await this.#lookOnce()) {
          if (startedAt - lastChange < CROWD_MS) apart = BUSY_MS;
          lastChange = clock.now();
          if (!isOwn) lastOfOthers = lastChange;
        }
        metrics.polled('ok');
        if (failures > 0) log.info('the feed finds changes again');
        failures = 0;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        metrics.polled('failed');
        if (failures === 0) log.warn({ err: error }, 'the feed failed to look for changes; retrying');
        failures += 1;
        if (this.#look === null) {
          for (const each of this.#starting) each.reject(error);
          this.#starting.clear();
        }
        await this.#pause(Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10), LONGEST_RETRY_MS));
        continue;
      }
      // A look that takes long leaves the database as much time for others.
      await this.#pause(Math.max(apart, Math.min(clock.now() - startedAt, LONGEST_RETRY_MS)));
      const isBusy = clock.now() - lastOfOthers < BUSY_FOR_MS;
      await this.#waker.wait(clock, (isBusy ? BUSY_MS : QUIET_MS) - apart, this.#stop.signal);
    }
  }

  async #every(ms: number, work: () => Promise<void> | void): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#pause(ms);
      if (this.#streams.size > 0) await work();
    }
  }

  #beat() {
    for (const { stream } of [...this.#streams]) stream.beat();
  }

  async #endRevoked(): Promise<void> {
    const { validKeys } = this.#options;
    const ids = [...new Set([...this.#streams].map(({ keyId }) => keyId))];
    // While the database fails, streams stay: they would get the same answer elsewhere.
    const valid = await validKeys(ids).catch(() => null);
    if (valid === null) return;
    for (const { stream, keyId } of [...this.#streams]) if (ids.includes(keyId) && !valid.has(keyId)) stream.end('key');
  }

  #add({ node, keyId, understands }: Reader, outlet: Outlet): Stream {
    const { source, clock, reads, metrics, log, levels = LINE_LEVELS } = this.#options;
    const stream = new Stream({
      outlet,
      understands,
      levels,
      source,
      clock,
      mayList: (signal) => reads.take(keyId, signal),
      lastLook: () => this.#looks,
      onSent: metrics.sent,
      onFailure: ({ zoneId, error }) => log.warn({ err: error, zoneId, node }, 'a stream of the feed failed; retrying'),
      onEnd: (end) => {
        for (const each of this.#streams) if (each.stream === stream) this.#streams.delete(each);
        metrics.ended(end);
      },
    });
    this.#streams.add({ stream, node, keyId });
    // A node that lost its connection may open another one long before the loss is noticed here.
    const nodeStreams = [...this.#streams].filter((each) => each.node === node);
    for (const each of nodeStreams.slice(0, -MAX_OF_NODE)) each.stream.end('replaced');
    return stream;
  }

  #mustHaveRoom({ node }: Reader): void {
    if (this.#stop.signal.aborted) throw busy('work, because it exits');
    const streamCount = [...this.#streams].filter((each) => each.node === node).length;
    if (streamCount < MAX_OF_NODE && this.#streams.size >= MAX_STREAMS) throw busy('name servers');
  }
}

const RENDER_FAILED =
  'failed to render the changes of a zone for the feed; name servers get those of other zones, and do not count as current until it succeeds';

function busy(work: string): Refusal {
  return refusal('service-busy', { work }, { retryAfterMs: RETRY_AFTER_MS });
}
