// Reads the history of a zone. The history of a deleted zone cannot be read.
import { countSiblings } from '#store/change-counts.ts';
import { type ChangeFilter, searchChanges } from '#store/change-search.ts';
import { listPastChanges, type PastChange } from '#store/changes.ts';
import { type Actor, mustReadWholeZone, recordLevel } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { seeZone } from './zones.ts';

export type ChangeView = Omit<PastChange, 'at' | 'owner' | 'undoes' | 'restoredTo'> & {
  owner?: string;
  undoes?: number[];
  restoredTo?: string;
  at: string;
};

/**
 * The changes, newest first: at most `limit`, and fewer if they reach a megabyte. Changes contain the contents of
 * records, so a key that may not read records gets only the changes of the zone itself, and a key that is restricted to
 * some names or types gets none.
 * @throws Refusal no_zone, forbidden, bad_request (cursor)
 */
export async function readChanges(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ changes: ChangeView[]; next?: string }> {
  const { id, zoneOnly } = await readable(context, actor, zoneId);
  const before = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const { changes, more } = await listPastChanges(context.db, id, { before, zoneOnly, limit: query.limit });
  const last = changes.at(-1);
  return { changes: changes.map(toChangeView), ...(last && more ? { next: writeCursor(last.id) } : {}) };
}

export type HistoryFilter = Omit<ChangeFilter, 'zoneOnly'>;

/**
 * As `readChanges`, with the changes that match all parts of the filter. `isCut`: the search ended at its bound, and
 * older changes, from `next` on, may match too.
 * @throws Refusal no_zone, forbidden, bad_request (cursor)
 */
export async function findChanges(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  filter: HistoryFilter,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ changes: ChangeView[]; next?: string; isCut: boolean }> {
  const { id, zoneOnly } = await readable(context, actor, zoneId);
  const before = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const searchResult = await searchChanges(context.db, id, { ...filter, zoneOnly }, { before, limit: query.limit });
  const next = searchResult.next === null ? {} : { next: writeCursor(searchResult.next) };
  return { changes: searchResult.changes.map(toChangeView), ...next, isCut: searchResult.isCut };
}

/**
 * How many changes the requests of these changes made, by request, for a page that shows a part of them.
 * @throws Refusal no_zone, forbidden
 */
export async function countRequests(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  changes: readonly Pick<ChangeView, 'id' | 'requestId'>[],
): Promise<ReadonlyMap<string, number>> {
  const { id, zoneOnly } = await readable(context, actor, zoneId);
  if (zoneOnly) return new Map();
  const counts = changes.map(
    async (change) => [change.requestId, await countSiblings(context.db, id, change)] as const,
  );
  return new Map(await Promise.all(counts));
}

async function readable(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
): Promise<{ id: string; zoneOnly: boolean }> {
  const { id } = await seeZone(context, actor, zoneId, 'no_zone');
  const zoneOnly = recordLevel(actor, id) === 'none';
  if (!zoneOnly) mustReadWholeZone(actor, id);
  return { id, zoneOnly };
}

function toChangeView({ owner, undoes, restoredTo, at, ...row }: PastChange): ChangeView {
  return {
    ...row,
    ...(owner === null ? {} : { owner }),
    ...(undoes === null ? {} : { undoes: [...undoes] }),
    ...(restoredTo === null ? {} : { restoredTo: restoredTo.toISOString() }),
    at: at.toISOString(),
  };
}

function writeCursor(id: number): string {
  return Buffer.from(`c${id}`).toString('base64url');
}

function readCursor(text: string): number {
  const id = /^c(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString())?.[1];
  if (id === undefined) throw refusal('bad-cursor');
  return Number(id);
}
