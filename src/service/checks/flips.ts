// Changes the states of addresses as the probes call for, unless the brake or the pause after a change for the better
// prevents it. Each write asks the database once more whether this process has the lease.

import type { Logger } from 'pino';
import type { Clock } from '#base/clock.ts';
import { markTarget, type TargetState, writeTargetState } from '#store/check-targets.ts';
import type { Db } from '#store/database.ts';
import { type Frozen, isFrozen, judgeMass, WINDOW_MS } from './brake.ts';
import { isPaused, wantedState } from './judge.ts';
import type { CheckerMetrics } from './metrics.ts';
import type { Target, Targets } from './targets.ts';

interface FlipOptions {
  db: Db;
  clock: Clock;
  log: Logger;
  metrics: CheckerMetrics;
  holder: string;
  targets: Targets;
  announce(): void;
}

const FROZEN_REASON =
  'Most addresses fail at once, so nothing changes until fewer do: our own network is the likelier cause.';
const PAUSED_REASON = 'It became healthy less than 30 s ago, and counts as healthy until then.';
/** Writes at once. */
const AT_ONCE = 8;
/** After a write that failed, the next one waits for this long, in ms. */
const RETRY_MS = 1_000;

export class Flips {
  readonly #options: FlipOptions;
  /** The targets whose probes call for another state. */
  readonly #waiting = new Set<Target>();
  #frozen: Frozen = { everyone: false, owners: new Set() };
  #retryAt = 0;

  constructor(options: FlipOptions) {
    this.#options = options;
  }

  /** Notes whether the probes call for another state. */
  look(target: Target): void {
    if (wantedState(target.track, target.definition) === target.track.state) this.#waiting.delete(target);
    else this.#waiting.add(target);
  }

  /** Writes the states that may change now. Never rejects. */
  async settle(): Promise<void> {
    const { clock, log } = this.#options;
    const now = clock.now();
    if (now < this.#retryAt) return;
    for (const target of this.#waiting) if (!target.isWanted) this.#waiting.delete(target);
    if (this.#waiting.size === 0 && this.#frozen.owners.size === 0 && !this.#frozen.everyone) return;
    try {
      this.#frozen = judgeMass(this.#braked(), now);
      this.#tellFrozen();
      await this.#takeBack(now);
      const ready = [...this.#waiting].filter((target) => this.#mayFlip(target, now));
      for (let at = 0; at < ready.length; at += AT_ONCE)
        await Promise.all(ready.slice(at, at + AT_ONCE).map((target) => this.#flip(target)));
      for (const target of this.#waiting) await this.#tellHeld(target, now);
    } catch (error) {
      log.warn({ err: error }, 'failed to write the states of checked addresses; they stay as they are meanwhile');
      this.#retryAt = now + RETRY_MS;
    }
  }

  /** The address may not be probed: its state is unknown, and says why. Never rejects. */
  async refuse(target: Target, reason: string): Promise<void> {
    if (target.track.state === 'Unknown' && target.toldReason === reason) return;
    await this.#write(target, 'Unknown', reason).catch((error) =>
      this.#options.log.warn({ err: error, address: target.address }, 'failed to say why an address is not probed'),
    );
  }

  *#braked() {
    for (const target of this.#options.targets.all()) {
      const isPending =
        target.track.state !== 'Unhealthy' && wantedState(target.track, target.definition) === 'Unhealthy';
      yield { owner: target.owner, isPending, downAt: target.downAt };
    }
  }

  #mayFlip(target: Target, now: number): boolean {
    if (wantedState(target.track, target.definition) !== 'Unhealthy') return true;
    return !isFrozen(this.#frozen, target.owner) && !isPaused(target.track, now);
  }

  async #flip(target: Target): Promise<void> {
    const state = wantedState(target.track, target.definition);
    const before = target.track.state;
    if (!(await this.#write(target, state, target.failure))) return;
    const now = this.#options.clock.now();
    const isUp = state === 'Healthy' && before === 'Unhealthy';
    target.track = { ...target.track, ...(isUp ? { upAt: now } : {}) };
    target.downAt = state === 'Unhealthy' ? now : null;
    this.#waiting.delete(target);
    if (before !== 'Unknown' || state === 'Unhealthy') this.#options.metrics.countFlip(state);
  }

  /** Addresses that became unhealthy just before a mass failure was seen are served again. */
  async #takeBack(now: number): Promise<void> {
    for (const target of this.#options.targets.all()) {
      const isRecent = target.downAt !== null && now < target.downAt + WINDOW_MS;
      if (!isRecent || !isFrozen(this.#frozen, target.owner)) continue;
      if (!(await this.#write(target, 'Unknown', FROZEN_REASON))) continue;
      target.downAt = null;
      this.look(target);
    }
  }

  /** Says why the state of a failing address does not change. */
  async #tellHeld(target: Target, now: number): Promise<void> {
    if (this.#mayFlip(target, now)) return;
    const reason = isFrozen(this.#frozen, target.owner) ? FROZEN_REASON : PAUSED_REASON;
    if (target.toldReason !== reason) await this.#write(target, target.track.state, reason);
  }

  #tellFrozen(): void {
    const { metrics, log } = this.#options;
    const count = this.#frozen.everyone ? 'all' : this.#frozen.owners.size;
    if (metrics.setFrozen(this.#frozen.everyone || this.#frozen.owners.size > 0))
      log.warn({ owners: count }, 'most checked addresses fail at once: no address becomes unhealthy until fewer do');
  }

  /** @returns false if another process has the lease, or no record has the address any more */
  async #write(target: Target, state: TargetState, reason: string | null): Promise<boolean> {
    const { db, holder, announce, clock } = this.#options;
    const mark = await writeTargetState(db, target, holder, { state, reason });
    if (mark === false) return false;
    target.track = { ...target.track, state };
    target.toldReason = reason;
    if (mark === null) return true;
    // A zone that stays locked is marked later, by the round of the checker.
    await markTarget(db, target, mark, Math.floor(clock.now() / 1_000)).catch(() => undefined);
    announce();
    return true;
  }
}
