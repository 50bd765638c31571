// The addresses of checks, as the process that probes remembers them, brought up to date from the table.
import { isSameDefinition } from '#base/check-form.ts';
import type { TargetKey, TargetRow, TargetState } from '#store/check-targets.ts';
import type { CheckDefinition, ProbeDefinition } from './definition.ts';
import { type Track, wantedState } from './judge.ts';

export interface Target extends TargetKey {
  definition: CheckDefinition;
  track: Track;
  /** When the process made it unhealthy, in ms; null: it is not, or was so before. */
  downAt: number | null;
  /** The last failure, or the reason of the signal, as a sentence; null: the last probe succeeded, or there was none. */
  failure: string | null;
  /** The state that the monitor calls for. An address that is probed does not need it. */
  signalled: TargetState;
  /** The reason that the table has. */
  toldReason: string | null;
  /** Cancels the timer of the next probe. */
  cancel: () => void;
  /** False once the table does not have it any more. */
  isWanted: boolean;
}

/** A target that the service probes. */
export type ProbedTarget = Target & { definition: ProbeDefinition };

export function isProbed(target: Target): target is ProbedTarget {
  return target.definition.type !== 'signal';
}

/** The most addresses of one owner that are probed, or that signals are about. */
export const MAX_OF_OWNER = 10_000;

export type StoredTarget = TargetRow & { definition: unknown };

export class Targets {
  readonly #byKey = new Map<string, Target>();

  get size(): number {
    return this.#byKey.size;
  }

  all(): Iterable<Target> {
    return this.#byKey.values();
  }

  /**
   * Makes the targets those of the rows. A target keeps the memory of its probes, unless its check changed.
   * @returns the targets that are new, or that are probed in another way now; those that are gone are not wanted
   */
  update(rows: readonly StoredTarget[]): Target[] {
    const seen = new Set<string>();
    const countByOwner = new Map<string, number>();
    const freshTargets: Target[] = [];
    for (const row of rows) {
      const count = (countByOwner.get(row.owner) ?? 0) + 1;
      countByOwner.set(row.owner, count);
      if (count > MAX_OF_OWNER) continue;
      const key = keyOf(row);
      seen.add(key);
      const known = this.#byKey.get(key);
      const definition = row.definition as CheckDefinition;
      if (known !== undefined && isSameDefinition(known.definition, definition)) continue;
      known?.cancel();
      if (known !== undefined) known.isWanted = false;
      const target = toTarget(row, definition);
      this.#byKey.set(key, target);
      freshTargets.push(target);
    }
    for (const [key, target] of this.#byKey) if (!seen.has(key)) this.#drop(key, target);
    return freshTargets;
  }

  /** The addresses of checks of the type `signal`. */
  signalled(): Target[] {
    return [...this.#byKey.values()].filter((target) => !isProbed(target));
  }

  /**
   * Notes the states that monitors call for.
   * @param rows the addresses whose state or reason is not that of their signal
   * @returns these addresses
   */
  noteSignals(rows: readonly (TargetKey & { state: TargetState; reason: string })[]): Target[] {
    for (const target of this.signalled()) {
      target.signalled = target.track.state;
      target.failure = target.toldReason;
    }
    return rows.flatMap((row) => {
      const target = this.#byKey.get(keyOf(row));
      if (target === undefined || isProbed(target)) return [];
      target.signalled = row.state;
      target.failure = row.reason;
      return [target];
    });
  }

  clear(): void {
    for (const [key, target] of this.#byKey) this.#drop(key, target);
  }

  #drop(key: string, target: Target): void {
    target.cancel();
    target.isWanted = false;
    this.#byKey.delete(key);
  }
}

/** The state that the probes or the monitor call for; the present one, if they call for no other. */
export function stateToBe({ definition, track, signalled }: Target): TargetState {
  return definition.type === 'signal' ? signalled : wantedState(track, definition);
}

function keyOf({ owner, checkName, address }: TargetKey): string {
  return `${owner} ${checkName} ${address}`;
}

function toTarget({ owner, checkName, address, state, reason }: StoredTarget, definition: CheckDefinition): Target {
  return {
    ...{ owner, checkName, address, definition },
    track: newTrack(state),
    downAt: null,
    failure: null,
    signalled: state,
    toldReason: reason,
    cancel: () => undefined,
    isWanted: true,
  };
}

/** A process that begins to probe changes nothing by that: an unhealthy address must succeed as often as ever. */
function newTrack(state: TargetState): Track {
  return { state, failures: 0, successes: 0, upAt: null };
}
