// The health checks of the memory service. A test says which addresses fail.
import { type CheckDefinition, type CheckView, checkBody } from '#contract/checks.ts';
import { countStates, writeRevision } from '#service/checks/view.ts';
import type { TargetRow } from '#store/check-targets.ts';

const AT = Date.UTC(2026, 10, 21, 12);

interface MemoryChecksOptions {
  owner: string;
  /** The addresses of the records that name a check. */
  addressesOf(name: string): readonly string[];
  /** Called after each change. */
  changed(): void;
  refuse(status: number, code: string, message: string): Error;
}

export class MemoryChecks {
  readonly definitions = new Map<string, CheckDefinition>();
  /** The addresses that fail, with the reason. The others are healthy. */
  readonly failing = new Map<string, string>();
  readonly #options: MemoryChecksOptions;

  constructor(options: MemoryChecksOptions) {
    this.#options = options;
  }

  list(): CheckView[] {
    return [...this.definitions.keys()].map((name) => this.get(name));
  }

  get(name: string): CheckView {
    const { owner, refuse, addressesOf } = this.#options;
    const definition = this.definitions.get(name);
    if (definition === undefined) throw refuse(404, 'not_found', `There is no check ${name}.`);
    const rows = addressesOf(name).map((address): TargetRow => {
      const reason = this.failing.get(address) ?? null;
      const state = reason === null ? 'Healthy' : 'Unhealthy';
      return { owner, checkName: name, address, state, reason, since: AT, down: reason !== null, pin: null };
    });
    const time = new Date(AT).toISOString();
    return {
      ...{ name, owner, definition, counts: countStates(rows), revision: writeRevision(definition, rows) },
      ...{ createdAt: time, updatedAt: time },
      signals: [],
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

  put(name: string, body: unknown): CheckView {
    const [before, definition] = [this.definitions.get(name), checkBody.parse(body)];
    this.definitions.set(name, definition);
    if (JSON.stringify(before) !== JSON.stringify(definition)) this.#options.changed();
    return this.get(name);
  }

  remove(name: string): null {
    const { refuse, changed, addressesOf } = this.#options;
    this.get(name);
    if (addressesOf(name).length > 0) throw refuse(409, 'conflict', `Records name the check ${name}.`);
    changed();
    this.definitions.delete(name);
    return null;
  }
}
