// A zone file between its preview and its import. Different replicas may answer these two requests, so the file is
// stored in the database. It is stored for one hour, and only the key that uploaded it can read it.
import { createHash } from 'node:crypto';
import { isStorable } from '#store/database.ts';
import { dropUpload, findUpload, keepUpload, type Upload } from '#store/uploads.ts';
import { mustWriteAllRecords } from '../accounts/actor.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { seeZone } from '../zones/zones.ts';
import { type ImportRequest, previewZoneFile, type ZoneFilePreview } from './import.ts';

/** How long an uploaded file is stored, in ms. */
export const UPLOAD_MS = 60 * 60 * 1000;

/** Previews an import. A file without errors is stored for `readUpload`. @throws as previewZoneFile */
export async function uploadZoneFile(
  context: ServiceContext,
  { actor }: Caller,
  zoneId: string,
  content: string,
  request: ImportRequest,
): Promise<ZoneFilePreview> {
  if (!isStorable(content)) throw refusal('zone-file-characters');
  const preview = await previewZoneFile(context, actor, zoneId, content, request);
  if (preview.diff !== null) {
    const { serial } = preview;
    const row = { zoneId, keyId: actor.keyId, content, serial, createdAt: context.now() };
    await keepUpload(context.db, { ...row, stale: staleAt(context) });
  }
  return preview;
}

/**
 * The file that this caller previewed last; null if it has expired or there is none.
 * @throws Refusal no_zone, forbidden
 */
export async function readUpload(context: ServiceContext, { actor }: Caller, zoneId: string): Promise<Upload | null> {
  const zone = await seeZone(context, actor, zoneId, 'no_zone');
  mustWriteAllRecords(actor, zone.id);
  return findUpload(context.db, zone.id, actor.keyId, staleAt(context));
}

/** An id for a file and the serial it was compared with, because two browser windows may preview two files. */
export function identifyUpload({ content, serial }: Upload): string {
  return `${serial}-${createHash('sha256').update(content).digest('hex').slice(0, 32)}`;
}

function staleAt(context: ServiceContext): Date {
  return new Date(context.now().getTime() - UPLOAD_MS);
}

/** Deletes the file after its import. Repeated calls have no further effect. */
export async function forgetUpload(context: ServiceContext, { actor }: Caller, zoneId: string): Promise<void> {
  await dropUpload(context.db, zoneId, actor.keyId);
}
