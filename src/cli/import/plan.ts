// The changes that bring the found records into a zone. Nothing is deleted. Pure.
import type { RecordChange } from '#contract/batch.ts';
import type { ListedRecord } from '#contract/record.ts';
import { type ParsedRecord, parseStoredRecord } from '#dns/record.ts';
import { type Child, zoneCheckSteps } from '#dns/rules/zone-check.ts';
import type { Steps } from '#dns/steps.ts';
import { type FileRecord, recordKey } from '#dns/zonefile/read.ts';
import { type FoundRecord, inPlaces, type ReadZone, type Remark } from './read.ts';

/** The parts of a stored record that a plan needs. The TTL is the effective one. */
export type StoredRecord = Pick<
  ListedRecord,
  'id' | 'name' | 'type' | 'content' | 'ttl' | 'priority' | 'comment' | 'owners'
>;

export interface ImportUpdate {
  found: FoundRecord;
  stored: StoredRecord;
}

export interface ImportPlan {
  create: FoundRecord[];
  /** Records with the same value and another TTL, or without the comment of the source. */
  update: ImportUpdate[];
  unchanged: FoundRecord[];
  /** Found records that contradict records of the service. */
  conflicts: Remark[];
}

export interface PlanContext {
  zone: string;
  defaultTtl: number;
  children: readonly Child[];
}

export function* planSteps(
  found: Pick<ReadZone, 'records'>,
  stored: readonly StoredRecord[],
  { zone, defaultTtl, children }: PlanContext,
): Steps<ImportPlan> {
  const plan: ImportPlan = { create: [], update: [], unchanged: [], conflicts: [] };
  const there = storedByKey(stored, zone);
  for (const [index, each] of found.records.entries()) {
    if (index % 500 === 0) yield;
    const { record, comment } = each;
    const same = there.get(recordKey(record))?.stored;
    if (same === undefined) plan.create.push(each);
    else if ((record.ttl ?? defaultTtl) !== same.ttl || (comment !== undefined && comment !== same.comment)) {
      plan.update.push({ found: each, stored: same });
    } else plan.unchanged.push(each);
  }
  if (stored.length === 0) return plan;
  plan.conflicts = yield* findConflicts(plan.create, [...there.values()], zone, children);
  const wrong = new Set(plan.conflicts.map(({ place }) => place));
  plan.create = plan.create.filter(({ place }) => !wrong.has(place));
  return plan;
}

interface Stored {
  stored: StoredRecord;
  record: ParsedRecord;
}

function storedByKey(stored: readonly StoredRecord[], zone: string): Map<string, Stored> {
  const there = new Map<string, Stored>();
  for (const each of stored) {
    const { name, type, content, priority, ttl } = each;
    const parsed = parseStoredRecord({ name, type, content, priority, ttl }, zone);
    if (parsed.ok) there.set(recordKey(parsed.value), { stored: each, record: parsed.value });
  }
  return there;
}

/** The rules of a whole zone over the new and the stored records: problems of the new ones. */
function* findConflicts(
  create: readonly FoundRecord[],
  stored: readonly Stored[],
  zone: string,
  children: readonly Child[],
): Steps<Remark[]> {
  const lines: FileRecord[] = [...stored.map(({ record }) => record), ...create.map(({ record }) => record)].map(
    (record, at) => ({ line: at + 1, record }),
  );
  const describePlace = (line: number) => {
    const old = stored[line - 1]?.stored;
    return old === undefined ? (create[line - 1 - stored.length]?.place ?? '') : `${old.id} of the service`;
  };
  const conflicts = new Map<string, Remark>();
  for (const { line, message } of yield* zoneCheckSteps(lines, zone, children)) {
    // A stored record can be the one that the rule names.
    if (line <= stored.length || conflicts.has(describePlace(line))) continue;
    conflicts.set(describePlace(line), { place: describePlace(line), message: inPlaces(message, describePlace) });
  }
  return [...conflicts.values()];
}

/** The plan as the changes of a batch. */
export function toRecordChanges({ create, update }: ImportPlan): RecordChange[] {
  return [
    ...create.map((found): RecordChange => ({ action: 'create', record: toRecordBody(found) })),
    ...update.map(
      ({ found, stored }): RecordChange => ({ action: 'update', id: stored.id, record: toRecordBody(found) }),
    ),
  ];
}

function toRecordBody({ record: { name, type, content, ttl, priority }, comment }: FoundRecord) {
  return {
    name,
    type,
    content,
    ...(ttl === null ? {} : { ttl }),
    ...(priority === null ? {} : { priority }),
    ...(comment === undefined ? {} : { comment }),
  };
}
