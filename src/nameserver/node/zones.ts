// The work of all zones: waiting, running, or failed and to be tried again.
//
// A zone name is idle, waiting, running, or failing (waiting for its next attempt). Work that arrives while the name
// runs waits for the end of it. Work is counted in the position, so that the cursor advances only over applied work.
// The cursor omits work of a zone that fails, or that takes long while others advance: the row of the zone is marked
// dirty first.
import { MAX_FAILING } from '#contract/feed.ts';
import type { Logger } from '#telemetry/log.ts';
import { ZoneLoading } from '../engine.ts';
import { type ConvergeContext, changeNames, reloadZone, removeHeldZone } from './converge.ts';
import { LargeZone, textOfError } from './faults.ts';
import { canApply, countNames, isSmall, mergeWork, retryDelay, toReload, type ZoneWork } from './plan.ts';
import { FeedProgress } from './position.ts';
import { RecentNames } from './recent.ts';
import { emptyRow, type NodeState } from './state.ts';

interface Pending {
  work: ZoneWork;
  /** The number in the position; null if the position omits the work. */
  number: number | null;
  /** Whether a line of the feed asked for it, and not a list or a doubt about the name server. */
  isNews: boolean;
  readonly since: number;
}

interface ZoneProgress {
  readonly name: string;
  /** By zone id: a zone that was deleted and its successor of the same name are two. */
  readonly works: Map<string, Pending>;
  running: Pending | null;
  attempts: number;
  error: string | null;
  isLate: boolean;
  isLarge: boolean;
  cancelRetry: (() => void) | null;
}

export interface FailingZone {
  readonly id: string;
  readonly name: string;
  readonly error: string;
}

interface ZonesOptions extends Omit<ConvergeContext, 'isAwaited'> {
  readonly random: () => number;
  readonly log: Logger;
  /** Something was applied, or failed. */
  onProgress(result: 'applied' | 'failed'): void;
  /** A zone was read as a whole. @param names the names that differed in the name server */
  onReloaded(name: string, names: readonly string[]): void;
  /** The name server may hold more than was written. */
  onDoubt(name: string): void;
  /**
   * The api does not have a zone whose work the cursor no longer contains: only a list shows what became of its name.
   */
  onAbsent(): void;
}

const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 300_000;
/** Zones that are read or written at once; at most four of them at the name server. */
const BULK_AT_ONCE = 32;
/** So many of them may be zones without news: after a start, all may be in doubt, and news must not wait for them. */
const BACKGROUND_AT_ONCE = 24;
/** Zones with more RRsets are read one at a time, so memory holds at most one of them. */
const LARGE_SETS = 2_000;
/** More names than these wait: further changes are read as whole zones. */
const MAX_NAMES = 50_000;
const LATE_MS = 2_000;
/** At most so many zones are omitted because they take long. The report can name MAX_FAILING zones. */
const MAX_LATE = MAX_FAILING / 2;

type Lane = 'small' | 'bulk' | 'background' | 'large';

export class Zones {
  readonly position = new FeedProgress();
  readonly #options: ZonesOptions;
  readonly #context: ConvergeContext;
  readonly #signal: AbortSignal;
  readonly #zones = new Map<string, ZoneProgress>();
  readonly #numbered = new Map<number, { progress: ZoneProgress; pending: Pending }>();
  readonly #lanes: Record<Lane, Set<ZoneProgress>> = {
    small: new Set(),
    bulk: new Set(),
    background: new Set(),
    large: new Set(),
  };
  readonly #running = { small: 0, bulk: 0, background: 0, large: 0 };
  readonly #ends = new Set<Promise<void>>();
  readonly #recent = new RecentNames();
  #names = 0;

  constructor(options: ZonesOptions, signal: AbortSignal) {
    this.#options = options;
    this.#context = { ...options, isAwaited: (name) => this.#isAwaited(name) };
    this.#signal = signal;
  }

  /**
   * @param options.isCounted false: the zone's row is dirty, and the cursor does not wait for it. (Default: true.)
   * @param options.isNews whether a line of the feed asks for it: it goes ahead of other bulk. (Default: false.)
   */
  add(work: ZoneWork, { isCounted = true, isNews = false }: { isCounted?: boolean; isNews?: boolean } = {}): void {
    const { id, name } = work.kind === 'names' ? work.head : work;
    const progress = this.#zones.get(name) ?? newProgress(name);
    this.#zones.set(name, progress);
    const before = progress.works.get(id);
    this.#names -= before === undefined ? 0 : countNames(before.work);
    let mergedWork = mergeWork(before?.work, work);
    if (this.#names + countNames(mergedWork) > MAX_NAMES) mergedWork = toReload(mergedWork);
    this.#names += countNames(mergedWork);
    if (!isCounted) progress.isLate = true;
    if (before !== undefined) {
      before.work = mergedWork;
      before.isNews ||= isNews;
    } else {
      const number = isCounted ? this.position.open() : null;
      const pendingWork = { work: mergedWork, number, isNews, since: this.#options.clock.now() };
      progress.works.set(id, pendingWork);
      if (number !== null) this.#numbered.set(number, { progress, pending: pendingWork });
    }
    this.#queue(progress);
  }

  /** Tries all failing zones now: the api or the name server was down and is back. */
  retryAll(): void {
    for (const progress of this.#zones.values()) {
      progress.cancelRetry?.();
      progress.cancelRetry = null;
      this.#queue(progress);
    }
  }

  /**
   * Leaves zones out of the cursor that have been waiting long, so that the changes of other zones count as propagated.
   * Not before the first list is applied: a new node counts only with all zones.
   */
  leaveOutLate(): void {
    if (this.position.reached() === null) return;
    const now = this.#options.clock.now();
    const late = [...this.#numbered.values()].filter(({ pending }) => now - pending.since > LATE_MS);
    const lateCount = [...this.#zones.values()].filter(({ isLate }) => isLate).length;
    if (late.length === 0 || late.length + lateCount > MAX_LATE) return;
    for (const { progress, pending } of late) {
      progress.isLate = true;
      this.#leaveOut(progress, pending);
    }
  }

  isBusy(name: string): boolean {
    return this.#zones.has(name);
  }

  /** Zones that wait or run. */
  waiting(): number {
    return this.#zones.size;
  }

  *failing(): Generator<FailingZone> {
    for (const { name, error, isLate, works, running } of this.#zones.values()) {
      if (error === null && !isLate) continue;
      const [id = ''] = works.keys();
      yield { id: id || idOf(running?.work), name, error: error ?? 'the node is reading the zone' };
    }
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all(this.#ends);
  }

  #queue(progress: ZoneProgress): void {
    const [pendingWork] = progress.works.values();
    const isReady = pendingWork !== undefined && progress.running === null && progress.cancelRetry === null;
    const wantedLane = isReady ? this.#lanes[this.#laneOf(progress, pendingWork)] : null;
    // A zone that changes often keeps its place, and does not go to the end each time.
    for (const lane of Object.values(this.#lanes)) if (lane !== wantedLane) lane.delete(progress);
    if (wantedLane === null) return;
    wantedLane.add(progress);
    this.#pump();
  }

  #laneOf(progress: ZoneProgress, { work, isNews }: Pending): Lane {
    if (progress.isLarge && work.kind === 'reload') return 'large';
    const isApplicable = work.kind === 'names' && canApply(this.#options.state.rows().get(progress.name), work.head.id);
    if (isApplicable && isSmall(work)) return 'small';
    return isNews ? 'bulk' : 'background';
  }

  #pump(): void {
    if (this.#signal.aborted) return;
    const { permits } = this.#options;
    for (const progress of this.#lanes.small) {
      if (!permits.isFree('small')) break;
      this.#start(progress, 'small');
    }
    for (const progress of this.#lanes.bulk) {
      if (this.#running.bulk + this.#running.background >= BULK_AT_ONCE) break;
      this.#start(progress, 'bulk');
    }
    for (const progress of this.#lanes.background) {
      if (this.#running.background >= BACKGROUND_AT_ONCE) break;
      this.#start(progress, 'background');
    }
    for (const progress of this.#lanes.large) {
      if (this.#running.large >= 1) break;
      this.#start(progress, 'large');
    }
  }

  #start(progress: ZoneProgress, lane: Lane): void {
    this.#lanes[lane].delete(progress);
    const [entry] = progress.works;
    if (entry === undefined) return;
    const [id, pendingWork] = entry;
    progress.works.delete(id);
    progress.running = pendingWork;
    this.#names -= countNames(pendingWork.work);
    this.#running[lane] += 1;
    const end = this.#run(progress, pendingWork, lane).finally(() => {
      this.#ends.delete(end);
      this.#running[lane] -= 1;
      this.#pump();
    });
    this.#ends.add(end);
  }

  async #run(progress: ZoneProgress, pendingWork: Pending, lane: Lane): Promise<void> {
    try {
      await this.#apply(progress, pendingWork, lane);
      this.#close(pendingWork);
      Object.assign(progress, { attempts: 0, error: null });
      progress.isLate = [...progress.works.values()].some(({ number }) => number === null);
      progress.running = null;
      if (progress.works.size === 0) this.#zones.delete(progress.name);
      this.#options.onProgress('applied');
    } catch (error) {
      progress.running = null;
      if (this.#signal.aborted) return;
      this.#again(progress, pendingWork, error);
    }
    this.#queue(progress);
  }

  async #apply(progress: ZoneProgress, pendingWork: Pending, lane: Lane): Promise<void> {
    const { permits, state } = this.#options;
    const { work } = pendingWork;
    const wasUnlisted = state.unlisted().has(progress.name);
    if (work.kind === 'gone') {
      await permits.run('bulk', () => removeHeldZone(this.#context, work, this.#signal), this.#signal);
      if (wasUnlisted) this.#readAbove(progress.name);
      return;
    }
    const row = state.rows().get(progress.name);
    if (work.kind === 'names' && canApply(row, work.head.id)) {
      const { head } = work;
      const names = new Map([...work.sets].filter(([name]) => !this.#recent.has(progress.name, head.version, name)));
      const apply = () => changeNames(this.#context, row, head, names, this.#signal);
      if (names.size > 0) await permits.run(lane === 'small' ? 'small' : 'bulk', apply, this.#signal);
      // An RRset of an earlier version may change with a line of this version that is still to come.
      const latest = [...names.keys()].filter((name) => work.latest.has(name));
      this.#recent.applied(progress.name, head.version, latest);
      return;
    }
    this.#recent.forget(progress.name);
    const zone = { id: idOf(work), name: progress.name };
    const limit = progress.isLarge ? undefined : LARGE_SETS;
    const { version, names, isExact, isLost } = await reloadZone(this.#context, zone, limit, this.#signal);
    // A `gone` line follows for work that the cursor contains.
    if (version === null) return pendingWork.number === null ? this.#options.onAbsent() : undefined;
    this.#recent.applied(progress.name, version, null);
    if (isLost)
      this.#options.log.warn(
        { zone: progress.name },
        'the name server had lost the contents of a zone; the node gave them again',
      );
    this.#options.onReloaded(progress.name, names);
    if (wasUnlisted) this.#readAbove(progress.name);
    if (!isExact) this.#options.onDoubt(progress.name);
  }

  /** The zone above kept the delegation of a held zone as it was. */
  #readAbove(name: string): void {
    const rows = this.#options.state.rows();
    for (let at = name.indexOf('.'); at >= 0; at = name.indexOf('.', at + 1)) {
      const above = rows.get(name.slice(at + 1));
      if (above === undefined || above.unlisted !== null || above.id === '') continue;
      this.add({ kind: 'reload', id: above.id, name: above.name });
      return;
    }
  }

  /** Puts the work back: later for an error, alone for a large zone. */
  #again(progress: ZoneProgress, pendingWork: Pending, error: unknown): void {
    const id = idOf(pendingWork.work);
    const newer = progress.works.get(id);
    const failedWork = pendingWork.work.kind === 'names' ? toReload(pendingWork.work) : pendingWork.work;
    this.#names -= newer === undefined ? 0 : countNames(newer.work);
    const work = newer === undefined ? failedWork : mergeWork(failedWork, newer.work);
    if (newer !== undefined) this.#close(newer);
    pendingWork.work = work;
    pendingWork.isNews ||= newer?.isNews ?? false;
    progress.works.delete(id);
    progress.works.set(id, pendingWork);
    if (error instanceof LargeZone) {
      progress.isLarge = true;
      return;
    }
    const isLoading = error instanceof ZoneLoading;
    if (!isLoading) progress.attempts += 1;
    const text = textOfError(error);
    const { clock, log, random } = this.#options;
    const wait = isLoading ? RETRY_MIN_MS : retryDelay(progress.attempts, RETRY_MIN_MS, RETRY_MAX_MS, random);
    if (progress.error !== text && !isLoading)
      log.warn(
        { zone: progress.name, err: error, retryMs: Math.round(wait) },
        'failed to apply a zone; the node retries it, and serves its old contents',
      );
    progress.error = text;
    for (const each of progress.works.values()) this.#leaveOut(progress, each);
    progress.cancelRetry = clock.setTimeout(() => {
      progress.cancelRetry = null;
      this.#queue(progress);
    }, wait);
    this.#options.onProgress('failed');
  }

  /** The mark in the state comes first, so that no crash loses the work. */
  #leaveOut(progress: ZoneProgress, pendingWork: Pending): void {
    const { state } = this.#options;
    const row = state.rows().get(progress.name) ?? emptyRow(progress.name, idOf(pendingWork.work));
    state.put({ ...row, isDirty: true });
    this.#close(pendingWork);
  }

  #close(pendingWork: Pending): void {
    if (pendingWork.number === null) return;
    this.position.close(pendingWork.number);
    this.#numbered.delete(pendingWork.number);
    pendingWork.number = null;
  }

  #isAwaited(name: string): boolean {
    const progress = this.#zones.get(name);
    return progress !== undefined && [...progress.works.values()].some(({ number }) => number === null);
  }
}

/** Zones that stay although the list of the api lacks them. */
export function listUnlisted(state: NodeState): { name: string; since: number }[] {
  const rows = [...state.rows().values()];
  return rows.flatMap(({ name, unlisted }) => (unlisted === null ? [] : [{ name, since: unlisted.since }]));
}

function newProgress(name: string): ZoneProgress {
  return {
    name,
    works: new Map(),
    running: null,
    attempts: 0,
    error: null,
    isLate: false,
    isLarge: false,
    cancelRetry: null,
  };
}

function idOf(work: ZoneWork | undefined): string {
  if (work === undefined) return '';
  return work.kind === 'names' ? work.head.id : work.id;
}
