// Lists who owns what in a zone.
import type { RecordType } from '#dns/types/index.ts';
import { isStorable } from '#store/database.ts';
import type { Drift, WhenClusterLost } from '#store/owned-sets.ts';
import { type ListedSet, type OwnerCursor, ownerPage } from '#store/owner-pages.ts';
import type { ZoneRow } from '#store/zones.ts';
import { type Actor, mustReadRecords, readableOnly } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { type RecordView, recordView } from '../zones/view.ts';
import { seeZone } from '../zones/zones.ts';

/** The records of an owner at one name and type. */
export interface OwnedSetView {
  owner: string;
  name: string;
  type: RecordType;
  generation: number | null;
  instance: string | null;
  digest: string;
  ttl: number | null;
  comment: string | null;
  share: boolean;
  retain: boolean;
  drift: Drift;
  whenClusterLost: WhenClusterLost;
  expires: string | null;
  appliedAt: string;
  records: RecordView[];
  drifted: boolean;
}

/** The largest page. */
const LIMIT = 1_000;

/**
 * In the order of the owners: at most `limit` (1 to 1000; by default 1000), and fewer if the contents reach a megabyte.
 * @throws Refusal no_zone, forbidden, bad_request (cursor)
 */
export async function readOwners(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  query: { prefix?: string | undefined; limit?: number | undefined; cursor?: string | undefined; name?: string },
): Promise<{ owners: OwnedSetView[]; next?: string }> {
  const zone = await seeZone(context, actor, zoneId, 'no_zone');
  mustReadRecords(actor, zoneId);
  const after = query.cursor === undefined ? null : readCursor(query.cursor);
  const { prefix = '', limit = LIMIT } = query;
  if (!isStorable(prefix)) return { owners: [] };
  const only = readableOnly(actor);
  const { sets, more } = await ownerPage(context.db, zone.no, { prefix, after, limit, only });
  const last = sets.at(-1);
  return {
    owners: sets.map((set) => toSetView(set, zone)),
    ...(last && more ? { next: writeCursor(last) } : {}),
  };
}

function toSetView(
  { expiresAt, appliedAt, records, valueCount, ordername: _, ...set }: ListedSet,
  zone: ZoneRow,
): OwnedSetView {
  const effective = (ttl: number | null) => ttl ?? zone.defaultTtl;
  const isChanged = records.some(
    ({ isApplied, ttl, ownerTtls }) => !isApplied || effective(ttl) !== Math.min(...ownerTtls.map(effective)),
  );
  return {
    ...set,
    expires: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    appliedAt: new Date(appliedAt).toISOString(),
    records: records.map((record) => ({
      ...recordView({ ...record, name: set.name, type: set.type }, zone),
      ...(record.withdrawn ? { withdrawn: true } : {}),
      ...(record.failing ? { failing: true } : {}),
    })),
    drifted: records.length < valueCount || isChanged,
  };
}

function writeCursor({ owner, ordername, type }: ListedSet): string {
  return encodeCursor([owner, ordername, type]);
}

function readCursor(text: string): OwnerCursor {
  const [owner = '', ordername = '', type = ''] = decodeCursor(text, 3);
  return { owner, ordername, type };
}
