// The answers of undo and restore: the differences that they make, and the conflicts that prevent them.
import type { RecordHealth } from '#dns/members.ts';
import type { ParsedRecord } from '#dns/record.ts';
import type { RecordType } from '#dns/types/index.ts';
import { type Refusal, refusal } from '../refusal.ts';

/** A record as a difference shows it. */
export interface ShownValue extends RecordHealth {
  content: string;
  /** The TTL in effect, in seconds. */
  ttl: number;
  priority?: number;
  comment?: string;
}

/** All records of a name and type, before and after. */
export interface UndoDifference {
  name: string;
  type: RecordType;
  before: ShownValue[];
  after: ShownValue[];
}

/** An RRset that cannot be put back, and why. */
export interface Conflict {
  /** The newest of the changes at this name and type that would be undone, or the later change that prevents it. */
  change: number;
  name: string;
  type: RecordType;
  message: string;
}

/** Records that an owner keeps as they are, and what to change there. */
export interface OwnedRrset {
  name: string;
  type: RecordType;
  owner: string;
  message: string;
}

export interface UndoResult {
  dryRun: boolean;
  /** The serial of the zone: after the change, or now for a preview. */
  serial: number;
  /** The lengths of the lists. The lists have the first MAX_LISTED_ENTRIES of them. */
  total: { differences: number; conflicts: number; owned: number };
  differences: UndoDifference[];
  conflicts: Conflict[];
  /** Empty for an undo, of which they are conflicts. */
  owned: OwnedRrset[];
  /** The state of the zone's records that a preview shows. Absent unless it is a preview. */
  etag?: string;
  /** The changes that the write window would count. Absent unless it is a preview. */
  changes?: number;
}

/** The most entries of each list of an answer. */
export const MAX_LISTED_ENTRIES = 1_000;

export function buildUndoAnswer(
  { differences, conflicts, owned = [] }: Pick<UndoResult, 'differences' | 'conflicts'> & { owned?: OwnedRrset[] },
  dryRun: boolean,
  serial: number,
): UndoResult {
  return {
    dryRun,
    serial,
    total: { differences: differences.length, conflicts: conflicts.length, owned: owned.length },
    differences: differences.slice(0, MAX_LISTED_ENTRIES),
    conflicts: conflicts.slice(0, MAX_LISTED_ENTRIES),
    owned: owned.slice(0, MAX_LISTED_ENTRIES),
  };
}

export function shownValue(
  {
    content,
    ttl,
    priority,
    comment = null,
    health,
  }: Pick<ParsedRecord, 'content' | 'ttl' | 'priority' | 'comment' | 'health'>,
  defaultTtl: number,
): ShownValue {
  return {
    content,
    ttl: ttl ?? defaultTtl,
    ...(priority === null ? {} : { priority }),
    ...(comment === null ? {} : { comment }),
    ...health,
  };
}

/** The number of conflicts that a refusal names. */
const NAMED = 5;

/** @param conflicts at least one */
export function refuseConflicts(conflicts: readonly Conflict[]): Refusal {
  const shownConflicts = conflicts.slice(0, NAMED).map(({ name, type, message }) => `${name} ${type}: ${message}`);
  const more = conflicts.length - shownConflicts.length;
  return refusal('undo-conflicts', { problems: `${shownConflicts.join(' ')}${more > 0 ? ` And ${more} more.` : ''}` });
}
