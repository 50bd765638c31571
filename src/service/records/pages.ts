// The records of a zone as pages of the console: by name in both directions from any place, and in other orders as
// numbered pages of a bounded number of records.
import { MAX_SORTED, SORTED_BY, sortedRecordPage } from '#store/record-order.ts';
import { ANSWER, type RecordPageRow, recordPage } from '#store/record-pages.ts';
import type { Actor } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { type ManagedRecord, type ManagedZone, managedZone } from '../zones/view.ts';
import { prepareList, type RecordQuery, readCursor, withOwners, writeCursor } from './records.ts';

export { MAX_SORTED } from '#store/record-order.ts';

/** `name` is DNSSEC's canonical order. */
export const RECORD_ORDERS = ['name', ...SORTED_BY] as const;
export type RecordOrder = (typeof RECORD_ORDERS)[number];

export interface RecordPageQuery extends Pick<RecordQuery, 'type' | 'texts'> {
  order: RecordOrder;
  descending: boolean;
  limit: number;
  /** The characters of each content that are returned. */
  characters: number;
  /** A place in the order by name: the page follows it, or precedes it. */
  after?: string | undefined;
  before?: string | undefined;
  /** The number of the page in another order, from 1. */
  page: number;
}

export interface RecordPage {
  zone: ManagedZone;
  /**
   * `changedAt`: null in other orders than `changed`, and for a record that the newest changes of the zone do not have.
   */
  records: (ManagedRecord & { changedAt: Date | null; failing: boolean })[];
  /** Whether there are rows before and after this page. */
  hasPrevious: boolean;
  hasNext: boolean;
  /** The places of the first and the last row, for `before` and `after`. Null without rows, and in other orders. */
  first: string | null;
  last: string | null;
  /** The number of matching records. Null: not counted. */
  total: number | null;
  /** Whether there are no rows because more than MAX_SORTED match, and the order is not the one by name. */
  isTooMany: boolean;
}

/** @throws Refusal no_zone, forbidden, bad_request (cursor) */
export async function readRecordPage(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  query: RecordPageQuery,
): Promise<RecordPage> {
  const { order, type, texts, limit, characters } = query;
  const { zone, filter } = await prepareList(context, actor, zoneId, { type, texts });
  const view = managedZone(zone, context.nameservers);
  const none = { zone: view, records: [], hasPrevious: false, hasNext: false, first: null, last: null };
  if (!filter) return { ...none, total: 0, isTooMany: false };
  const isWhole = type === undefined && texts === undefined && filter.only === undefined;
  if (order !== 'name') {
    const offset = (query.page - 1) * limit;
    const page = { by: order, descending: query.descending, limit, offset, characters };
    const isLarge = isWhole && view.records > MAX_SORTED;
    const sortedPage = isLarge ? null : await sortedRecordPage(context.db, zone.id, filter, page);
    if (sortedPage === null) return { ...none, total: null, isTooMany: true };
    const records = await withTimes(context, sortedPage.rows);
    const hasNext = offset + records.length < sortedPage.total;
    return { ...none, records, hasPrevious: query.page > 1, hasNext, total: sortedPage.total, isTooMany: false };
  }
  const rowPage = await byName(context, zone.id, filter, query);
  const { rows, hasPrevious, hasNext } = rowPage;
  const [first, last] = [rows.at(0), rows.at(-1)];
  const isAll = !hasPrevious && !hasNext;
  return {
    zone: view,
    records: await withTimes(context, rows),
    hasPrevious,
    hasNext,
    first: first ? writeCursor(first) : null,
    last: last ? writeCursor(last) : null,
    total: isWhole ? view.records : isAll ? rows.length : null,
    isTooMany: false,
  };
}

async function byName(
  context: ServiceContext,
  zoneId: string,
  filter: object,
  { after, before, descending, limit, characters }: RecordPageQuery,
): Promise<{ rows: RecordPageRow[]; hasPrevious: boolean; hasNext: boolean }> {
  const place = after ?? before;
  const isBack = after === undefined && before !== undefined;
  const cursor = place === undefined ? undefined : readCursor(place);
  // The opposite direction of a descending order ascends.
  const bounds = { rows: limit, octets: ANSWER.octets, characters, descending: descending !== isBack };
  const from = cursor === undefined ? {} : bounds.descending ? { before: cursor } : { after: cursor };
  const { rows, more } = await recordPage(context.db, zoneId, { ...filter, ...from }, bounds);
  if (!isBack) return { rows, hasPrevious: cursor !== undefined, hasNext: more };
  return { rows: rows.toReversed(), hasPrevious: more, hasNext: true };
}

async function withTimes(context: ServiceContext, rows: readonly (RecordPageRow & { changedAt?: Date | null })[]) {
  const records = await withOwners(context, rows);
  return records.map((record, at) => ({
    ...record,
    changedAt: rows[at]?.changedAt ?? null,
    failing: rows[at]?.failing ?? false,
  }));
}
