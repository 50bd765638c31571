// Decides which zones a node removes because a list of the api lacks them. Pure.
//
// - A list of another database than the last list: the node keeps the zone until a list has it again, for 24 hours, or
//   until an administrator accepts the removal.
// - A list that lacks more than 20 zones and more than half of all: the node keeps the zone until a second list lacks
//   it 10 minutes later.
// - Any other list: the node removes the zone.
//
// A database that was restored to an earlier time does not know its newest zones. The nodes then have the only copies
// of their DNSSEC keys.

/** A list that removes more zones than this, and more than half of all, is not believed at once. */
const MAX_REMOVALS = 20;
/** A second list that says the same after this time is believed. */
export const SECOND_LIST_MS = 10 * 60_000;
/** Zones that another database lacks are removed after this time. */
export const RESTORED_MS = 24 * 60 * 60_000;

/** A zone stays although the list lacks it. */
export interface Unlisted {
  /** `restored`: a list of another database lacked it. `many`: the list lacked too many zones. */
  readonly reason: 'restored' | 'many';
  /** By the node's own clock, in ms. */
  readonly since: number;
}

export interface MissingZones {
  /** The zones that the node has and the list lacks. */
  readonly names: readonly string[];
  /** The number of all zones that the node has. */
  readonly total: number;
  /** Those that stay since an earlier list. */
  readonly unlisted: ReadonlyMap<string, Unlisted>;
  /** The list is of another database than the last one, or the node does not know of which the last one was. */
  readonly isNewEpoch: boolean;
  /** An administrator accepts the removals by this database. */
  readonly isAccepted: boolean;
  /** The settings of the node accept all removals. */
  readonly isAllowed: boolean;
}

export interface HeldRemovals {
  /** The zones that the first list did not contain, and when it came, by the node's own clock in ms. */
  readonly missing: ReadonlySet<string>;
  readonly since: number;
}

interface RemovalPlan {
  readonly remove: readonly string[];
  /** Zones that stay for now. */
  readonly keep: ReadonlyMap<string, Unlisted>;
  /** The next list confirms their removal. */
  readonly held: HeldRemovals | null;
}

/** @param before the zones that the last lists lacked, if they were too many */
export function planRemovals(missing: MissingZones, before: HeldRemovals | null, now: number): RemovalPlan {
  if (missing.isAllowed) return { remove: missing.names, keep: new Map(), held: null };
  const { restored, others } = splitMissing(missing, now);
  const isOver = (since: number) => missing.isAccepted || now - since >= RESTORED_MS;
  const many = planMany(others, missing.total, before, now);
  const since = many.held?.since ?? now;
  return {
    remove: [...[...restored].filter(([, at]) => isOver(at)).map(([name]) => name), ...many.remove],
    keep: new Map<string, Unlisted>([
      ...[...restored].filter(([, at]) => !isOver(at)).map(([name, at]) => [name, restoredAt(at)] as const),
      ...many.keep.map((name) => [name, { reason: 'many', since }] as const),
    ]),
    held: many.held,
  };
}

/** When the earliest zone that another database lacks has stayed long enough; null without such a zone. */
export function findRestoredEnd(unlisted: Iterable<Unlisted | null>): number | null {
  let earliest: number | null = null;
  for (const each of unlisted) {
    if (each?.reason === 'restored') earliest = Math.min(each.since, earliest ?? each.since);
  }
  return earliest === null ? null : earliest + RESTORED_MS;
}

/** A zone that stays since an earlier restore keeps its time, also if the database is another one again. */
function splitMissing({ names, unlisted, isNewEpoch }: MissingZones, now: number) {
  const restored = new Map<string, number>();
  const others: string[] = [];
  for (const name of names) {
    const before = unlisted.get(name);
    if (before?.reason === 'restored') restored.set(name, before.since);
    else if (isNewEpoch) restored.set(name, now);
    else others.push(name);
  }
  return { restored, others };
}

function restoredAt(since: number): Unlisted {
  return { reason: 'restored', since };
}

/**
 * An api whose database lost its rows must not empty the name servers: many removals wait for a second list at least 10
 * minutes later.
 */
function planMany(names: readonly string[], total: number, before: HeldRemovals | null, now: number) {
  const isMany = names.length > MAX_REMOVALS && names.length * 2 > total;
  if (!isMany) return { remove: names, keep: [], held: null };
  if (before === null) return { remove: [], keep: names, held: { missing: new Set(names), since: now } };
  if (now - before.since < SECOND_LIST_MS) {
    // Only zones that every list since then lacked count as confirmed.
    const both = new Set(names.filter((name) => before.missing.has(name)));
    return { remove: [], keep: names, held: { missing: both, since: before.since } };
  }
  const remove = names.filter((name) => before.missing.has(name));
  const keep = names.filter((name) => !before.missing.has(name));
  return { remove, keep, held: keep.length === 0 ? null : { missing: new Set(keep), since: now } };
}
