// A zone file between being looked over and being imported. Two requests, which different replicas may answer, so that it
// waits in the database; for an hour, and for nobody but who sent it.
import { createHash } from 'node:crypto';
import { isStorable } from '../store/database.ts';
import { dropUpload, keepUpload, type Upload, uploadOf } from '../store/uploads.ts';
import { mustWriteAllRecords } from './actor.ts';
import type { Caller, House } from './change.ts';
import { Refusal } from './refusal.ts';
import { previewZoneFile, type ZoneFilePreview } from './zonefile.ts';
import { seeZone } from './zones.ts';

const KEPT_MS = 60 * 60 * 1000;

/** What importing it would do; what could be imported is kept for `readUpload`. @throws as previewZoneFile */
export async function lookOver(
  house: House,
  { actor }: Caller,
  zoneId: string,
  content: string,
): Promise<ZoneFilePreview> {
  if (!isStorable(content)) throw new Refusal('bad_request', 'file: No zone file holds a NUL or half a character.');
  const preview = await previewZoneFile(house, actor, zoneId, content);
  if (preview.diff !== null) {
    const { serial } = preview;
    const row = { zoneId, keyId: actor.keyId, content, serial, createdAt: house.now() };
    await keepUpload(house.db, { ...row, stale: staleAt(house) });
  }
  return preview;
}

/** The file that this caller looked over last; null when there is none any more. @throws Refusal no_zone, forbidden */
export async function readUpload(house: House, { actor }: Caller, zoneId: string): Promise<Upload | null> {
  const zone = await seeZone(house, actor, zoneId, 'no_zone');
  mustWriteAllRecords(actor, zone.id);
  return uploadOf(house.db, zone.id, actor.keyId, staleAt(house));
}

/** Names a file and the zone that it was compared with: two windows may look over two files. */
export function seenAs({ content, serial }: Upload): string {
  return `${serial}-${createHash('sha256').update(content).digest('hex').slice(0, 32)}`;
}

function staleAt(house: House): Date {
  return new Date(house.now().getTime() - KEPT_MS);
}

/** After it was imported. Repeating is fine. */
export async function forgetUpload(house: House, { actor }: Caller, zoneId: string): Promise<void> {
  await dropUpload(house.db, zoneId, actor.keyId);
}
