// The owners of the records that a group of requests concerns, in memory: as they are after the changes that were
// accepted so far, and the rows that these changes write. Each change returns the function that undoes it.
import type { OwnerRows, SetRow, StoredOwnedSet } from '#store/owned-sets.ts';

export class Ownership {
  readonly #loaded = new Map<string, StoredOwnedSet>();
  readonly #loadedAt = new Map<string, string>();
  readonly #sets = new Map<string, StoredOwnedSet>();
  readonly #byPlace = new Map<string, string>();
  readonly #byOwner = new Map<string, Set<string>>();
  readonly #byRecord = new Map<string, Set<string>>();
  /** The sets that changed since they were loaded. */
  readonly #changed = new Set<string>();

  constructor(sets: readonly StoredOwnedSet[]) {
    for (const set of sets) {
      this.#loaded.set(set.id, set);
      this.#loadedAt.set(placeOf(set), set.id);
      this.#put(set);
    }
  }

  /** The set of the owner at one name and type. */
  setAt({ owner, ordername, type }: Pick<StoredOwnedSet, 'owner' | 'ordername' | 'type'>): StoredOwnedSet | null {
    return this.#sets.get(this.#byPlace.get(placeOf({ owner, ordername, type })) ?? '') ?? null;
  }

  /**
   * The id of the row at this place, also if the set was released since it was loaded: one statement must not write
   * two.
   */
  idAt(place: Pick<StoredOwnedSet, 'owner' | 'ordername' | 'type'>): string | null {
    return this.#loadedAt.get(placeOf(place)) ?? null;
  }

  /** All sets of the owner, if all of them were loaded. */
  setsOf(owner: string): StoredOwnedSet[] {
    return this.#all(this.#byOwner.get(owner));
  }

  ownersOf(recordId: string): StoredOwnedSet[] {
    return this.#all(this.#byRecord.get(recordId));
  }

  /** The texts of the owners of a record, in no order. */
  *ownerTexts(recordId: string): Generator<string> {
    for (const id of this.#byRecord.get(recordId) ?? []) {
      const owner = this.#sets.get(id)?.owner;
      if (owner !== undefined) yield owner;
    }
  }

  get isChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** How many more sets there are than were loaded. */
  get growth(): number {
    return this.#sets.size - this.#loaded.size;
  }

  /** Adds the set, or replaces the one with its id. */
  put(set: StoredOwnedSet): () => void {
    return this.#replace(set.id, set);
  }

  remove(id: string): () => void {
    return this.#replace(id, null);
  }

  /** The record was deleted; its owners keep their other records. */
  forgetRecord(recordId: string): () => void {
    const undo = this.ownersOf(recordId).map((set) => {
      const without = { ...set, records: set.records.filter(({ id }) => id !== recordId) };
      const isKnown = this.#changed.has(set.id);
      const back = this.#replace(set.id, without);
      // The deletion of the record deletes its rows, so nothing is written for the set.
      if (!isKnown) this.#changed.delete(set.id);
      return back;
    });
    return () => {
      for (const back of undo.reverse()) back();
    };
  }

  rows(): OwnerRows {
    const rows = { sets: [] as SetRow[], released: [] as string[], linked: [] as Linked[], unlinked: [] as Unlinked[] };
    for (const id of this.#changed) {
      const [before, after] = [this.#loaded.get(id), this.#sets.get(id)];
      if (!after) {
        if (before) rows.released.push(id);
        continue;
      }
      if (!before || !isSameRow(before, after)) rows.sets.push(toSetRow(after));
      const old = new Map(before?.records.map((record) => [record.id, record.digest]));
      for (const record of after.records) {
        if (old.get(record.id) !== record.digest)
          rows.linked.push({ recordId: record.id, setId: id, digest: Buffer.from(record.digest, 'hex') });
        old.delete(record.id);
      }
      for (const recordId of old.keys()) rows.unlinked.push({ recordId, setId: id });
    }
    return { ...rows, growth: this.growth };
  }

  #replace(id: string, set: StoredOwnedSet | null): () => void {
    const before = this.#sets.get(id) ?? null;
    const isKnown = this.#changed.has(id);
    this.#drop(id);
    if (set) this.#put(set);
    this.#changed.add(id);
    return () => {
      this.#drop(id);
      if (before) this.#put(before);
      if (!isKnown) this.#changed.delete(id);
    };
  }

  #put(set: StoredOwnedSet): void {
    this.#sets.set(set.id, set);
    this.#byPlace.set(placeOf(set), set.id);
    add(this.#byOwner, set.owner, set.id);
    for (const { id } of set.records) add(this.#byRecord, id, set.id);
  }

  #drop(id: string): void {
    const set = this.#sets.get(id);
    if (!set) return;
    this.#sets.delete(id);
    this.#byPlace.delete(placeOf(set));
    this.#byOwner.get(set.owner)?.delete(id);
    for (const record of set.records) this.#byRecord.get(record.id)?.delete(id);
  }

  #all(ids: ReadonlySet<string> = new Set()): StoredOwnedSet[] {
    return [...ids].flatMap((id) => this.#sets.get(id) ?? []).sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

type Linked = OwnerRows['linked'][number];
type Unlinked = OwnerRows['unlinked'][number];

function placeOf({ owner, ordername, type }: Pick<StoredOwnedSet, 'owner' | 'ordername' | 'type'>): string {
  return JSON.stringify([owner, ordername, type]);
}

function add(to: Map<string, Set<string>>, key: string, id: string): void {
  const ids = to.get(key) ?? new Set();
  to.set(key, ids.add(id));
}

function toSetRow({ digest, expires, records: _, ...set }: StoredOwnedSet): SetRow {
  return {
    ...set,
    digest: Buffer.from(digest, 'hex'),
    expiresAt: expires === null ? null : new Date(expires).toISOString(),
  };
}

/** Whether two sets differ at most in their records. */
export function isSameRow(one: StoredOwnedSet, other: StoredOwnedSet): boolean {
  const keys = Object.keys(one) as (keyof StoredOwnedSet)[];
  return keys.every((key) => key === 'records' || one[key] === other[key]);
}
