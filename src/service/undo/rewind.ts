// Rewinds the history of RRsets: finds the records that they had before some selected changes. A change that is not
// selected and came later prevents that, unless it and others cancel each other out. Pure.
import type { RecordType } from '#dns/types/index.ts';
import type { RecordedStep, RecordedValue } from '#store/undo.ts';

/** The records of one name and type that are to be put back. */
export interface PastRrset {
  name: string;
  type: RecordType;
  /**
   * The values by the id of the record; null: there was no such record. Records that are not among them stay as they
   * are.
   */
  values: Map<string, RecordedValue | null>;
  /** The newest change that is undone. */
  change: number;
  /** The changes that are undone, if they were selected one by one; null: all changes since a time. */
  undoes: number[] | null;
  /** The owners that made some of the changes, by the id of the record. */
  owners: Map<string, Set<string>>;
}

/** A later change that prevents an undo. */
export interface LaterChange {
  name: string;
  type: RecordType;
  later: RecordedStep;
}

/**
 * @param steps all changes at the names and types of the selected changes since the oldest of them, the newest first
 */
export function rewind(steps: readonly RecordedStep[], selectedIds: ReadonlySet<number>): (PastRrset | LaterChange)[] {
  const places = new Map<string, RecordedStep[]>();
  for (const step of steps) {
    const key = `${step.name} ${step.type}`;
    const knownSteps = places.get(key);
    if (knownSteps === undefined) places.set(key, [step]);
    else knownSteps.push(step);
  }
  return [...places.values()].flatMap((each) => rewindRrset(each, selectedIds) ?? []);
}

/** Null: none of the steps is selected. */
function rewindRrset(steps: readonly RecordedStep[], selectedIds: ReadonlySet<number>): PastRrset | LaterChange | null {
  const oldest = steps.findLastIndex(({ id }) => selectedIds.has(id));
  const [newest] = steps;
  if (oldest === -1 || newest === undefined) return null;
  const { name, type } = newest;
  const past: PastRrset = { name, type, values: new Map(), change: 0, undoes: [], owners: new Map() };
  let others: RecordedStep[] = [];
  for (const step of steps.slice(0, oldest + 1)) {
    past.values.set(step.recordId, step.before);
    if (!selectedIds.has(step.id)) {
      others.push(step);
      continue;
    }
    const [later] = others;
    if (later !== undefined && !cancelOut(others)) return { name, type, later };
    others = [];
    past.change = Math.max(past.change, step.id);
    past.undoes?.unshift(step.id);
    if (step.owner !== null)
      past.owners.set(step.recordId, (past.owners.get(step.recordId) ?? new Set()).add(step.owner));
  }
  return past;
}

/** Whether the values after these changes are those before them. @param steps the newest first */
function cancelOut(steps: readonly RecordedStep[]): boolean {
  const [before, after] = [new Map<string, string>(), new Map<string, string>()];
  for (const step of steps) {
    before.set(step.recordId, serializeValue(step.before));
    if (!after.has(step.recordId)) after.set(step.recordId, serializeValue(step.after));
  }
  const list = (values: Map<string, string>) =>
    [...values.values()]
      .sort()
      .filter((text) => text !== '')
      .join('\n');
  return list(before) === list(after);
}

/** Empty: no record. */
function serializeValue(value: RecordedValue | null): string {
  return value === null ? '' : JSON.stringify([value.content, value.ttl, value.priority, value.comment, value.health]);
}
