// The effects of a restore of the database, as far as the name servers remember them: rights that ended after the
// time of the restore are valid again, and clusters are in an earlier state. For a command of the administrator.
import { withDatabase } from '#store/admin.ts';
import { type Ending, keysTouchedSince, undoneEndings } from '#store/endings.ts';
import { closeSalvage, lockForSalvage, readSealSecret, sentParts } from '#store/salvage.ts';
import { type HeldByNodes, readHeld } from './administration.ts';
import { askNodes } from './ask-nodes.ts';
import { isSealedEnding, type SealedEnding } from './seal.ts';

export interface UndoneEnding extends Ending {
  /** The name of the key, trust or cluster, or the address of the person. */
  name: string;
  kind: 'key' | 'node key' | null;
}

export interface AfterRestore {
  held: HeldByNodes;
  /** The endings whose subjects are valid again, or in an earlier state; the oldest first. */
  undone: readonly UndoneEnding[];
  /** The nodes that answered. */
  nodes: readonly string[];
  /** The endings that the nodes remember, and those among them that this database did not seal. */
  remembered: number;
  unproven: number;
}

/** @throws Error if no name server reports, or another administrator is at work */
export async function adminAfterRestore(url: string, signal: AbortSignal): Promise<AfterRestore> {
  return withDatabase(url, async (db) => {
    if (!(await lockForSalvage(db)))
      throw new Error('another administrator asks the name servers now; wait for the end');
    const service = await readSealSecret(db);
    if (service === null) throw new Error('no api has started with this database; start it first');
    try {
      const ends = await askNodes(db, { zones: [], endings: true }, signal);
      const sealed = new Map<string, SealedEnding>();
      for (const { instance } of ends)
        for (const part of (await sentParts(db, instance, '')) as { endings: SealedEnding[] }[])
          for (const ending of part.endings) sealed.set(ending.seal, ending);
      const proven = [...sealed.values()].filter((ending) => isSealedEnding(service.secret, ending));
      return {
        held: await readHeld(db),
        undone: await undoneEndings(db, proven),
        nodes: [...new Set(ends.map(({ node }) => node))],
        remembered: sealed.size,
        unproven: sealed.size - proven.length,
      };
    } finally {
      await closeSalvage(db);
    }
  });
}

/** The valid API keys and sessions that were made, used or changed since a time. Node keys are not among them. */
export async function adminKeysTouchedSince(url: string, since: Date): ReturnType<typeof keysTouchedSince> {
  return withDatabase(url, (db) => keysTouchedSince(db, since));
}
