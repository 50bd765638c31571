// Lists of the service, page by page or to their end.
import type { DanglingName } from '#contract/dangling.ts';
import { listDanglingNames } from '#contract/operations/dangling.ts';
import { listOwners } from '#contract/operations/owners.ts';
import * as records from '#contract/operations/records.ts';
import * as zones from '#contract/operations/zones.ts';
import type { OwnedSet } from '#contract/owners.ts';
import type { ListedRecord, RecordType } from '#contract/record.ts';
import type { Zone } from '#contract/zone.ts';
import type { Client } from './client.ts';
import { AnswerTooLong, ApiUnavailable, isAbsent } from './errors.ts';
import type { CallOptions } from './http.ts';

type Caller = Pick<Client, 'call'>;

export interface RecordFilter {
  readonly name?: string | undefined;
  /** At most 100 names, together at most 8,000 characters. */
  readonly names?: readonly string[] | undefined;
  readonly type?: RecordType | undefined;
  readonly content?: string | undefined;
  /** Whether each record has its `etag`. (Default: false.) */
  readonly etags?: boolean | undefined;
  /** Whether each record that has owners has its `owners`. (Default: false.) */
  readonly owners?: boolean | undefined;
}

/** All zones that the key sees, or a list with the zone of that name. */
export function fetchZones(
  { call }: Caller,
  { zoneName }: { readonly zoneName?: string | undefined } = {},
  options?: CallOptions,
): Promise<Zone[]> {
  return everyPage(async (cursor) => {
    const answer = await call(zones.listZones, { query: { zoneName, cursor } }, options);
    if ('zones' in answer) return { items: answer.zones, next: answer.next };
    throw new ApiUnavailable('The API answered a list of zones with a single zone');
  });
}

/** The longest zone that encloses the name; null when there is none. */
export async function fetchEnclosingZone(
  { call }: Caller,
  suffixOf: string,
  options?: CallOptions,
): Promise<Zone | null> {
  try {
    const answer = await call(zones.listZones, { query: { suffix_of: suffixOf } }, options);
    if (!('zones' in answer)) return answer;
    throw new ApiUnavailable('The API answered the search for a zone with a list');
  } catch (error) {
    if (isAbsent(error) && error.code === 'not_found') return null;
    throw error;
  }
}

/** All dangling names that the key sees, or those of one zone. @param zone its id */
export function fetchDanglingNames(
  { call }: Caller,
  { zone }: { readonly zone?: string | undefined },
  options?: CallOptions,
): Promise<DanglingName[]> {
  return everyPage(async (cursor) => {
    const answer = await call(listDanglingNames, { query: { zone, cursor } }, options);
    return { items: answer.danglingNames, next: answer.next };
  });
}

export function fetchRecords(
  { call }: Caller,
  id: string,
  filter: RecordFilter = {},
  options?: CallOptions,
): Promise<ListedRecord[]> {
  return everyPage(async (cursor) => {
    const query = { ...buildQuery(filter), cursor };
    const answer = await call(records.listRecords, { params: { id }, query }, options);
    return { items: answer.records, next: answer.next };
  });
}

/**
 * The records of a zone page by page, at most `limit` (1 to 1,000) each: for a caller that must not hold all of them at
 * once.
 */
export async function* readRecordPages(
  { call }: Caller,
  id: string,
  filter: RecordFilter,
  limit: number,
  options?: CallOptions,
): AsyncGenerator<readonly ListedRecord[]> {
  const read = (size: number, cursor: string | undefined) =>
    call(records.listRecords, { params: { id }, query: { ...buildQuery(filter), limit: size, cursor } }, options);
  let size = limit;
  let cursor: string | undefined;
  for (;;) {
    let answer: Awaited<ReturnType<typeof read>>;
    try {
      answer = await read(size, cursor);
    } catch (error) {
      if (!(error instanceof AnswerTooLong) || size === 1) throw error;
      // The records are long: read fewer of them at a time.
      size = Math.max(1, Math.floor(size / 8));
      continue;
    }
    yield answer.records;
    if (answer.next === undefined) return;
    if (answer.next === cursor) throw loopError();
    cursor = answer.next;
  }
}

/**
 * The owners that begin with the prefix and everything that they own in the zone, page by page, in the order of the
 * owners.
 */
export async function* readOwnerPages(
  { call }: Caller,
  id: string,
  { prefix, limit }: { readonly prefix?: string | undefined; readonly limit?: number | undefined } = {},
  options?: CallOptions,
): AsyncGenerator<readonly OwnedSet[]> {
  let cursor: string | undefined;
  for (;;) {
    const answer = await call(listOwners, { params: { id }, query: { prefix, limit, cursor } }, options);
    yield answer.owners;
    if (answer.next === undefined) return;
    if (answer.next === cursor) throw loopError();
    cursor = answer.next;
  }
}

function buildQuery({ name, names, type, content, etags, owners }: RecordFilter) {
  const yes = (isRequested: boolean | undefined) => (isRequested ? ('true' as const) : undefined);
  return { name, names: names?.join(','), type, content, etags: yes(etags), owners: yes(owners) };
}

function loopError(): ApiUnavailable {
  return new ApiUnavailable('The pages of a list from the API form a loop');
}

/** Lists are complete by default; if a service returns pages anyway, all of them are read. */
async function everyPage<T>(
  fetchPage: (cursor: string | undefined) => Promise<{ items: T[]; next: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor);
    for (const item of page.items) all.push(item);
    cursor = page.next;
    if (cursor !== undefined && seenCursors.has(cursor)) throw loopError();
    if (cursor !== undefined) seenCursors.add(cursor);
  } while (cursor !== undefined);
  return all;
}
