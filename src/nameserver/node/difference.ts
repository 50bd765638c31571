// The names of a zone whose RRsets in the name server differ from those that the api renders.
import { isSameSet, type ServedSet } from '#dns/served.ts';

/** The RRsets of a zone by name. */
export type ServedNames = ReadonlyMap<string, readonly ServedSet[]>;

interface Comparison {
  /** Adds RRsets that the name server holds; each RRset once, in any order. */
  held(sets: Iterable<ServedSet>): void;
  /** The names that differ, in no order, and all RRsets that they must have. */
  result(): { readonly names: string[]; readonly sets: ServedSet[] };
}

/**
 * Compares page by page, so that only one side is in memory. It needs about 400 bytes for each RRset that the api
 * renders (40 MB for 100,000), and one number for each name that both sides have.
 */
export function compareWith(servedNames: ServedNames): Comparison {
  const equal = new Map<string, number>();
  const differingNames = new Set<string>();
  return {
    held: (sets) => {
      for (const set of sets) {
        const wantedSet = servedNames.get(set.name)?.find(({ type }) => type === set.type);
        if (wantedSet !== undefined && isSameSet(wantedSet, set)) equal.set(set.name, (equal.get(set.name) ?? 0) + 1);
        else differingNames.add(set.name);
      }
    },
    result: () => {
      for (const [name, sets] of servedNames) if (equal.get(name) !== sets.length) differingNames.add(name);
      const names = [...differingNames];
      return { names, sets: names.flatMap((name) => servedNames.get(name) ?? []) };
    },
  };
}

/** The difference of two complete zones. Pure. */
export function diffZones(servedNames: ServedNames, heldSets: Iterable<ServedSet>) {
  const comparison = compareWith(servedNames);
  comparison.held(heldSets);
  return comparison.result();
}

/** RRsets by their names, in the order of arrival. */
export function byName(sets: Iterable<ServedSet>): Map<string, ServedSet[]> {
  const names = new Map<string, ServedSet[]>();
  for (const set of sets) addTo(names, set);
  return names;
}

export function addTo(names: Map<string, ServedSet[]>, set: ServedSet): void {
  const sets = names.get(set.name);
  if (sets === undefined) names.set(set.name, [set]);
  else sets.push(set);
}
