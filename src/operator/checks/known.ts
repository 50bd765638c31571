// The checks of one team or person, as this process has read or put them last.

import type { z } from 'zod';
import type { CheckView, checkList } from '#contract/checks.ts';

export type ListedCheck = z.infer<typeof checkList>['checks'][number];

export class KnownChecks {
  /** Whether the owner may have checks of this cluster. */
  hasOwn = false;
  readonly #views = new Map<string, CheckView | null>();

  /** Undefined: nothing is known about the name. */
  get(name: string): CheckView | null | undefined {
    return this.#views.get(name);
  }

  /** @returns whether something changed */
  learn(name: string, view: CheckView | null): boolean {
    const before = this.#views.get(name);
    this.#views.set(name, view);
    return before === undefined || before?.revision !== view?.revision;
  }

  forget(name: string): void {
    this.#views.delete(name);
  }

  /** Forgets all but these names. */
  keep(names: ReadonlySet<string>): void {
    for (const name of this.#views.keys()) if (!names.has(name)) this.#views.delete(name);
  }
}
