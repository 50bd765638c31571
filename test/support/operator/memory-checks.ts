// The health checks of the memory service. A test says which addresses fail.
import { type CheckDefinition, type CheckView, checkBody, type TargetView } from '#contract/checks.ts';
import { writeRevision } from '#service/checks/view.ts';

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
    const time = new Date(AT).toISOString();
    const targets = addressesOf(name).map((address): TargetView => {
      const reason = this.failing.get(address) ?? null;
      const state = reason === null ? 'Healthy' : 'Unhealthy';
      return { address, state, reason, since: time, down: reason !== null, pin: null, nameServers: null };
    });
    const unhealthy = targets.filter(({ down }) => down).length;
    return {
      ...{ name, owner, definition, revision: writeRevision(definition, JSON.stringify(targets)) },
      ...{ createdAt: time, updatedAt: time, targets, changes: [], signals: [] },
      counts: { healthy: targets.length - unhealthy, unhealthy, unknown: 0 },
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
