// Looks after statements that have no answer for some time, while there are any. watch.ts has the rules.
import { findLoss, type Reason } from './outage.ts';
import type { Pool, PoolWork } from './pool.ts';
import type { AskServer, ServerState } from './server-state.ts';
import { judgeWork, SUSPECT_MS } from './watch.ts';

interface WatcherOptions {
  /** The pools that can have work. */
  pools(): readonly Pool[];
  ask: AskServer;
  giveUp(pool: Pool, reason: Reason, why: string): void;
  /** The commit waits for a synchronous standby. */
  hold(pool: Pool, work: PoolWork): void;
  /** The time in ms. */
  now(): number;
}

const TICK_MS = 500;
/** After an answer that found no problem, a pool is left alone for this long, in ms. */
const FINE_MS = 1_000;
/** So many questions in a row must stay unanswered. */
const MISSES = 2;

export class Watcher {
  readonly #options: WatcherOptions;
  readonly #missed = new WeakMap<PoolWork, number>();
  readonly #fineUntil = new WeakMap<Pool, number>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  /** To be called when work begins. */
  wake(): void {
    if (this.#timer !== null || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#round(), TICK_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #round(): Promise<void> {
    await Promise.all(this.#options.pools().map((pool) => this.#look(pool)));
    this.#timer = null;
    if (this.#options.pools().some((pool) => pool.work.size > 0)) this.wake();
  }

  /** Asks the server for the work of a pool that has had no answer for long. Never rejects. */
  async #look(pool: Pool): Promise<void> {
    const { now, ask, giveUp } = this.#options;
    const startedAt = now();
    const { current: host } = pool;
    const suspects = [...pool.work].filter((work) => startedAt - (work.waitsSince() ?? startedAt) >= SUSPECT_MS);
    if (suspects.length === 0 || host === null || startedAt < (this.#fineUntil.get(pool) ?? 0)) return;
    for (let misses = 1; ; misses += 1) {
      try {
        const state = await ask({ host, pids: suspects.flatMap((work) => work.pid() ?? []) });
        this.#fineUntil.set(pool, now() + FINE_MS);
        if (!state.isWritable) giveUp(pool, 'read-only', 'takes no writes any more');
        else this.#judge(pool, suspects, state);
        return;
      } catch (error) {
        // A server that answers other statements, or that is full, is there.
        if (findLoss(error) === null || pool.answered > startedAt || pool.isDropped) return;
        if (misses < MISSES) continue;
        giveUp(pool, 'silent', 'does not answer');
        return;
      }
    }
  }

  #judge(pool: Pool, suspects: readonly PoolWork[], state: ServerState): void {
    const { now, giveUp, hold } = this.#options;
    for (const work of suspects) {
      if (!pool.work.has(work)) continue;
      const missedCount = this.#missed.get(work) ?? 0;
      const finding = judgeWork(
        { pid: work.pid(), waitedMs: now() - (work.waitsSince() ?? now()), missed: missedCount },
        state,
      );
      this.#missed.set(work, finding === 'missing' ? missedCount + 1 : 0);
      if (finding === 'gone') giveUp(pool, 'silent', 'was replaced by another one at its address');
      if (finding === 'held') hold(pool, work);
    }
  }
}
