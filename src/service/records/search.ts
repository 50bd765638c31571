// Finds zones, records and comments of records by a pattern, among all that the key may read.
import type { Db } from '#store/database.ts';
import {
  type FoundComment,
  findZoneNos,
  type RecordSearch,
  type SearchedRecord,
  type SearchedZones,
  searchComments,
  searchRecords,
  searchZoneNames,
} from '#store/record-search.ts';
import { type Actor, readableOnly, teamsOfActor } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { holderOf } from '../permits.ts';

export interface SearchResult {
  /** Names of zones. */
  zones: string[];
  records: readonly SearchedRecord[];
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
): Promise<SearchResult> {
  const release = await context.largeReads.take(holderOf(actor), signal);
  try {
    const pattern = toLikePattern(query.text.replace(/\.$/, ''));
    const has = (kind: Searched) => query.kinds.includes(kind);
    const zones = has('zone') ? await searchZoneNames(context.db, visibleZones(actor), pattern, query.limit) : [];
    const zoneNos = has('record') || has('comment') ? await findZoneNos(context.db, readableZones(actor)) : [];
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

function toLikePattern(text: string): string {
  return text
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
}

/** The zones whose names the key may see. */
function visibleZones(actor: Actor): SearchedZones {
  const all = { teamIds: teamsOfActor(actor), userId: actor.user?.id ?? null, only: null, except: [] };
  return actor.manageZones === 'none' ? readableZones(actor) : all;
}

/** The zones whose records the key may read. */
export function readableZones(actor: Actor): SearchedZones {
  const grants = [...actor.grants];
  return {
    teamIds: teamsOfActor(actor),
    userId: actor.user?.id ?? null,
    only: actor.records === 'none' ? grants.filter(([, level]) => level !== 'none').map(([id]) => id) : null,
    except: grants.filter(([, level]) => level === 'none').map(([id]) => id),
  };
}
