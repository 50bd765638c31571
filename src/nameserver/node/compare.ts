// Compares the contents of the name server with those of the api, by digest, one zone at a time: each zone once in an
// interval, zones in doubt at once, and all zones when an operator asks. Zones that differ are read again, and only
// that changes them. The same read tells until when the signatures of a zone are valid, also while the api is down.
import type { Clock } from '#base/clock.ts';
import { addToDigest, EMPTY_DIGEST } from '#dns/served.ts';
import type { Logger } from '#telemetry/log.ts';
import { type ZoneEngine, ZoneLoading } from '../engine.ts';
import type { FeedApi } from './api.ts';
import { textOfError } from './faults.ts';
import type { NodeState } from './state.ts';
import type { Zones } from './zones.ts';

export type ComparisonResult = 'equal' | 'different' | 'failed';
export const COMPARED: readonly ComparisonResult[] = ['equal', 'different', 'failed'];

interface CompareOptions {
  readonly api: Pick<FeedApi, 'digest'>;
  readonly engine: Pick<ZoneEngine, 'check' | 'read'>;
  readonly state: NodeState;
  readonly zones: Pick<Zones, 'add' | 'isBusy'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Each zone is compared once in this time, in ms. */
  readonly intervalMs: number;
  onCompared(result: ComparisonResult): void;
  /** Names that differed, and that the node corrected. */
  onMended(names: number): void;
}

interface Due {
  readonly at: number;
  readonly tries: number;
}

/** A change may be on its way to the node. */
const AGAIN_MS = 2_000;
const FAILED_MS = 30_000;
/** The name server is loading the zone: a large one takes half a minute, one that cannot be loaded no time at all. */
const LOADING_MS = 3_000;
/** With changes all the time, or an api that does not answer, the zone waits for its next turn. */
const MAX_TRIES = 10;

export class Comparer {
  readonly #options: CompareOptions;
  readonly #due = new Map<string, Due>();
  readonly #mending = new Set<string>();
  #round: string[] = [];
  #nextAt: number;
  #wake: () => void = () => undefined;
  /** By zone, the end of the signature that ends first, in s since 1970, as of the last read of the whole zone. */
  readonly #signatureEnds = new Map<string, number>();

  constructor(options: CompareOptions) {
    this.#options = options;
    this.#nextAt = options.clock.now() + this.#step();
  }

  /** Compares the zone soon. */
  doubt(name: string): void {
    const dueEntry = this.#due.get(name);
    const now = this.#options.clock.now();
    // A comparison that failed because the name server was down must not wait any longer.
    if (dueEntry === undefined || dueEntry.at > now + AGAIN_MS)
      this.#due.set(name, { at: now, tries: dueEntry?.tries ?? 0 });
    this.#wake();
  }

  /** Compares all zones, one after the other. */
  all(reason: string): void {
    this.#options.log.info({ zones: this.#options.state.rows().size }, `the node compares all zones: ${reason}`);
    for (const name of this.#options.state.rows().keys()) this.doubt(name);
  }

  /** A zone was read again. @param names the names that differed */
  reloaded(name: string, names: readonly string[]): void {
    if (!this.#mending.delete(name) || names.length === 0) return;
    this.#options.onMended(names.length);
    this.#options.log.warn(
      { zone: name, differing: names.length, names: names.slice(0, 10) },
      'the name server held other records than the api has; the node corrected them',
    );
  }

  /** The end of the signature that ends first in any zone, in s since 1970; infinite before the first comparison. */
  firstSignatureEnd(): number {
    const zones = this.#options.state.rows();
    let first = Number.POSITIVE_INFINITY;
    for (const [name, end] of this.#signatureEnds) {
      if (!zones.has(name)) this.#signatureEnds.delete(name);
      else if (end < first) first = end;
    }
    return first;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const name = this.#take();
      if (name === null) await this.#rest(signal);
      else await this.#compare(name, this.#due.get(name)?.tries ?? 0, signal);
    }
  }

  /** The next zone whose time has come. */
  #take(): string | null {
    const now = this.#options.clock.now();
    for (const [name, { at }] of this.#due) if (at <= now) return name;
    if (now < this.#nextAt) return null;
    if (this.#round.length === 0) this.#round = [...this.#options.state.rows().keys()];
    this.#nextAt = now + this.#step();
    return this.#round.pop() ?? null;
  }

  /** Spreads the zones over the interval. */
  #step(): number {
    const { intervalMs, random, state } = this.#options;
    return (intervalMs / Math.max(1, state.rows().size)) * (0.5 + random());
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const next = Math.min(this.#nextAt, ...[...this.#due.values()].slice(0, 1_000).map(({ at }) => at));
    await new Promise<void>((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        this.#wake = () => undefined;
        resolve();
      };
      const cancel = clock.setTimeout(end, Math.max(1, next - clock.now()));
      this.#wake = end;
      signal.addEventListener('abort', end, { once: true });
    });
  }

  async #compare(name: string, tries: number, signal: AbortSignal): Promise<void> {
    const { api, engine, state, zones, log } = this.#options;
    this.#due.delete(name);
    const row = state.rows().get(name);
    if (row === undefined || row.id === '' || row.unlisted !== null || delegatesHeld(state, name)) return;
    const isQuiet = () => state.rows().get(name) === row && !zones.isBusy(name);
    if (!isQuiet()) return this.#later(name, tries, AGAIN_MS);
    try {
      // The api need not read a zone that cannot be compared.
      await engine.check(name, signal);
      const wantedDigest = await api.digest(row.id, signal).catch(async (error: unknown) => {
        if (tries === 0) await this.#readDigest(name, signal);
        throw error;
      });
      if (wantedDigest === null) return;
      const digest = await this.#readDigest(name, signal);
      if (!isQuiet()) return this.#later(name, tries, AGAIN_MS);
      if (digest === wantedDigest.digest) {
        if (wantedDigest.version === row.version && !row.isExact) state.put({ ...row, isExact: true });
        return this.#options.onCompared('equal');
      }
      // The api may have told a change a moment ago that has not arrived.
      if (tries === 0 || (wantedDigest.version !== row.version && tries < MAX_TRIES / 2))
        return this.#later(name, tries, AGAIN_MS);
      this.#options.onCompared('different');
      this.#mending.add(name);
      zones.add({ kind: 'reload', id: row.id, name });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ZoneLoading) {
        this.#due.set(name, { at: this.#options.clock.now() + LOADING_MS, tries });
        return;
      }
      log.debug({ zone: name }, `failed to compare a zone: ${textOfError(error)}`);
      this.#options.onCompared('failed');
      this.#later(name, tries, FAILED_MS);
    }
  }

  async #readDigest(name: string, signal: AbortSignal): Promise<typeof EMPTY_DIGEST> {
    let digest = EMPTY_DIGEST;
    let first = Number.POSITIVE_INFINITY;
    const onSignature = (end: number) => {
      if (end < first) first = end;
    };
    for await (const page of this.#options.engine.read(name, signal, onSignature)) digest = addToDigest(digest, page);
    this.#signatureEnds.set(name, first);
    return digest;
  }

  #later(name: string, tries: number, ms: number): void {
    if (tries < MAX_TRIES) this.#due.set(name, { at: this.#options.clock.now() + ms, tries: tries + 1 });
  }
}

/** Whether the zone has delegations of held zones, which the api does not render. */
function delegatesHeld(state: NodeState, zone: string): boolean {
  for (const name of state.unlisted()) if (name.endsWith(`.${zone}`)) return true;
  return false;
}
