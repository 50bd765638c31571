// The decisions of the node about zones, without input and output: the work that a line means, the sum of the work of
// one zone, the meaning of a list of all zones, and the time at which a failing zone is tried again. removals.ts
// decides about the zones that a list lacks.
import type { ServedSet } from '#dns/served.ts';
import type { KnownZone } from './state.ts';

export interface ZoneId {
  readonly id: string;
  readonly name: string;
}

export interface ServedHead extends ZoneId {
  readonly version: string;
  readonly serial: number;
}

export type ZoneWork =
  | {
      readonly kind: 'names';
      readonly head: ServedHead;
      readonly sets: ReadonlyMap<string, readonly ServedSet[]>;
      /** The names whose RRsets are those of the head's version; those of the other names are of an earlier one. */
      readonly latest: ReadonlySet<string>;
    }
  | { readonly kind: 'reload'; readonly id: string; readonly name: string }
  | { readonly kind: 'gone'; readonly id: string; readonly name: string };

/** More names than this, and reading the whole zone costs less memory than keeping them. */
const MAX_NAMES_OF_ZONE = 5_000;
/** Changes of this many names, for instance of ACME challenges, go ahead of bulk. */
const SMALL_NAMES = 20;

/**
 * The work of one zone (one id) that remains when `next` arrives while `before` waits.
 *
 * | before | next names | next reload | next gone |
 * |---|---|---|---|
 * | names | the later RRsets of each name, or reload if there are too many | reload | gone |
 * | reload | reload: the zone is read later than the line was written | reload | gone |
 * | gone | reload, which finds whether the zone exists | reload | gone |
 */
export function mergeWork(before: ZoneWork | undefined, next: ZoneWork): ZoneWork {
  if (before === undefined || next.kind === 'gone') return limited(next);
  if (next.kind === 'reload' || before.kind !== 'names') return toReload(next);
  const isSame = before.head.version === next.head.version;
  return limited({
    kind: 'names',
    head: next.head,
    sets: new Map([...before.sets, ...next.sets]),
    latest: isSame ? before.latest.union(next.latest) : next.latest,
  });
}

export function toReload(work: ZoneWork): ZoneWork {
  const { id, name } = work.kind === 'names' ? work.head : work;
  return { kind: 'reload', id, name };
}

function limited(work: ZoneWork): ZoneWork {
  return work.kind === 'names' && work.sets.size > MAX_NAMES_OF_ZONE ? toReload(work) : work;
}

export function isSmall(work: ZoneWork): boolean {
  return work.kind === 'names' && work.sets.size <= SMALL_NAMES;
}

/** The number of names that the work keeps in memory. */
export function countNames(work: ZoneWork): number {
  return work.kind === 'names' ? work.sets.size : 0;
}

/**
 * Whether changed names can be applied to the contents of the name server; otherwise the zone is read as a whole. A
 * dirty row needs no check here: work that reads its zone is waiting then, and swallows changed names.
 */
export function canApply(row: KnownZone | undefined, id: string): row is KnownZone & { engineSerial: number } {
  return row !== undefined && row.id === id && row.engineSerial !== null;
}

interface ListPlan {
  /** Zones that must be read. */
  readonly reload: readonly ZoneId[];
  /** Zones that the node has and the list does not. */
  readonly missing: readonly string[];
}

/** @param heldNames the names of all zones that the name server or the state has */
export function planList(
  listedZones: ReadonlyMap<string, ServedHead>,
  rows: ReadonlyMap<string, KnownZone>,
  heldNames: ReadonlySet<string>,
): ListPlan {
  const reload = [...listedZones.values()].filter((head) => {
    const row = rows.get(head.name);
    if (!canApply(row, head.id)) return true;
    return row.isDirty || row.unlisted !== null || !row.isExact || row.version !== head.version;
  });
  return { reload, missing: [...heldNames].filter((name) => !listedZones.has(name)) };
}

/**
 * The wait before the attempt after `attempts` failures: from `min` doubling to `max` ms, with half of it at random.
 */
export function retryDelay(attempts: number, min: number, max: number, random: () => number): number {
  const longest = Math.min(max, min * 2 ** Math.min(attempts - 1, 30));
  return longest * (0.5 + random() / 2);
}
