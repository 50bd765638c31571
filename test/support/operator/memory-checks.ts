// The health checks of the memory service. A test says which addresses fail.
import { type CheckDefinition, type CheckView, checkBody } from '#contract/checks.ts';
import { countStates, writeRevision } from '#service/checks/view.ts';
import type { TargetRow } from '#store/check-targets.ts';

const AT = Date.UTC(2026, 10, 21, 12);

export class MemoryChecks {
  readonly definitions = new Map<string, CheckDefinition>();
  /** The addresses that fail, with the reason. The others are healthy. */
  readonly failing = new Map<string, string>();
  /** The addresses of the records that name a check. */
  readonly #addressesOf: (name: string) => readonly string[];

  constructor(addressesOf: (name: string) => readonly string[]) {
    this.#addressesOf = addressesOf;
  }

  view(name: string, owner: string): CheckView | null {
    const definition = this.definitions.get(name);
    if (definition === undefined) return null;
    const rows = this.#addressesOf(name).map((address): TargetRow => {
      const reason = this.failing.get(address) ?? null;
      const state = reason === null ? 'Healthy' : 'Unhealthy';
      return { owner, checkName: name, address, state, reason, since: AT, down: reason !== null, pin: null };
    });
    const time = new Date(AT).toISOString();
    return {
      ...{ name, owner, definition, counts: countStates(rows), revision: writeRevision(definition, rows) },
      ...{ createdAt: time, updatedAt: time },
      targets: rows.map(({ address, state, reason, down }) => ({
        address,
        state,
        reason,
        down,
        since: time,
        pin: null,
      })),
    };
  }

  /** @returns whether something changed */
  put(name: string, body: unknown): boolean {
    const [before, definition] = [this.definitions.get(name), checkBody.parse(body)];
    this.definitions.set(name, definition);
    return JSON.stringify(before) !== JSON.stringify(definition);
  }

  isUsed(name: string): boolean {
    return this.#addressesOf(name).length > 0;
  }
}
