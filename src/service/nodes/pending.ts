// The changes that a reader of the feed has not been told yet, by zone: names, or the whole zone. Later changes of a
// zone join the earlier ones, because names are rendered from the current state when they are sent. The size is
// bounded.
import type { ServedChange } from './source.ts';

/** More changed names of one zone than this, and the reader is told to read the whole zone. */
const NAMES_OF_ZONE = 5_000;
/** More names of all zones than this, and the same holds for each zone. */
const NAMES = 20_000;
/** More zones than this, and `isTooLarge`. */
const ZONES = 20_000;

/** Null: the whole zone. */
export type Names = ReadonlySet<string> | null;

export class Pending {
  readonly #zones = new Map<string, Set<string> | null>();
  readonly #gone = new Map<string, string>();
  #names = 0;
  #all = false;

  get isEmpty(): boolean {
    return this.#zones.size === 0 && this.#gone.size === 0 && !this.#all;
  }

  /** Whether a reader that is told all zones again would have less to read. */
  get isTooLarge(): boolean {
    return this.#zones.size + this.#gone.size > ZONES;
  }

  /** Whether every zone has to be read again. */
  get all(): boolean {
    return this.#all;
  }

  /** The changed zones by id. */
  get zones(): ReadonlyMap<string, Names> {
    return this.#zones;
  }

  /** The names of deleted zones by id. */
  get gone(): ReadonlyMap<string, string> {
    return this.#gone;
  }

  add(change: ServedChange): void {
    if (change.kind === 'all') this.addAll();
    else if (change.kind === 'gone') this.addGone(change.zoneId, change.name);
    else this.addNames(change.zoneId, change.names);
  }

  addAll(): void {
    this.#all = true;
    this.#zones.clear();
    this.#names = 0;
  }

  /** A zone that also changed, before or after that, is looked up: it may have been restored with the same id. */
  addGone(zoneId: string, name: string): void {
    const isChanged = this.#zones.has(zoneId);
    this.#forget(zoneId);
    this.#gone.set(zoneId, name);
    if (isChanged) this.#zones.set(zoneId, null);
  }

  /** @param names null: the whole zone */
  addNames(zoneId: string, names: Iterable<string> | null): void {
    // Every zone will be read again.
    if (this.#all) return;
    if (this.#gone.has(zoneId)) {
      this.#zones.set(zoneId, null);
      return;
    }
    const before = this.#zones.get(zoneId);
    if (before === null) return;
    if (names === null) {
      this.#forget(zoneId);
      this.#zones.set(zoneId, null);
      return;
    }
    const joinedNames = before ?? new Set();
    this.#names -= joinedNames.size;
    for (const name of names) joinedNames.add(name);
    this.#names += joinedNames.size;
    this.#zones.set(zoneId, joinedNames);
    if (joinedNames.size > NAMES_OF_ZONE) this.addNames(zoneId, null);
    if (this.#names > NAMES) for (const each of [...this.#zones.keys()]) this.addNames(each, null);
  }

  merge(other: Pending): void {
    if (other.all) this.addAll();
    for (const [zoneId, name] of other.gone) this.addGone(zoneId, name);
    for (const [zoneId, names] of other.zones) this.addNames(zoneId, names);
  }

  #forget(zoneId: string): void {
    this.#names -= this.#zones.get(zoneId)?.size ?? 0;
    this.#zones.delete(zoneId);
  }
}
