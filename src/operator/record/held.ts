// Where the owners of DNSRecords have records at the service, as far as this process knows: it applied them, or a list
// of owners named them (zone/owners.ts). An object that no longer exists is released there.
//
// A release of an object that is gone is    waiting → released
//                                              ↓
//                                             held      too many at once, or the CRD is deleted: until the
//                                                       object returns, or an annotation permits it; etcd was
//                                                       restored: also until an owner accepts the older objects
import type { Clock } from '#base/clock.ts';
import { isMassDeletion, MAX_ALWAYS, STARTING_MS } from '#base/mass-deletion.ts';

/** A zone at the service, and the DNSZone that it was reached by. */
export interface ReachedZone {
  readonly zoneId: string;
  readonly zoneKey: string;
}

/** The period in which releases count as simultaneous, in ms. */
const TOGETHER_MS = 60_000;
/**
 * Deletions often come one after the other: the decision waits for a pause of this length, and at most so long, in ms.
 */
const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** After a start, releases wait until the owners of all zones were read, but no longer than this, in ms. */
const START_MS = 60_000;

export class HeldOwners {
  readonly #clock: Clock;
  readonly #places = new Map<string, readonly ReachedZone[]>();
  /** The keys without an object whose owners are to be released, with the time at which they were found. */
  readonly #waiting = new Map<string, number>();
  /** The keys without an object whose owners stay, with the same time. */
  readonly #held = new Map<string, number>();
  /** The held keys whose objects may be missing because etcd was restored from a backup. */
  readonly #restored = new Set<string>();
  readonly #released: number[] = [];
  readonly #compared = new Set<string>();
  readonly #confirmed = new Map<string, string>();
  /** The clients that changed sets, as the service told them, until the sets are applied. */
  readonly #changedBy = new Map<string, string>();
  #startedAt: number | null = null;
  #firstGoneAt = 0;
  #lastGoneAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  at(key: string): readonly ReachedZone[] {
    return this.#places.get(key) ?? [];
  }

  put(key: string, place: ReachedZone): void {
    const knownPlaces = this.at(key);
    if (knownPlaces.some(({ zoneId }) => zoneId === place.zoneId)) return;
    this.#places.set(key, [...knownPlaces, place]);
  }

  drop(key: string, zoneId: string): void {
    this.#confirmed.delete(key);
    this.#changedBy.delete(key);
    const otherPlaces = this.at(key).filter((place) => place.zoneId !== zoneId);
    if (otherPlaces.length > 0) this.#places.set(key, otherPlaces);
    else this.#places.delete(key);
  }

  /** The object no longer exists. */
  gone(key: string): void {
    if (this.#waiting.has(key) || this.#held.has(key) || !this.#places.has(key)) return;
    const now = this.#clock.now();
    if (this.#waiting.size === 0) this.#firstGoneAt = now;
    this.#lastGoneAt = now;
    this.#waiting.set(key, now);
  }

  /** The object no longer exists, and an earlier process held its release back. */
  stillHeld(key: string): void {
    this.#waiting.delete(key);
    if (!this.#held.has(key)) this.#held.set(key, this.#clock.now() - TOGETHER_MS);
  }

  /** The object no longer exists, and its release is held, also if it is the only one. */
  hold(key: string): void {
    this.#held.set(key, this.#waiting.get(key) ?? this.#clock.now());
    this.#waiting.delete(key);
  }

  /** The same, because etcd was restored from a backup. Such a release does not count to a mass deletion. */
  holdRestored(key: string): void {
    this.stillHeld(key);
    this.#restored.add(key);
  }

  /** Whether the release is held because etcd was restored. */
  isHeldRestored(key: string): boolean {
    return this.#restored.has(key);
  }

  isHeld(key: string): boolean {
    return this.#held.has(key);
  }

  /** The operator deleted the zone with all its records. */
  zoneDeleted(zoneId: string): void {
    for (const [key, places] of this.#places) {
      if (!places.some((place) => place.zoneId === zoneId)) continue;
      this.drop(key, zoneId);
      if (!this.#places.has(key)) this.back(key);
    }
  }

  /** The object exists, or its values go with the zone: nothing of it is to be released. */
  back(key: string): void {
    this.#restored.delete(key);
    this.#waiting.delete(key);
    this.#held.delete(key);
  }

  /** The owner was released because its object is gone. @param counts whether it counts as one of many at once */
  released(key: string, counts: boolean): void {
    if (counts) this.#released.push(this.#clock.now());
    this.back(key);
  }

  /**
   * The service has exactly this set, by its text: the next run needs no request, which would count towards the write
   * limit.
   */
  confirm(key: string, set: string): void {
    this.#confirmed.set(key, set);
  }

  /** Another client changed the set: the next run applies it. */
  forgetSet(key: string): void {
    this.#confirmed.delete(key);
  }

  /** Another client changed the set. @param by the client in words */
  changedBy(key: string, by: string): void {
    this.forgetSet(key);
    if (this.#places.has(key)) this.#changedBy.set(key, by);
  }

  /** The client that changed the set since it was applied; undefined: none is known. */
  takeChangedBy(key: string): string | undefined {
    const by = this.#changedBy.get(key);
    this.#changedBy.delete(key);
    return by;
  }

  /** Whether the service has this set. The answer is used up: a later run looks again. */
  takeConfirmed(key: string, set: string): boolean {
    const confirmedSet = this.#confirmed.get(key);
    this.#confirmed.delete(key);
    return confirmedSet === set;
  }

  /** The owners of the zone were compared with the objects. */
  compared(zoneId: string): void {
    this.#startedAt ??= this.#clock.now();
    this.#compared.add(zoneId);
  }

  /** Whether this process began to work a few minutes ago, and has not seen most deletions. */
  isStarting(): boolean {
    return this.#startedAt === null || this.#clock.now() - this.#startedAt < STARTING_MS;
  }

  isCompared(zoneId: string): boolean {
    return this.#compared.has(zoneId);
  }

  /**
   * Whether the owner of an object that is gone may be released now. A number: ask again after so many ms. Deletions
   * within a minute of a mass deletion count to it. Later ones are judged by themselves, so that it does not hold the
   * others back.
   * @param zoneIds the zones of all objects, which are compared after a start
   */
  mayRelease(key: string, zoneIds: () => readonly string[]): boolean | number {
    if (this.#held.has(key)) return false;
    const now = this.#clock.now();
    this.#startedAt ??= now;
    const isStarting = now - this.#startedAt < START_MS && zoneIds().some((id) => !this.#compared.has(id));
    if (isStarting) return PAUSE_MS;
    while ((this.#released[0] ?? now) < now - TOGETHER_MS) this.#released.shift();
    const all = this.#places.size + this.#released.length;
    let heldNow = 0;
    for (const at of this.#held.values()) if (at > now - TOGETHER_MS) heldNow += 1;
    const deletions = this.#waiting.size + heldNow + this.#released.length;
    if (isMassDeletion({ all, deletions, isStarting: this.isStarting() })) {
      for (const [each, at] of this.#waiting) this.#held.set(each, at);
      this.#waiting.clear();
      return false;
    }
    // So few cannot become a mass deletion.
    const mayWait = all > MAX_ALWAYS && now - this.#firstGoneAt < LONGEST_PAUSE_MS;
    return mayWait && now - this.#lastGoneAt < PAUSE_MS ? PAUSE_MS : true;
  }

  /** The keys whose release is held because there are too many, in the zone of a DNSZone. */
  heldIn(zoneKey: string): string[] {
    return [...this.#held.keys()].filter((key) => this.at(key).some((place) => place.zoneKey === zoneKey));
  }

  /** All keys whose release is held. */
  heldKeys(): string[] {
    return [...this.#held.keys()];
  }

  /** The number of releases that are held. */
  get held(): number {
    return this.#held.size;
  }
}
