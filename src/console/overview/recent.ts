// The newest requests of all zones, one line each. Pure.
import type { KeyName } from '#service/keys/names.ts';
import type { ZoneChanges } from '#service/overview/recent.ts';
import { groupHistory, type HistoryGroup } from '../zones/history-entries.ts';

const LINES = 5;

interface Line {
  zone: { id: string; zoneName: string };
  group: HistoryGroup;
}

/** The requests of several zones, newest first. */
export function listRecent(zones: readonly ZoneChanges[], names: ReadonlyMap<string, KeyName>, now: Date): Line[] {
  return zones
    .flatMap(({ zone, changes, isCut, counts }) =>
      groupHistory(changes, names, now, { newer: false, older: isCut }, counts).map((group) => ({ zone, group })),
    )
    .sort((a, b) => Date.parse(b.group.when.at) - Date.parse(a.group.when.at))
    .slice(0, LINES);
}
