// Exports a zone as a zone file, one page at a time. import.ts does the opposite.
import { writeHead, writeRecords } from '#dns/zonefile/write.ts';
import type { Tx } from '#store/database.ts';
import { writtenPage, writtenPages } from '#store/record-pages.ts';
import { snapshotPages } from '#store/snapshot.ts';
import { inOneSnapshot, soaContent } from '#store/zones.ts';
import { type Actor, mustReadWholeZone } from '../accounts/actor.ts';
import { recordsTag } from '../conditions/tags.ts';
import type { ServiceContext } from '../context.ts';
import { readInSlot } from '../large-read.ts';
import type { IsKnown } from '../records/records.ts';
import { readChildren } from '../zones/children.ts';
import { listNameservers } from '../zones/view.ts';
import { seeZone } from '../zones/zones.ts';

type ZoneFileExport = { zone: string } & ({ whole: string } | { pieces: AsyncIterable<string> });

/**
 * The zone file of one snapshot, whole or in pieces; null if the caller has this state already. Reading the pieces uses
 * a slot and a database connection.
 * @throws Refusal no_zone, forbidden; busy when the first piece is read
 */
export async function exportZoneFile(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  isKnown: IsKnown,
  signal: AbortSignal,
): Promise<ZoneFileExport | null> {
  const { id, name: zone } = await seeZone(context, actor, zoneId, 'no_zone');
  mustReadWholeZone(actor, id);
  const buildHead = async (tx: Tx) => {
    const row = await seeZone({ ...context, db: tx }, actor, id, 'no_zone');
    const children = await readChildren(tx, row);
    const soa = await soaContent(tx, row.serial);
    const nameservers = listNameservers(row, context.nameservers);
    const delegatedZones = children.map((child) => ({
      ...child,
      nameservers: listNameservers(child, context.nameservers),
    }));
    const head = writeHead({ zone, defaultTtl: row.defaultTtl, soa, nameservers, children: delegatedZones });
    return { no: row.no, head, etag: recordsTag(row, head) };
  };
  const whole = await inOneSnapshot(context.db, async (tx) => {
    const { no, head, etag } = await buildHead(tx);
    if (isKnown(etag)) return undefined;
    const { rows, more } = await writtenPage(tx, no, undefined);
    return more ? null : head + writeRecords(rows);
  });
  if (whole === undefined) return null;
  if (whole !== null) return { zone, whole };

  async function* streamPieces(tx: Tx) {
    const { no, head } = await buildHead(tx);
    yield head;
    for await (const page of writtenPages(tx, no)) yield writeRecords(page);
  }
  const pieces = () => snapshotPages(context.db, streamPieces);
  return { zone, pieces: readInSlot(context, actor, signal, pieces, (text) => text.length) };
}
