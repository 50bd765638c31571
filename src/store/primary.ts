// Finds the server that takes writes among those of an address. All are asked at the same time and again until one of
// them is the primary, so a server that does not answer delays nothing.
//
// Two servers can call themselves primary: a promoted standby, and the old primary that came back. The promoted one has
// the higher timeline. A server with a lower timeline than this process has seen is not used any more. This protects
// only a process that has seen the new primary: fencing of the old one is the task of the software that promotes.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Host, hostText } from '#base/postgres-address.ts';
import { Outage } from './outage.ts';
import type { AskServer, ServerState } from './server-state.ts';

interface PrimaryOptions {
  hosts: readonly Host[];
  ask: AskServer;
}

/** The time between two questions to one server, in ms. */
const AGAIN_MS = 200;
/**
 * When one primary is found, the servers that have not answered yet get this long to be one with a higher timeline, in
 * ms.
 */
const OTHERS_MS = 200;

export class PrimaryFinder {
  readonly #options: PrimaryOptions;
  /** The problem of each server, for messages. */
  readonly #problems = new Map<Host, string>();
  readonly #end = new AbortController();
  #newest: ServerState['history'] = null;
  #search: Promise<Host> | null = null;

  constructor(options: PrimaryOptions) {
    this.#options = options;
  }

  /** The servers, each with its problem, without credentials. */
  get problem(): string {
    const { hosts } = this.#options;
    return hosts.map((host) => `${hostText(host)} ${this.#problems.get(host) ?? 'has not answered yet'}`).join(', ');
  }

  /**
   * The search that is under way, or a new one. It ends only when it has found a server.
   * @throws when the finder is closed
   */
  find(): Promise<Host> {
    this.#search ??= this.#find().finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  close(): void {
    this.#end.abort(new Outage('CONNECTION_ENDED', 'nothing', 'the database was closed'));
    this.#search?.catch(() => undefined);
  }

  async #find(): Promise<Host> {
    const { hosts } = this.#options;
    this.#problems.clear();
    const candidates: { host: Host; history: ServerState['history'] }[] = [];
    const first = Promise.withResolvers<void>();
    const enough = new AbortController();
    const signal = AbortSignal.any([this.#end.signal, enough.signal]);
    const looks = hosts.map(async (host) => {
      const history = await this.#untilUsable(host, signal);
      if (history === undefined) return;
      candidates.push({ host, history });
      first.resolve();
    });
    this.#end.signal.addEventListener('abort', () => first.reject(this.#end.signal.reason), { signal: enough.signal });
    if (this.#end.signal.aborted) first.reject(this.#end.signal.reason);
    try {
      await first.promise;
      const isHeard = () =>
        hosts.every((host) => this.#problems.has(host) || candidates.some((each) => each.host === host));
      for (let waitedMs = 0; !isHeard() && waitedMs < OTHERS_MS; waitedMs += 20) await sleep(20);
    } finally {
      enough.abort();
      void Promise.all(looks);
    }
    const [best] = candidates.sort((one, other) => (other.history?.timeline ?? 0) - (one.history?.timeline ?? 0));
    if (best === undefined) throw new Error('a search for the primary ended without one');
    this.#newest = best.history ?? this.#newest;
    return best.host;
  }

  /** @returns undefined at the signal; never rejects */
  async #untilUsable(host: Host, signal: AbortSignal): Promise<ServerState['history'] | undefined> {
    const { ask, hosts } = this.#options;
    while (!signal.aborted) {
      try {
        const state = await ask({ host, withHistory: hosts.length > 1 });
        const problem = findPrimaryProblem(state, this.#newest);
        if (problem === null) return state.history;
        this.#problems.set(host, problem);
      } catch (error) {
        this.#problems.set(host, `cannot be asked (${readCode(error)})`);
      }
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }
}

/**
 * @param newest the highest timeline seen so far.
 * @returns null if the server is a primary to use
 */
export function findPrimaryProblem(
  { isWritable, history }: Pick<ServerState, 'isWritable' | 'history'>,
  newest: ServerState['history'],
): string | null {
  if (!isWritable) return 'takes no writes: it is a standby or read-only';
  if (history === null || newest === null || history.system !== newest.system) return null;
  if (history.timeline >= newest.timeline) return null;
  return `is an old primary on timeline ${history.timeline}, and timeline ${newest.timeline} exists: stop it or rebuild it as a standby`;
}

function readCode(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  return code === undefined || code === 'TLS_FAILED' ? message : code;
}
