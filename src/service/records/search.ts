// Finds zones, records and comments of records by a pattern, among all that the key may read.
import type { Db } from '#store/database.ts';
import {
  type FoundComment,
  type FoundRecord,
  type RecordSearch,
  searchComments,
  searchRecords,
} from '#store/record-search.ts';
import { listZones, type ZoneRow } from '#store/zones.ts';
import { type Actor, maySee, readableOnly, recordLevel, teamsOfActor, visibleZoneIds } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { holderOf } from '../slots.ts';

export interface Found {
  /** Names of zones. */
  zones: string[];
  records: readonly FoundRecord[];
  comments: readonly FoundComment[];
}

/** The kinds that a search may find. */
export const SEARCHED = ['zone', 'record', 'comment'] as const;
export type Searched = (typeof SEARCHED)[number];

/**
 * @param query.text `*` stands for any characters, `?` for one; upper and lower case are the same
 * @param query.limit the most zones, records and comments together
 * @throws Refusal busy
 */
export async function search(
  context: ServiceContext,
  actor: Actor,
  query: { text: string; limit: number; kinds: readonly Searched[] },
  signal: AbortSignal,
): Promise<Found> {
  const release = await context.largeReads.take(holderOf(actor), signal);
  try {
    const userId = actor.user?.id ?? null;
    const rows = await listZones(context.db, { teamIds: teamsOfActor(actor), userId, ids: visibleZoneIds(actor) });
    const visible = rows.filter((zone) => maySee(actor, zone));
    const pattern = likeOf(query.text.replace(/\.$/, ''));
    const has = (kind: Searched) => query.kinds.includes(kind);
    const matching = has('zone') ? visible.filter(({ name }) => isMatch(query.text, name)) : [];
    const zones = matching.slice(0, query.limit).map(({ name }) => name);
    const zoneNos = visible.filter((zone: ZoneRow) => recordLevel(actor, zone.id) !== 'none').map(({ no }) => no);
    const only = readableOnly(actor) ?? { names: null, types: null };
    const find = async <T>(
      kind: Searched,
      limit: number,
      statement: (db: Db, search: RecordSearch) => Promise<readonly T[]>,
    ) =>
      !has(kind) || limit === 0 || zoneNos.length === 0 ? [] : statement(context.db, { zoneNos, pattern, only, limit });
    const records = await find('record', query.limit - zones.length, searchRecords);
    const comments = await find('comment', query.limit - zones.length - records.length, searchComments);
    return { zones, records, comments };
  } finally {
    release();
  }
}

function likeOf(text: string): string {
  return text
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
}

/** The time is at most the product of both lengths, which are those of a name. */
function isMatch(text: string, name: string): boolean {
  const pattern = text.toLowerCase().replace(/\.$/, '');
  // The places of the pattern that the name so far can have reached.
  let reached = skipStars(new Set([0]), pattern);
  for (const char of name) {
    const next = new Set<number>();
    for (const at of reached) {
      if (pattern[at] === '*') next.add(at);
      else if (pattern[at] === '?' || pattern[at] === char) next.add(at + 1);
    }
    reached = skipStars(next, pattern);
  }
  return reached.has(pattern.length);
}

function skipStars(places: Set<number>, pattern: string): Set<number> {
  for (const at of places) if (pattern[at] === '*') places.add(at + 1);
  return places;
}
