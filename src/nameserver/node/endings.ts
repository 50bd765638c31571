// Remembers the endings of the service: revoked keys and trusts, removed members, drained clusters, by ids and times. A
// database that is restored to an earlier time does not know it any more, and learns it from here.
import type { Logger } from '#telemetry/log.ts';
import type { FeedApi } from './api.ts';
import { textOfError } from './faults.ts';
import type { NodeState } from './state.ts';

interface EndingsOptions {
  readonly api: Pick<FeedApi, 'endings'>;
  readonly state: NodeState;
  /** The time of the system. */
  readonly date: () => Date;
  readonly log: Logger;
}

/** As long as the service tells them. */
const KEPT_MS = 35 * 24 * 60 * 60_000;

export class EndingsReader {
  readonly #options: EndingsOptions;
  readonly #signal: AbortSignal;
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;
  #problem: string | null = null;

  constructor(options: EndingsOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** @param version the version in the answer to a report: that of the database, a slash and a number */
  told(version: string): void {
    if (this.#isBusy || this.#signal.aborted || readFacts(this.#options.state).version === version) return;
    this.#isBusy = true;
    this.#work = this.#read(version)
      .then(() => {
        this.#problem = null;
      })
      .catch((error: unknown) => {
        const text = textOfError(error);
        if (!this.#signal.aborted && text !== this.#problem)
          this.#options.log.warn(`failed to read the revocations of the service; the node tries again: ${text}`);
        this.#problem = text;
      })
      .finally(() => {
        this.#isBusy = false;
      });
  }

  /** Resolves when nothing is read any more. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Another database has other numbers. The endings that an earlier one told stay. */
  async #read(version: string): Promise<void> {
    const { api, state, date, log } = this.#options;
    let count = 0;
    const known = readFacts(state);
    let after = databaseOf(known.version) === databaseOf(version) ? known.after : null;
    for (;;) {
      const { endings, last } = await api.endings(after, this.#signal);
      state.addEndings(endings, new Date(date().getTime() - KEPT_MS).toISOString());
      count += endings.length;
      after = last ?? after;
      if (last === null) break;
    }
    if (count > 0) log.info({ endings: count }, 'the node remembers revocations of the service');
    state.setFacts({ endings: JSON.stringify({ version, after }) });
  }
}

function readFacts(state: NodeState): { version: string; after: string | null } {
  const { endings } = state.facts();
  return endings === null ? { version: '', after: null } : JSON.parse(endings);
}

function databaseOf(version: string): string {
  return version.slice(0, version.lastIndexOf('/'));
}
