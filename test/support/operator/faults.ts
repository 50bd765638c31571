// Counts the calls of a process to the outside and makes one of them fail.
//
// A call that crashes the process ends it: every later call of the dead process fails without effect, so that no
// handler of the code under test can clean up, as after kill -9.

/** The process died in the middle of this call. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

export type Side = 'kube' | 'api';

export interface Fault {
  /** The number of the call, from 1. */
  readonly at: number;
  /** `before`: the call never took effect. `after`: it did, and its answer is lost. */
  readonly when: 'before' | 'after';
  /** Runs in place of the call; the caller gets the error that it throws. */
  readonly act: (side: Side) => void;
}

export class Faults {
  /** One line a call since the last `arm`. */
  readonly calls: string[] = [];
  #fault: Fault | null = null;
  #dead = false;

  /** Counts from 1 again; the process is alive. */
  arm(fault: Fault | null): void {
    this.calls.length = 0;
    this.#fault = fault;
    this.#dead = false;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** The act of a fault that kills the process. */
  readonly crash = (): never => {
    this.#dead = true;
    throw new Crash(`died at call ${this.calls.length}`);
  };

  /** One call to the outside. */
  async call<T>(side: Side, what: string, effect: () => T): Promise<T> {
    // Never in the same turn: a caller that forgets to await would go unnoticed.
    await Promise.resolve();
    if (this.#dead) throw new Crash(`a dead process asked for ${what}`);
    this.calls.push(`${side} ${what}`);
    const fault = this.#fault?.at === this.calls.length ? this.#fault : null;
    if (fault?.when === 'before') fault.act(side);
    try {
      return effect();
    } finally {
      // The response is lost, whether the call succeeded or not.
      if (fault?.when === 'after') fault.act(side);
    }
  }
}
