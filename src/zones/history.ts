// Reading the history of a zone. It ends with the zone's deletion: then nobody can name the zone any more.
import { listChanges, type PastChange } from '../store/changes.ts';
import type { Actor } from './actor.ts';
import type { House } from './change.ts';
import { Refusal } from './refusal.ts';
import { seeZone } from './zones.ts';

export type ChangeView = Omit<PastChange, 'at'> & { at: string };

/**
 * Newest first. Whoever sees the zone sees its history: that takes a right on its records or on zones.
 * @throws Refusal no_zone, bad_request (cursor)
 */
export async function readChanges(
  house: House,
  actor: Actor,
  zoneId: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ changes: ChangeView[]; next?: string }> {
  const zone = await seeZone(house, actor, zoneId, 'no_zone');
  const before = query.cursor === undefined ? undefined : readCursor(query.cursor);
  // One more than asked for tells whether there is a next page.
  const rows = await listChanges(house.db, zone.id, { before, limit: query.limit + 1 });
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    changes: page.map((row) => ({ ...row, at: row.at.toISOString() })),
    ...(last && page.length < rows.length ? { next: Buffer.from(`c${last.id}`).toString('base64url') } : {}),
  };
}

function readCursor(text: string): number {
  const id = /^c(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString())?.[1];
  if (id === undefined) throw new Refusal('bad_request', 'cursor: must be the "next" of an earlier answer.');
  return Number(id);
}
