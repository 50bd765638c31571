// Lists dangling names: records whose target does not exist. Rights are those of the records.
import { plainName } from '#dns/names/plain.ts';
import type { RecordType } from '#dns/types/index.ts';
import { type DanglingCursor, type DanglingName, danglingPage } from '#store/dangling-names.ts';
import { type Actor, mustReadRecords, readableOnly } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { readableZones } from '../records/search.ts';
import { refusal } from '../refusal.ts';
import { seeZone } from '../zones/zones.ts';

export interface DanglingView {
  zoneId: string;
  zoneName: string;
  recordId: string;
  name: string;
  type: RecordType;
  target: string;
  missing: 'name' | 'domain';
  missingName: string;
  since: string;
  checkedAt: string;
}

/** The largest page. */
const LIMIT = 1_000;
/** A summary reads so many, and counts further ones as "more". */
export const SUMMARIZED = 100;

/** The number of names of a summary, in words. */
export function countDangling(names: readonly unknown[]): string {
  if (names.length === 1) return '1 dangling name';
  return `${names.length < SUMMARIZED ? names.length : `${SUMMARIZED} or more`} dangling names`;
}

export function hasMissingDomain(names: readonly Pick<DanglingView, 'missing'>[]): boolean {
  return names.some(({ missing }) => missing === 'domain');
}

/**
 * A page in the order of the targets: at most `limit` (1 to 1000; by default 1000).
 * @param query.zone the id of a zone. Absent: all zones whose records the key may read
 * @throws Refusal no_zone, forbidden, bad_request (cursor)
 */
export async function readDanglingNames(
  context: ServiceContext,
  actor: Actor,
  query: { zone?: string | undefined; limit?: number | undefined; cursor?: string | undefined },
): Promise<{ danglingNames: DanglingView[]; next?: string }> {
  const zoneNo = await readZoneNo(context, actor, query.zone);
  const after = query.cursor === undefined ? null : readCursor(query.cursor);
  const only = readableOnly(actor) ?? { names: null, types: null };
  const { limit = LIMIT } = query;
  const page = { zones: readableZones(actor), zoneNo, only, after, limit: limit + 1 };
  const rows = await danglingPage(context.db, page);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const danglingNames = rows.slice(0, limit).map(toView);
  return { danglingNames, ...(last === undefined ? {} : { next: writeCursor(last) }) };
}

/** @throws Refusal no_zone, forbidden */
async function readZoneNo(context: ServiceContext, actor: Actor, zoneId: string | undefined): Promise<number | null> {
  if (zoneId !== undefined) {
    const zone = await seeZone(context, actor, zoneId, 'no_zone');
    mustReadRecords(actor, zoneId);
    return zone.no;
  }
  const mayRead = actor.records !== 'none' || [...actor.grants.values()].some((level) => level !== 'none');
  if (!mayRead) throw refusal('may-not-read-records');
  return null;
}

function toView({
  absentName,
  isDomainAbsent,
  since,
  checkedAt,
  zoneNo: _,
  target,
  ...row
}: DanglingName): DanglingView {
  return {
    ...row,
    target: plainName(target),
    missing: isDomainAbsent ? 'domain' : 'name',
    missingName: absentName,
    since: new Date(since).toISOString(),
    checkedAt: new Date(checkedAt).toISOString(),
  };
}

function writeCursor({ target, zoneNo, recordId }: DanglingCursor): string {
  return encodeCursor([target, String(zoneNo), recordId]);
}

function readCursor(text: string): DanglingCursor {
  const [target = '', zoneNo = '', recordId = ''] = decodeCursor(text, 3);
  if (!/^[0-9]{1,9}$/.test(zoneNo)) throw refusal('bad-cursor');
  return { target, zoneNo: Number(zoneNo), recordId };
}
