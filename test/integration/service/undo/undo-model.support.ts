// Undo and restore as a model: the rules of docs/how-to/undo.md over the history that the service lists, without ids of
// RRsets, edits or transactions. It replays the history, so it knows the records after each change.
import type { Change } from '#contract/change.ts';

export interface Value {
  id: string;
  name: string;
  type: string;
  content: string;
  /** Null: the default of the zone. */
  ttl: number | null;
  comment: string | null;
}

/** One change of a record. */
interface Step {
  id: number;
  at: string;
  keyId: string;
  requestId: string;
  owner: string | null;
  place: string;
  recordId: string;
  after: Value | null;
}

type Records = ReadonlyMap<string, Value>;
/** The owners of the records that have some, by id. */
export type Owners = ReadonlyMap<string, readonly string[]>;

export interface Outcome {
  /** Names and types that cannot be put back. If there are any, nothing changes. */
  conflicts: string[];
  /** Whether records would exist next to each other that may not. */
  isAgainstRule: boolean;
  /** The records afterwards, as lines. */
  lines: string[];
}

export class UndoModel {
  readonly #steps: Step[] = [];
  defaultTtl = 3600;
  #last = 0;

  /** @param changes the newest first, as the service lists them; those that are known are skipped */
  read(changes: readonly Change[]): void {
    for (const change of changes.toReversed()) {
      if (change.id <= this.#last) continue;
      this.#last = change.id;
      const [before, after] = [change.before as Shown | null, change.after as Shown | null];
      if (!change.action.startsWith('record.')) {
        this.defaultTtl = (change.action === 'zone.change' && after?.defaultTtl) || this.defaultTtl;
        continue;
      }
      const { id, name, type } = (after ?? before) as Shown;
      const { at, keyId, requestId, owner = null } = change;
      const value = after && this.#valueOf(after);
      this.#steps.push({
        id: change.id,
        at,
        keyId,
        requestId,
        owner,
        place: `${name} ${type}`,
        recordId: id,
        after: value,
      });
    }
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** The records after the first `count` changes. Absent: all. */
  records(count = this.#steps.length): Records {
    const records = new Map<string, Value>();
    for (const { recordId, after } of this.#steps.slice(0, count)) {
      if (after === null) records.delete(recordId);
      else records.set(recordId, after);
    }
    return records;
  }

  lines(records: Iterable<Value> = this.records().values()): string[] {
    return [...records].map((value) => this.#lineOf(value)).sort();
  }

  /** Puts back the names and types of the selected changes, as they were before the oldest of them. */
  undo(selected: readonly Step[], owners: Owners): Outcome {
    const now = this.records();
    const ids = new Set(selected.map(({ id }) => id));
    const conflicts: string[] = [];
    const back = new Map<string, Value[]>();
    for (const place of new Set(selected.map((step) => step.place))) {
      const from = this.#steps.findIndex((step) => step.place === place && ids.has(step.id));
      const then = at(this.records(from), place);
      const former = (recordId: string) => selected.some((step) => step.recordId === recordId && step.owner !== null);
      if (this.#isChangedBetween(place, from, ids) || touchesOwned(at(now, place), then, now, owners, former))
        conflicts.push(place);
      else back.set(place, then);
    }
    const others = [...now.values()].filter((value) => !back.has(placeOf(value)));
    return this.#outcome(conflicts, [...others, ...[...back.values()].flat()]);
  }

  /** Puts back all records but those of owners. @param count the changes up to the time of the restore */
  restore(count: number, owners: Owners): Outcome {
    const [now, then] = [this.records(), this.records(count)];
    const since = this.#steps.slice(count);
    const isOwned = (id: string) => (owners.get(id) ?? []).length > 0;
    const owned = [...now.values()].filter(({ id }) => isOwned(id));
    const free = [...now.values()].filter(({ id }) => !isOwned(id));
    const touched = new Set(since.map(({ recordId }) => recordId));
    const after = [...owned, ...free.filter(({ id }) => !touched.has(id))];
    const isThere = (some: readonly Value[], value: Value) => some.some((each) => isSameValue(each, value));
    for (const id of touched) {
      const value = then.get(id);
      if (value === undefined || isThere(owned, value)) continue;
      const wasOwners = since.some((step) => step.recordId === id && step.owner !== null);
      if (isOwned(id) || (!now.has(id) && wasOwners && !isThere(free, value))) continue;
      after.push(value);
    }
    return this.#outcome([], after);
  }

  #outcome(conflicts: string[], after: readonly Value[]): Outcome {
    return { conflicts, isAgainstRule: !isAllowed(after), lines: this.lines(after) };
  }

  /** Whether changes that are not selected came after the oldest selected one and did not cancel each other out. */
  #isChangedBetween(place: string, from: number, ids: ReadonlySet<number>): boolean {
    let begin: number | null = null;
    const isSame = (count: number) =>
      this.lines(at(this.records(begin ?? count), place)).join() === this.lines(at(this.records(count), place)).join();
    for (const [index, step] of this.#steps.entries()) {
      if (index < from || step.place !== place) continue;
      if (!ids.has(step.id)) begin ??= index;
      else if (!isSame(index)) return true;
      else begin = null;
    }
    return !isSame(this.#steps.length);
  }

  #valueOf({ id, name, type, content, ttl, comment = null }: Shown): Value {
    return { id, name, type, content, ttl: ttl === this.defaultTtl ? null : ttl, comment };
  }

  #lineOf({ name, type, ttl, content, comment }: Value): string {
    return `${name} ${type} ${ttl ?? this.defaultTtl} ${content}${comment === null ? '' : ` (${comment})`}`;
  }
}

type Shown = Omit<Value, 'ttl' | 'comment'> & { ttl: number; comment?: string | null; defaultTtl?: number };

export function placeOf({ name, type }: Pick<Value, 'name' | 'type'>): string {
  return `${name} ${type}`;
}

function at(records: Records, place: string): Value[] {
  return [...records.values()].filter((value) => placeOf(value) === place);
}

function isSameValue(one: Value, other: Value): boolean {
  return placeOf(one) === placeOf(other) && one.content === other.content;
}

/** Whether a record of an owner would change, or one would come back that an owner removed. */
function touchesOwned(
  now: readonly Value[],
  then: readonly Value[],
  all: Records,
  owners: Owners,
  isFormer: (recordId: string) => boolean,
): boolean {
  const stays = (value: Value) =>
    then.some((each) => isSameValue(each, value) && each.ttl === value.ttl && each.comment === value.comment);
  const comes = then.filter((value) => !now.some((each) => isSameValue(each, value)));
  return (
    now.some((value) => owners.has(value.id) && !stays(value)) || comes.some(({ id }) => !all.has(id) && isFormer(id))
  );
}

/** RFC 1034 section 3.6.2: a CNAME is alone at its name. */
function isAllowed(records: readonly Value[]): boolean {
  return records.every(
    ({ name, type }) => type !== 'CNAME' || records.filter((other) => other.name === name).length === 1,
  );
}
