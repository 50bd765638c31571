// The DNSRecords of this cluster that are older than those of the service, as this process found: their
// generation is lower than the applied one, or the service has the values of another object of that name. If there are
// many, etcd was restored from a backup.
import type { Clock } from '#base/clock.ts';

/**
 * The cache of a process that has just become the leader may be behind, so an object counts only after this time, in
 * ms.
 */
export const SETTLED_MS = 20_000;
/** More objects are older only after a restore of etcd; the service has the same limit. */
export const MAX_OLDER = 5;

export class OlderObjects {
  readonly #clock: Clock;
  /** By key: the DNSZone, and the time at which it was found. */
  readonly #older = new Map<string, { zoneKey: string; at: number }>();
  /** By key: the object of this uid was replaced by a later one, or deleted, as far as the service knows. */
  readonly #replaced = new Map<string, { zoneKey: string; uid: string }>();

  /** The DNSZones whose older objects were accepted since their owners were compared. */
  readonly #accepted = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The generation of the object is lower than the applied one, or was applied with other values. */
  note(key: string, zoneKey: string): void {
    if (!this.#older.has(key)) this.#older.set(key, { zoneKey, at: this.#clock.now() });
  }

  /** The object has been applied, or no longer exists. */
  clear(key: string): void {
    this.#older.delete(key);
    this.#replaced.delete(key);
  }

  /** The service has the values of another object of this name, or has released those that this one had. */
  noteReplaced(key: string, zoneKey: string, uid: string): void {
    this.#replaced.set(key, { zoneKey, uid });
  }

  /** Whether the object, and not one that was created later under its name, was noted like that. */
  isReplaced(key: string, uid: string): boolean {
    return this.#replaced.get(key)?.uid === uid;
  }

  /** The objects of some DNSZones. @param isSettled only those that count */
  count(zoneKeys: () => ReadonlySet<string>, isSettled: boolean): number {
    // The keys of zones are not read for nothing: there may be thousands.
    if (this.#older.size === 0) return 0;
    const latest = this.#clock.now() - (isSettled ? SETTLED_MS : 0);
    const zones = zoneKeys();
    let count = 0;
    for (const { zoneKey, at } of this.#older.values()) if (zones.has(zoneKey) && at <= latest) count += 1;
    return count;
  }

  /** An owner accepted the older objects in these DNSZones. @returns their keys */
  accept(zoneKeys: ReadonlySet<string>): string[] {
    const notes = [...this.#older, ...this.#replaced];
    const keys = notes.flatMap(([key, { zoneKey }]) => (zoneKeys.has(zoneKey) ? [key] : []));
    for (const key of keys) this.clear(key);
    for (const key of zoneKeys) this.#accepted.add(key);
    return keys;
  }

  /**
   * Whether the sets of the zone accept any generation, until those of the objects are written. That ends with a
   * comparison of the owners.
   */
  mustCompare(zoneKey: string): boolean {
    return this.#accepted.has(zoneKey);
  }

  compared(zoneKey: string): void {
    this.#accepted.delete(zoneKey);
  }
}
