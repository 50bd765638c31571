// Changes the states of addresses as the probes or the monitors call for, unless the brake or the pause after a change
// for the better prevents it. Each write asks the database once more whether this process has the lease. A round writes
// some states, in turns of the owners: thousands of addresses that fail at once do not hold up those of other owners.

import type { Logger } from 'pino';
import type { Clock } from '#base/clock.ts';
import { takeTurns } from '#base/fair/turns.ts';
import { isPaused } from '#base/probes/judge.ts';
import { markTarget, type TargetState, writeTargetState } from '#store/check-targets.ts';
import type { Db } from '#store/database.ts';
import { type Braked, type Frozen, isFrozen, isRecent, judgeMass, type Watched } from './brake.ts';
import type { CheckerMetrics } from './metrics.ts';
import { isPending, isProbed, stateToBe, type Target, type Targets } from './targets.ts';

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
const FROZEN_SIGNAL_REASON =
  'The monitors call most addresses unhealthy at once, so nothing changes until they call fewer so.';
const PAUSED_REASON = 'It became healthy less than 30 s ago, and counts as healthy until then.';
/** Writes at once. */
const AT_ONCE = 8;
/** Writes of each kind in a round: a tenth of a second. */
const MAX_OF_ROUND = 128;
/** After a write that failed, the next one waits for this long, in ms. */
const RETRY_MS = 1_000;

export class Flips {
  readonly #options: FlipOptions;
  /** The targets whose probes or monitors call for another state. */
  readonly #waiting = new Set<Target>();
  #frozen: Frozen = { everyone: false, groups: new Set() };
  #retryAt = 0;

  constructor(options: FlipOptions) {
    this.#options = options;
  }

  /** Notes whether the probes or the monitor call for another state. */
  look(target: Target): void {
    if (stateToBe(target) === target.track.state) this.#waiting.delete(target);
    else this.#waiting.add(target);
  }

  /** Writes the states that may change now. Never rejects. */
  async settle(): Promise<void> {
    const { clock, log } = this.#options;
    const now = clock.now();
    if (now < this.#retryAt) return;
    for (const target of this.#waiting) if (!target.isWanted) this.#waiting.delete(target);
    if (this.#waiting.size === 0 && this.#frozen.groups.size === 0 && !this.#frozen.everyone) return;
    try {
      this.#frozen = judgeMass(this.#braked(), now);
      this.#tellFrozen();
      await writeSome(this.#toTakeBack(now), (target) => this.#takeBack(target));
      const ready = [...this.#waiting].filter((target) => this.#mayFlip(target, now));
      await writeSome(ready, (target) => this.#flip(target));
      await writeSome(this.#toTell(now), (target) => this.#tellHeld(target));
    } catch (error) {
      log.warn({ err: error }, 'failed to write the states of checked addresses; they stay as they are meanwhile');
      this.#retryAt = now + RETRY_MS;
    }
  }

  /** The address may not be probed: its state is unknown, and says why. Never rejects. */
  async refuse(target: Target, reason: string): Promise<void> {
    if (target.track.state === 'Unknown' && target.toldReason === reason) return;
    await this.#tell(target, 'Unknown', reason);
  }

  /** Writes some of the reasons of monitors that call for the present state. Never rejects. */
  async explain(targets: readonly Target[]): Promise<void> {
    const settled = targets.filter((target) => stateToBe(target) === target.track.state);
    await writeSome(settled, (target) => this.#tell(target, target.track.state, target.failure));
  }

  async #tell(target: Target, state: TargetState, reason: string | null): Promise<void> {
    await this.#write(target, state, reason).catch((error) =>
      this.#options.log.warn({ err: error, address: target.address }, 'failed to write the reason of a state'),
    );
  }

  *#braked(): Iterable<Braked> {
    for (const target of this.#options.targets.all()) {
      const { downAt } = target;
      yield { ...watched(target), isPending: isPending(target), downAt, intervalMs: intervalMs(target) };
    }
  }

  #mayFlip(target: Target, now: number): boolean {
    if (stateToBe(target) !== 'Unhealthy') return true;
    return !isFrozen(this.#frozen, watched(target)) && !isPaused(target.track, now);
  }

  async #flip(target: Target): Promise<void> {
    const state = stateToBe(target);
    const before = target.track.state;
    if (!(await this.#write(target, state, target.failure))) return;
    const now = this.#options.clock.now();
    const isUp = state !== 'Unhealthy' && before === 'Unhealthy';
    target.track = { ...target.track, ...(isUp ? { upAt: now } : {}) };
    target.downAt = state === 'Unhealthy' ? now : null;
    this.#waiting.delete(target);
    if (before !== 'Unknown' || state === 'Unhealthy') this.#options.metrics.countFlip(state);
  }

  /** Addresses that became unhealthy just before a mass failure was seen are served again. */
  #toTakeBack(now: number): Target[] {
    return [...this.#options.targets.all()].filter(
      (target) =>
        isRecent({ downAt: target.downAt, intervalMs: intervalMs(target) }, now) &&
        isFrozen(this.#frozen, watched(target)),
    );
  }

  async #takeBack(target: Target): Promise<void> {
    if (!(await this.#write(target, 'Unknown', frozenReason(target)))) return;
    target.downAt = null;
    this.look(target);
  }

  /** Failing addresses whose state does not change, and whose reason does not say why. */
  #toTell(now: number): Target[] {
    return [...this.#waiting].filter(
      (target) => !this.#mayFlip(target, now) && target.toldReason !== this.#heldReason(target),
    );
  }

  async #tellHeld(target: Target): Promise<void> {
    await this.#write(target, target.track.state, this.#heldReason(target));
  }

  #heldReason(target: Target): string {
    return isFrozen(this.#frozen, watched(target)) ? frozenReason(target) : PAUSED_REASON;
  }

  #tellFrozen(): void {
    const { metrics, log } = this.#options;
    const count = this.#frozen.everyone ? 'all' : this.#frozen.groups.size;
    if (metrics.setFrozen(this.#frozen.everyone || this.#frozen.groups.size > 0))
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

/** Writes some of the targets, in turns of their owners; the next round has the others. */
async function writeSome(targets: readonly Target[], write: (target: Target) => Promise<void>): Promise<void> {
  const some = takeTurns(targets, ({ owner }) => owner, MAX_OF_ROUND);
  for (let at = 0; at < some.length; at += AT_ONCE) await Promise.all(some.slice(at, at + AT_ONCE).map(write));
}

function watched(target: Target): Watched {
  return { owner: target.owner, isSignalled: !isProbed(target) };
}

function intervalMs(target: Target): number {
  return isProbed(target) ? target.definition.interval * 1_000 : 0;
}

function frozenReason(target: Target): string {
  return isProbed(target) ? FROZEN_REASON : FROZEN_SIGNAL_REASON;
}
