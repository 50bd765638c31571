// The newest changes of all zones of a person, for the start page of the console.
import type { Actor } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { type ChangeView, countRequests, readChanges } from '../zones/history.ts';
import { readZoneList } from '../zones/list.ts';

/** The zones that changed last; the changes of others are older. */
const ZONES = 5;
/** The changes that are read of each. */
const CHANGES = 20;

export interface ZoneChanges {
  zone: { id: string; zoneName: string };
  /** Newest first. */
  changes: ChangeView[];
  /** Whether older changes were not read. */
  isCut: boolean;
  /** The changes of the request that may have older ones. */
  counts: ReadonlyMap<string, number>;
}

export async function readRecentChanges(context: ServiceContext, actor: Actor): Promise<ZoneChanges[]> {
  const { zones } = await readZoneList(context, actor, {
    ...{ text: '', state: undefined, owner: undefined, order: 'changed', descending: true, page: 1, limit: ZONES },
  });
  return Promise.all(
    zones.map(async ({ id, zoneName }) => {
      const { changes, next } = await readChanges(context, actor, id, { limit: CHANGES });
      const isCut = next !== undefined;
      const counts = await countRequests(context, actor, id, isCut ? changes.slice(-1) : []);
      return { zone: { id, zoneName }, changes, isCut, counts };
    }),
  );
}
