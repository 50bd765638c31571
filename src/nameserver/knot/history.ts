// The history of a large zone in knotd's journal. A zone there is its contents and its latest changes, 20 by default.
// Beyond that, knotd merges the changes into the contents: it reads and writes the whole zone within the commit. With
// 100,000 signed records such a commit takes five times as long as others, and with steady changes every twentieth one
// is of this kind. So large zones keep more changes. Secondaries that are further behind then also get an incremental
// transfer in place of the whole zone.
//
// A change of one record takes 1.1 kB of the journal, so the history of a large zone takes less than a third of the
// room of its contents. Small zones keep the default: to merge them costs nothing, and there may be many of them.
import type { EngineZone } from '../engine.ts';
import type { KnotControl } from './control.ts';
import { changeZoneItems } from './zone-items.ts';
import { listAddedZones } from './zone-list.ts';

/** Zones with more RRsets are large: their contents take 3.6 MB of the journal. */
const LARGE_SETS = 10_000;
/** Commits. */
const LONG_HISTORY = 1_000;

export interface Histories {
  /** Whether the zone is large, and not known to have a long history. @param sets the number of its RRsets or names */
  isDue(zone: string, sets: number): boolean;
  /**
   * Gives the zone a long history. Answers do not depend on it, so failures are ignored: the zone stays due.
   * @throws the reason of the signal
   */
  lengthen(zone: string, signal: AbortSignal): Promise<void>;
  /** The zone is added, without settings of its own. */
  forget(zone: string): void;
}

/** @param largeSets (Default: 10,000 RRsets.) */
export function createHistories(control: KnotControl, largeSets = LARGE_SETS): Histories {
  const longHistories = new Set<string>();
  return {
    isDue: (zone, sets) => sets > largeSets && !longHistories.has(zone),
    lengthen: async (zone, signal) => {
      try {
        const zones = await control.session(listAddedZones, signal);
        if (zones.some(isPerhapsLoading)) return;
        const item = { zone, item: 'journal-max-depth', data: String(LONG_HISTORY) };
        await changeZoneItems(control, [item], signal);
        longHistories.add(zone);
      } catch {
        signal.throwIfAborted();
      }
    },
    forget: (zone) => void longHistories.delete(zone),
  };
}

/** A change of the configuration would wait for the load, and all other commands with it. */
function isPerhapsLoading({ serial }: EngineZone): boolean {
  return serial === null;
}
