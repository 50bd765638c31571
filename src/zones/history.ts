// Reading the history of a zone. It ends with the zone's deletion: then nobody can name the zone any more.
import { listChanges, type PastChange } from '../store/changes.ts';
import { type Actor, mustReadWholeZone, recordLevel } from './actor.ts';
import type { House } from './change.ts';
import { Refusal } from './refusal.ts';
import { seeZone } from './zones.ts';

export type ChangeView = Omit<PastChange, 'at'> & { at: string };

/**
 * Newest first. Changes tell what records hold: who may not read those sees the changes of the zone itself, and a key that
 * is held to some names or types sees none.
 * @throws Refusal no_zone, forbidden, bad_request (cursor)
 */
export async function readChanges(
  house: House,
  actor: Actor,
  zoneId: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ changes: ChangeView[]; next?: string }> {
  const zone = await seeZone(house, actor, zoneId, 'no_zone');
  const zoneOnly = recordLevel(actor, zone.id) === 'none';
  if (!zoneOnly) mustReadWholeZone(actor, zone.id);
  const before = query.cursor === undefined ? undefined : readCursor(query.cursor);
  // One more than asked for tells whether there is a next page.
  const rows = await listChanges(house.db, zone.id, { before, zoneOnly, limit: query.limit + 1 });
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
