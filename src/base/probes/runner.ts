// Probes addresses again and again, each at the pace of its check. The api and the nodes run the same.
import type { Clock } from '../clock.ts';
import { sleep } from '../wait.ts';
import type { ProbeDefinition } from './definition.ts';
import { countProbe, isConfirming, nextProbeMs, type Track } from './judge.ts';
import { ProbeLines } from './lines.ts';
import type { Probe } from './probe.ts';

/** An address that is probed. */
export interface Probed {
  owner: string;
  address: string;
  definition: ProbeDefinition;
  track: Track;
  /** Why the last probe failed, as a sentence; null: it succeeded, or there was none. */
  failure: string | null;
  /** Cancels the timer of the next probe. */
  cancel: () => void;
  /** False: no further probe is sent. */
  isWanted: boolean;
}

interface RunnerOptions<T> {
  probe: Probe;
  clock: Clock;
  /** See {@link ProbeLines}. */
  apartMs?: () => number;
  /** Whether this process probes the target now. If not, it is asked again after the interval of its check. */
  isOurs(target: T): boolean;
  /** Called after each probe. */
  onProbed(target: T, isOk: boolean): void;
}

/** Probes in flight. */
const AT_ONCE = 256;
/** How often the lines of waiting probes are looked at, in ms. */
const PUMP_MS = 50;

export class ProbeRunner<T extends Probed> {
  readonly #options: RunnerOptions<T>;
  readonly #signal: AbortSignal;
  readonly #lines: ProbeLines<T>;
  readonly #running = new Set<Promise<void>>();

  constructor(options: RunnerOptions<T>, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    const { apartMs } = options;
    this.#lines = new ProbeLines<T>({
      atOnce: AT_ONCE,
      isConfirming: ({ track, definition }) => isConfirming(track, definition),
      ...(apartMs === undefined ? {} : { apartMs }),
    });
  }

  /**
   * @param isFirst whether the process begins: many addresses are then spread over their intervals
   * @param phase from 0 to 1: another one in each process that probes the same addresses
   */
  begin(targets: readonly T[], isFirst: boolean, phase = 0): void {
    for (const [index, target] of targets.entries())
      this.#schedule(target, isFirst ? ((index / 100 + phase) % 1) * target.definition.interval * 1_000 : 0);
  }

  /**
   * Starts probes that waited for their turn or their address, until the signal aborts and all probes have ended.
   * @param onRound called every 50 ms, and awaited
   */
  async run(onRound: () => Promise<void> = async () => undefined): Promise<void> {
    const { clock } = this.#options;
    while (!this.#signal.aborted) {
      await sleep(clock, PUMP_MS, this.#signal).catch(() => undefined);
      if (this.#lines.waiting > 0) this.#pump();
      this.#lines.forget(clock.now());
      await onRound();
    }
    await Promise.all(this.#running);
  }

  #schedule(target: T, ms: number): void {
    if (!target.isWanted || this.#signal.aborted) return;
    target.cancel = this.#options.clock.setTimeout(() => {
      if (!this.#options.isOurs(target)) return this.#schedule(target, target.definition.interval * 1_000);
      this.#lines.add(target);
      this.#pump();
    }, ms);
  }

  #pump(): void {
    const { clock } = this.#options;
    for (let target = this.#lines.take(clock.now()); target !== undefined; target = this.#lines.take(clock.now())) {
      const work = this.#probe(target).finally(() => this.#running.delete(work));
      this.#running.add(work);
    }
  }

  /** Never rejects. */
  async #probe(target: T): Promise<void> {
    const { probe, isOurs, onProbed } = this.#options;
    try {
      if (!target.isWanted || !isOurs(target)) return;
      const outcome = await probe(target.address, target.definition, this.#signal);
      // Meanwhile another process may have taken the address over.
      if (!target.isWanted || !isOurs(target)) return;
      target.failure = outcome;
      target.track = countProbe(target.track, outcome === null);
      onProbed(target, outcome === null);
    } catch {
      // The process ends.
    } finally {
      this.#lines.end(target);
      this.#schedule(target, nextProbeMs(target.track, target.definition));
    }
  }
}
