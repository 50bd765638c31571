// The addresses of checks, as the process that probes remembers them, brought up to date from the table.
import { isSameDefinition } from '#base/check-form.ts';
import type { CheckDefinition, ProbeDefinition } from '#base/probes/definition.ts';
import { newTrack, type Track, wantedState } from '#base/probes/judge.ts';
import type { TargetKey, TargetRow, TargetState } from '#store/check-targets.ts';
import { writeProbeId } from './probe-id.ts';
import type { Decision } from './vantage.ts';

export interface Target extends TargetKey {
  definition: CheckDefinition;
  track: Track;
  /** When the process made it unhealthy, in ms; null: it is not, or was so before. */
  downAt: number | null;
  /** The last failure, or the reason of the signal, as a sentence; null: the last probe succeeded, or there was none. */
  failure: string | null;
  /** The state that the monitor calls for. An address that is probed does not need it. */
  signalled: TargetState;
  /** The name under which name servers report about it. */
  probe: string;
  /** The majority of the name servers that probe; null: the probes of the api decide. */
  decision: Decision | null;
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
  return isProbedType(target.definition);
}

export function isProbedType(definition: CheckDefinition): definition is ProbeDefinition {
  return definition.type !== 'signal';
}

/** The most addresses of one owner that are probed, or that signals are about. */
export const MAX_OF_OWNER = 10_000;

export type StoredTarget = TargetRow & { definition: unknown };

/** Without the addresses beyond the limit of their owner. The oldest stay, if they come first. */
export function limitOfOwners<T extends Pick<TargetKey, 'owner'>>(rows: readonly T[]): T[] {
  const countByOwner = new Map<string, number>();
  return rows.filter(({ owner }) => {
    const count = (countByOwner.get(owner) ?? 0) + 1;
    countByOwner.set(owner, count);
    return count <= MAX_OF_OWNER;
  });
}

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
    const freshTargets: Target[] = [];
    for (const row of limitOfOwners(rows)) {
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

  find(key: TargetKey): Target | undefined {
    return this.#byKey.get(keyOf(key));
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
export function stateToBe({ definition, track, signalled, decision }: Target): TargetState {
  if (definition.type === 'signal') return signalled;
  return decision === null ? wantedState(track, definition) : (decision.state ?? track.state);
}

/**
 * Whether the brake counts it as failing: the probes or the monitor call for Unhealthy, or the last probe failed. The
 * brake does not wait until a failure is confirmed, because others would leave the answers meanwhile.
 */
export function isPending(target: Target): boolean {
  const { track, decision } = target;
  if (track.state === 'Unhealthy') return false;
  return stateToBe(target) === 'Unhealthy' || (decision === null && track.failures > 0);
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
    probe: writeProbeId({ owner, checkName, address }, definition),
    decision: null,
    toldReason: reason,
    cancel: () => undefined,
    isWanted: true,
  };
}
