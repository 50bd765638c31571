// The time for which the name server of a node is down. A node without its name server is like a lost one: it sends no
// report, so after 30 s it does not count any more. Otherwise a knotd that crashes again and again would stop the
// changes of all zones for as long as its node lives, although no query reaches it. When the name server is back, the
// node is ready after it has applied the changes that failed meanwhile.
//
//     up → the name server does not answer → away → for 30 s → long away: no reports
//     long away → it answers → returning: reports, not ready → the changes are applied, or the limit → up

/** As long as a silent node counts: a restart of the name server takes less. */
const LONG_MS = 30_000;

export class Absence {
  #since: number | null = null;
  /** The zones whose changes failed while it was down. */
  #missed: ReadonlySet<string> = new Set();
  #returnedAt = 0;

  /** To be called at least every second. */
  note(isUp: boolean, now: number): void {
    if (isUp) this.#since = null;
    else this.#since ??= now;
  }

  isLong(now: number): boolean {
    return this.#since !== null && now - this.#since >= LONG_MS;
  }

  /** The name server answers again. @param failing the zones whose changes failed */
  end(failing: Iterable<string>, now: number): void {
    if (this.isLong(now)) {
      this.#missed = new Set(failing);
      this.#returnedAt = now;
    }
    this.#since = null;
  }

  /** For how long it has been returning, in ms; null if it is not. @param failing the zones whose changes fail now */
  returningMs(failing: Iterable<string>, now: number): number | null {
    this.#missed = this.#missed.intersection(new Set(failing));
    return this.#missed.size === 0 ? null : now - this.#returnedAt;
  }
}
