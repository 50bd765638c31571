// The stream of one name server.
//
//   catching up  It has lines of its own: first the list of all zones or the changes since its cursor, then the changes
//                that came meanwhile. These are collected by zone (pending.ts) until the reader has taken the lines
//                that were sent.
//   following    Nothing is pending. It gets the same octets as every other stream that follows.
//   ended        The connection is closed, or the node was too slow, or its key ended.
//
// A stream that follows catches up again when its reader is slow, or when all zones have to be read again. `said` is
// the position up to which everything was written. Every line except `beat` and `list-end` carries the position before
// it.
import type { Clock } from '#base/clock.ts';
import type { LineLevels } from '#base/feed-levels.ts';
import { sleep } from '#base/wait.ts';
import { parseCursor } from './cursor.ts';
import { fitPart } from './levels.ts';
import { buildFeedPart, type FeedPart, type LineFailure, renderPending, type ServedLine } from './lines.ts';
import { FEW_WAITING, MAX_WAITING, type Outlet } from './outlet.ts';
import { Pending } from './pending.ts';
import type { ServedSource, ZoneHead } from './source.ts';

/** Why a stream ended. */
export const ENDS = ['left', 'slow', 'replaced', 'key', 'moved', 'failed', 'shutdown'] as const;
export type End = (typeof ENDS)[number];

/** The longest time, in ms, in which a reader may take nothing. */
const STALL_MS = 15_000;
/** The longest time, in ms, that a list of all zones may take: it holds a database connection. */
const LIST_MS = 120_000;
/** The wait, in ms, before zones that could not be rendered are tried again. */
const RETRY_MS = 1_000;

export interface StreamOptions {
  outlet: Outlet;
  source: ServedSource;
  clock: Clock;
  /** The level of the lines that the node knows. */
  understands: number;
  levels: LineLevels;
  /** Waits for permission to read the list of all zones. @returns the function that gives it back */
  mayList(signal: AbortSignal): Promise<() => void>;
  /** The number of the last look of the hub at the database that has begun. */
  lastLook(): number;
  onSent(part: FeedPart): void;
  /** Called for the first failure of the stream. */
  onFailure(failure: { zoneId: string | null; error: unknown }): void;
  onEnd(end: End): void;
}

export class Stream {
  readonly #options: StreamOptions;
  readonly #stop = new AbortController();
  #pending = new Pending();
  #isFollowing = false;
  #hasFailed = false;
  #said: string | null = null;
  /** When nothing is pending, everything up to here was told. */
  #target = '';
  /** The positions of looks up to this one are older than `#target`. */
  #since = 0;
  #isEnded = false;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Begins after this position, or with the list of all zones. The hub must call `tell` from before this call on. */
  begin(after: string | null): void {
    const { closed } = this.#options.outlet;
    const leave = () => this.end('left');
    closed.addEventListener('abort', leave, { once: true });
    // The connection may have closed before the answer began.
    if (closed.aborted) leave();
    if (this.#isEnded) return;
    void this.#catchUp(() => this.#sayBeginning(after));
  }

  /** Takes lines that every stream gets. */
  tell(part: FeedPart): void {
    if (this.#isEnded) return;
    if (this.#isFollowing && this.#hasRoom(part.text.length)) {
      this.#send(part);
      return;
    }
    for (const [zoneId, name] of part.gone) this.#pending.addGone(zoneId, name);
    for (const [zoneId, names] of part.zones) this.#pending.addNames(zoneId, names);
    this.#fallBehind();
  }

  /** Every zone has to be read again. */
  tellAll(): void {
    if (this.#isEnded) return;
    this.#pending.addAll();
    this.#fallBehind();
  }

  /**
   * Everything up to `cursor` was given to `tell`.
   * @param look the number of the look that found it
   * @param isNews whether a node waits for this position, because it includes changes
   */
  moveTo(cursor: string, look: number, isNews: boolean): void {
    if (this.#isEnded || look <= this.#since) return;
    this.#target = cursor;
    if (!this.#isFollowing) return;
    this.#said = cursor;
    if (isNews) this.beat();
  }

  /** Shows the reader that the stream is alive. A reader that has not taken the last lines needs no more. */
  beat(): void {
    if (this.#isEnded || this.#said === null || !this.#hasRoom(0)) return;
    this.#send(buildFeedPart([{ kind: 'beat', cursor: this.#said }]));
  }

  end(end: End): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stop.abort();
    this.#options.outlet.end(end !== 'slow');
    this.#options.onEnd(end);
  }

  #hasRoom(octets: number): boolean {
    const waitingOctets = this.#options.outlet.waiting();
    return waitingOctets === 0 || waitingOctets + octets <= MAX_WAITING;
  }

  /** @returns false if the node does not know a line, and reads all zones again instead */
  #send(part: FeedPart): boolean {
    const { outlet, understands, levels, onSent } = this.#options;
    const fittedPart = fitPart(part, understands, levels);
    if (fittedPart === null) {
      this.tellAll();
      return false;
    }
    outlet.write(fittedPart.text);
    onSent(fittedPart);
    return true;
  }

  #fallBehind(): void {
    if (this.#pending.isTooLarge) this.end('slow');
    if (this.#isEnded || !this.#isFollowing) return;
    this.#isFollowing = false;
    void this.#catchUp();
  }

  async #catchUp(first: () => Promise<void> = async () => undefined): Promise<void> {
    try {
      await first();
      for (;;) {
        await this.#untilTaken();
        if (this.#isEnded) return;
        if (this.#pending.isEmpty) break;
        await this.#sayPending();
      }
      this.#isFollowing = true;
      this.#said = this.#target;
      this.beat();
    } catch (error) {
      if (this.#isEnded) return;
      this.#fail({ zoneId: null, error });
      this.end('failed');
    }
  }

  async #sayBeginning(after: string | null): Promise<void> {
    const { source, lastLook } = this.#options;
    const servedChanges = after === null ? null : await source.changesSince(after);
    if (servedChanges === null) return this.#sayList();
    for (const change of servedChanges.changes) this.#pending.add(change);
    [this.#said, this.#target, this.#since] = [after, servedChanges.cursor, lastLook()];
    if (!this.#isEnded)
      this.#send(buildFeedPart([{ kind: 'begin', epoch: servedChanges.epoch, resumed: true, cursor: after ?? '' }]));
  }

  async #sayList(): Promise<void> {
    const { source, lastLook } = this.#options;
    const cursor = await source.position();
    const { epoch = '' } = parseCursor(cursor) ?? {};
    [this.#target, this.#since] = [cursor, lastLook()];
    if (this.#isEnded) return;
    this.#send(buildFeedPart([{ kind: 'begin', epoch, resumed: false, cursor }]));
    const zones = await this.#sayHeads((head) => ({ kind: 'listed', ...head }));
    if (this.#isEnded) return;
    this.#said = cursor;
    this.#send(buildFeedPart([{ kind: 'list-end', zones, cursor }]));
  }

  async #sayPending(): Promise<void> {
    const { source, clock } = this.#options;
    const [dueChanges, upTo, cursor] = [this.#pending, this.#target, this.#said ?? this.#target];
    this.#pending = new Pending();
    const failures: LineFailure[] = [];
    let isSaid = true;
    for await (const part of renderPending(source, dueChanges, cursor, (failure) => failures.push(failure))) {
      if (this.#isEnded) return;
      isSaid = this.#send(part) && isSaid;
      await this.#untilTaken();
    }
    if (dueChanges.all) await this.#sayHeads((head) => ({ kind: 'reload', ...head, cursor }));
    const [failure] = failures;
    if (failure === undefined) {
      // The position stays before a line that was not sent until the node has read all zones.
      if (isSaid) this.#said = upTo;
      return;
    }
    this.#fail(failure);
    for (const { zoneId, names } of failures) this.#pending.addNames(zoneId, names);
    await sleep(clock, RETRY_MS, this.#stop.signal);
  }

  /** One line for each zone. @returns the number of zones */
  async #sayHeads(lineOf: (head: ZoneHead) => ServedLine): Promise<number> {
    const { source, clock, mayList } = this.#options;
    const release = await mayList(this.#stop.signal);
    const limit = clock.now() + LIST_MS;
    let zones = 0;
    try {
      for await (const page of source.list(this.#stop.signal)) {
        if (this.#isEnded) break;
        if (page.length > 0) this.#send(buildFeedPart(page.map(lineOf)));
        zones += page.length;
        await this.#untilTaken(limit);
      }
    } finally {
      release();
    }
    return zones;
  }

  /**
   * Waits for the reader. A reader that takes nothing for too long is ended.
   * @param limit the time at which it must have taken enough.
   */
  async #untilTaken(limit = Number.POSITIVE_INFINITY): Promise<void> {
    const { outlet, clock } = this.#options;
    let least = outlet.waiting();
    let end = Math.min(limit, clock.now() + STALL_MS);
    while (least > FEW_WAITING && !this.#isEnded) {
      await outlet.drained(Math.max(0, end - clock.now()));
      const waitingOctets = outlet.waiting();
      if (waitingOctets < least) end = Math.min(limit, clock.now() + STALL_MS);
      if (waitingOctets > FEW_WAITING && clock.now() >= end) this.end('slow');
      least = Math.min(least, waitingOctets);
    }
  }

  #fail(failure: { zoneId: string | null; error: unknown }): void {
    if (!this.#hasFailed) this.#options.onFailure(failure);
    this.#hasFailed = true;
  }
}
