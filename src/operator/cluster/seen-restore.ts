// The restore of etcd that this process saw: the versions of kube-apiserver went back under a running cache. It has an
// id, so that the service counts it once, also after an owner has accepted it.
import type { Clock } from '#base/clock.ts';

/**
 * The caches of one process see the same restore within this time, in ms: the next watch of each is opened at most half
 * a minute after the last one failed. A replica that becomes the leader later does not tell what it saw as a follower,
 * because an owner may have accepted it since.
 */
const TOGETHER_MS = 5 * 60_000;

export class SeenRestore {
  readonly #clock: Clock;
  readonly #newId: () => string;
  #restore: { id: string; at: number; caches: Set<string> } | undefined;

  /** @param newId makes an id that no other process makes */
  constructor(clock: Clock, newId: () => string) {
    this.#clock = clock;
    this.#newId = newId;
  }

  /** The versions went back in this cache. If they do so again, it is another restore. */
  note(cache: string): void {
    const now = this.#clock.now();
    const isKnown =
      this.#restore !== undefined && !this.#restore.caches.has(cache) && now - this.#restore.at < TOGETHER_MS;
    if (isKnown) this.#restore?.caches.add(cache);
    else this.#restore = { id: this.#newId(), at: now, caches: new Set([cache]) };
  }

  /** This process begins to speak for the cluster. */
  begin(): void {
    if (this.#restore !== undefined && this.#clock.now() - this.#restore.at >= TOGETHER_MS) this.#restore = undefined;
  }

  /** The id of the last restore; undefined: none was seen. */
  id(): string | undefined {
    return this.#restore?.id;
  }
}
