// The zones that a name server had before its start and does not answer yet. Zones load one after another, so the
// number of those that are left falls while the name server works.
//
//     waited for → it serves a serial, or is removed → loaded
//                → the name server does not load it, and twice without a serial → failed, until it has one
//
// A failed zone counts as done: a broken zone must not keep queries for all others from the node.

type Run = string | null | undefined;

export class LoadingZones {
  #waited: ReadonlySet<string> = new Set();
  #failed: ReadonlySet<string> = new Set();
  /** Zones without a serial that the name server did not load when it was asked. */
  readonly #idle = new Set<string>();
  #run: Run;
  #since: number;
  #progressAt: number;

  constructor(now: number) {
    this.#since = now;
    this.#progressAt = now;
  }

  /** @param unloaded the zones that the name server must have, and for which it has no serial yet */
  note(unloaded: ReadonlySet<string>, run: Run, now: number): void {
    if (run !== this.#run || this.#waited.size + this.#failed.size === 0) this.#begin(run, now);
    for (const name of this.#idle) if (!unloaded.has(name)) this.#idle.delete(name);
    // A zone may have been loaded between the list and the question, so the next list decides.
    const failed = unloaded.intersection(this.#idle);
    const waited = unloaded.difference(failed);
    if (!this.#waited.isSubsetOf(waited)) this.#progressAt = now;
    this.#waited = waited;
    this.#failed = failed;
  }

  /** The name server does not load the zone, nor is it about to. */
  noteIdle(name: string): void {
    this.#idle.add(name);
  }

  /** The zones that may load yet. */
  get waited(): ReadonlySet<string> {
    return this.#waited;
  }

  /** The zones that the name server does not load. */
  get failed(): ReadonlySet<string> {
    return this.#failed;
  }

  /** All zones without a serial. */
  has(name: string): boolean {
    return this.#waited.has(name) || this.#failed.has(name);
  }

  /** Since the name server began to load zones, in ms. */
  loadingMs(now: number): number {
    return now - this.#since;
  }

  /** Since it loaded the latest zone, in ms. */
  stalledMs(now: number): number {
    return now - this.#progressAt;
  }

  #begin(run: Run, now: number): void {
    this.#run = run;
    this.#since = now;
    this.#progressAt = now;
    this.#idle.clear();
    this.#waited = new Set();
  }
}
