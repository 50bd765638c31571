// The list of the records of a zone, with its search, orders and pages.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NS_TTL, SOA_TTL } from '#dns/own-records.ts';
import { isRecordType } from '#dns/types/index.ts';
import { requireActor } from '#http/hooks/auth.ts';
import type { ServiceContext } from '#service/context.ts';
import {
  MAX_SORTED,
  RECORD_ORDERS,
  type RecordOrder,
  type RecordPage,
  readRecordPage,
} from '#service/records/pages.ts';
import type { ManagedZone } from '#service/zones/view.ts';
import type { ConsoleParts } from '../parts.ts';
import { parsePositive, searchTexts, shownRecord, withQuery } from '../shell/shown.ts';
import { parseSorting, sortChoices, sortHeads } from '../shell/sorting.ts';
import { namedAnd } from '../shell/types.ts';
import { showPage } from '../shell/views.ts';
import { whenOf } from '../shell/when.ts';
import { addressOfZone, type OfZone, shownZone } from '../zones/head.ts';
import { isHidden } from '../zones/state.ts';

const SIZES = [25, 50, 100];
const PAGE = 50;
/** The number of characters of a content that are read for the list. The list shows fewer. */
const SHOWN = 1_000;

interface ListQuery extends OfZone {
  Querystring: {
    q?: string;
    type?: string;
    sort?: string;
    size?: string;
    after?: string;
    before?: string;
    page?: string;
    from?: string;
    /** The type of the form for a new record that is open. */
    add?: string;
    /** `delegation`: the zone was just created, and its parent does not delegate it. */
    next?: string;
    /** The order that was not possible. */
    refused?: string;
  };
}

const COLUMNS: Readonly<Record<RecordOrder, string>> = {
  name: 'Name',
  type: 'Type',
  content: 'Content',
  ttl: 'TTL',
  changed: 'Last change',
};
const LARGEST_FIRST: readonly RecordOrder[] = ['changed'];

export function recordListPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<ListQuery>('/zones/:zoneId', (request, reply) => showRecords(context, request, reply));
}

async function showRecords(context: ServiceContext, request: FastifyRequest<ListQuery>, reply: FastifyReply) {
  const { q = '', type = '', size, after, before } = request.query;
  const sorting = parseSorting(request.query.sort, RECORD_ORDERS);
  const limit = SIZES.find((each) => String(each) === size) ?? PAGE;
  const query = { q: q.trim(), type: isRecordType(type) || type === 'SOA' ? type : undefined };
  const sort = sorting.text === RECORD_ORDERS[0] ? undefined : sorting.text;
  const listQuery = { ...query, sort, size: limit === PAGE ? undefined : String(limit) };
  const number = parsePositive(request.query.page) ?? 1;
  const recordPage = await readRecordPage(context, requireActor(request), request.params.zoneId, {
    texts: query.q === '' ? undefined : searchTexts(query.q),
    // The SOA is a record of the service itself. Nothing stored has its type.
    type: (query.type === 'SOA' ? 'TYPE65535' : query.type) as never,
    ...sorting,
    ...{ limit, after, before, page: number },
    characters: SHOWN,
  });
  const { zone, records, total } = recordPage;
  const home = addressOfZone(zone.id);
  const address = (more: Record<string, string | null | undefined>) => withQuery(home, { ...listQuery, ...more });
  if (recordPage.isTooMany) return reply.redirect(address({ sort: null, refused: sorting.order }), 303);
  // The page before the second one may have become shorter than the first one.
  const isBackAtStart = before !== undefined && !recordPage.hasPrevious;
  if (isBackAtStart) return reply.redirect(address({}), 303);
  const isFirst = after === undefined && before === undefined && number === 1;
  const from = isFirst ? 1 : parsePositive(request.query.from);
  const now = context.now();
  return showPage(request, reply, 'records/records', {
    title: zone.zoneName,
    zone: shownZone(zone),
    home,
    records: records.map((record) => ({
      ...shownRecord(record, zone),
      changed: record.changedAt && whenOf(record.changedAt.toISOString(), now),
    })),
    own: isFirst ? ownRecords(zone, query) : [],
    isFiltered: query.q !== '' || query.type !== undefined,
    wanted: ['SOA', ...namedAnd(query.type === 'SOA' ? undefined : query.type)],
    query,
    sizes: SIZES,
    size: limit,
    sort: sorting.text,
    sorts: sortChoices(sorting, COLUMNS, LARGEST_FIRST),
    heads: sortHeads(sorting, RECORD_ORDERS, {
      largestFirst: LARGEST_FIRST,
      addressOf: (sort) => withQuery(home, { ...listQuery, sort: sort === RECORD_ORDERS[0] ? null : sort }),
    }),
    add: request.query.add !== undefined && isRecordType(request.query.add) ? request.query.add : null,
    hasNextStep: request.query.next === 'delegation' && !isHidden(request, zone.id),
    hasTimes: sorting.order === 'changed',
    refused: RECORD_ORDERS.find((order) => order === request.query.refused),
    columns: COLUMNS,
    mostSorted: MAX_SORTED,
    total,
    from,
    pages: {
      first: isFirst ? null : address({}),
      previous: recordPage.hasPrevious ? address(findPreviousPlace(recordPage, number, from, limit)) : null,
      next: recordPage.hasNext ? address(findNextPlace(recordPage, number, from)) : null,
    },
  });
}

type Place = Record<'after' | 'before' | 'page' | 'from', string | undefined>;
const NOWHERE: Place = { after: undefined, before: undefined, page: undefined, from: undefined };

/** @param from the number of the first row. Null: unknown */
function findNextPlace({ last, records }: RecordPage, number: number, from: number | null): Place {
  const first = from === null ? undefined : String(from + records.length);
  return { ...NOWHERE, from: first, ...(last === null ? { page: String(number + 1) } : { after: last }) };
}

function findPreviousPlace({ first: place }: RecordPage, number: number, from: number | null, limit: number): Place {
  const first = from === null ? undefined : String(Math.max(1, from - limit));
  if (place !== null) return { ...NOWHERE, from: first, before: place };
  return number === 2 ? NOWHERE : { ...NOWHERE, from: first, page: String(number - 1) };
}

/** The records that the service makes itself at the apex, and that cannot be edited. */
function ownRecords(zone: ManagedZone, { q, type }: { q: string; type: string | undefined }) {
  const [first = ''] = zone.nameservers;
  const rows = [
    ...zone.nameservers.map((content) => ({ name: '@', type: 'NS', content, ttl: NS_TTL })),
    { name: '@', type: 'SOA', content: `${first}, serial ${zone.serial}`, ttl: SOA_TTL },
  ];
  return rows.filter(
    (row) =>
      (type === undefined || row.type === type) && (q === '' || row.content.includes(q.toLowerCase()) || q === '@'),
  );
}
