// Finds zones and records by a pattern, among all that the key may read.
import { type FoundRecord, searchRecords } from '#store/record-search.ts';
import { listZones, type ZoneRow } from '#store/zones.ts';
import { type Actor, maySee, readableOnly, recordLevel, teamsOfActor, visibleZoneIds } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { holderOf } from '../slots.ts';

export interface Found {
  /** Names of zones. */
  zones: string[];
  records: readonly FoundRecord[];
}

/**
 * @param query.text `*` stands for any characters, `?` for one; upper and lower case are the same
 * @param query.limit the most zones and records together
 * @throws Refusal busy
 */
export async function search(
  context: ServiceContext,
  actor: Actor,
  query: { text: string; limit: number; zones: boolean; records: boolean },
  signal: AbortSignal,
): Promise<Found> {
  const release = await context.largeReads.take(holderOf(actor), signal);
  try {
    const userId = actor.user?.id ?? null;
    const rows = await listZones(context.db, { teamIds: teamsOfActor(actor), userId, ids: visibleZoneIds(actor) });
    const visible = rows.filter((zone) => maySee(actor, zone));
    const pattern = likeOf(query.text.replace(/\.$/, ''));
    const matching = query.zones ? visible.filter(({ name }) => isMatch(query.text, name)) : [];
    const zones = matching.slice(0, query.limit).map(({ name }) => name);
    const left = query.limit - zones.length;
    const readable = visible.filter((zone: ZoneRow) => recordLevel(actor, zone.id) !== 'none');
    if (!query.records || left === 0 || readable.length === 0) return { zones, records: [] };
    const only = readableOnly(actor) ?? { names: null, types: null };
    const zoneNos = readable.map(({ no }) => no);
    return { zones, records: await searchRecords(context.db, { zoneNos, pattern, only, limit: left }) };
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
