// Reads the history of a zone. The history of a deleted zone cannot be read.
import { listChanges, type PastChange } from '#store/changes.ts';
import { type Actor, mustReadWholeZone, recordLevel } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { seeZone } from './zones.ts';

type ChangeView = Omit<PastChange, 'at' | 'owner'> & { owner?: string; at: string };

/**
 * The changes, newest first: at most `limit`, and fewer if they reach a megabyte. Changes contain the contents of records, so a key
 * that may not read records gets only the changes of the zone itself, and a key that is restricted to some names or types gets
 * none.
 * @throws Refusal no_zone, forbidden, bad_request (cursor)
 */
export async function readChanges(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ changes: ChangeView[]; next?: string }> {
  const zone = await seeZone(context, actor, zoneId, 'no_zone');
  const zoneOnly = recordLevel(actor, zone.id) === 'none';
  if (!zoneOnly) mustReadWholeZone(actor, zone.id);
  const before = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const { changes, more } = await listChanges(context.db, zone.id, { before, zoneOnly, limit: query.limit });
  const last = changes.at(-1);
  return {
    changes: changes.map(({ owner, at, ...row }) => ({
      ...row,
      ...(owner === null ? {} : { owner }),
      at: at.toISOString(),
    })),
    ...(last && more ? { next: Buffer.from(`c${last.id}`).toString('base64url') } : {}),
  };
}

function readCursor(text: string): number {
  const id = /^c(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString())?.[1];
  if (id === undefined) throw refusal('bad-cursor');
  return Number(id);
}
