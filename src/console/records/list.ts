// The list of the records of a zone, with its search.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf } from '#api/hooks/auth.ts';
import { NS_TTL, SOA_TTL } from '#dns/own-records.ts';
import { isRecordType } from '#dns/types/index.ts';
import { readManagedRecords } from '#service/records/records.ts';
import type { ManagedZone } from '#service/zones/view.ts';
import type { ConsoleParts } from '../parts.ts';
import { searchTexts, shownRecord, withQuery } from '../shell/shown.ts';
import { namedAnd } from '../shell/types.ts';
import { show } from '../shell/views.ts';
import { addressOfZone, type OfZone, shownZone } from '../zones/head.ts';

const SIZES = [25, 50, 100];
const PAGE = 50;
/** The number of characters of a content that are read for the list. The list shows fewer. */
const SHOWN = 1_000;

interface ListQuery extends OfZone {
  Querystring: { q?: string; type?: string; cursor?: string; size?: string };
}

export function recordListPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<ListQuery>('/zones/:zoneId', async (request: FastifyRequest<ListQuery>, reply: FastifyReply) => {
    const { q = '', type = '', cursor, size } = request.query;
    const limit = SIZES.find((each) => String(each) === size) ?? PAGE;
    const query = { q: q.trim(), type: isRecordType(type) || type === 'SOA' ? type : undefined };
    const asked = { ...query, size: limit === PAGE ? undefined : String(limit) };
    const { zone, records, next } = await readManagedRecords(context, actorOf(request), request.params.zoneId, {
      texts: query.q === '' ? undefined : searchTexts(query.q),
      // The SOA is a record of the service itself. Nothing stored has its type.
      type: (query.type === 'SOA' ? 'TYPE65535' : query.type) as never,
      cursor,
      limit,
      characters: SHOWN,
    });
    const home = addressOfZone(zone.id);
    return show(request, reply, 'records/records', {
      title: zone.zoneName,
      zone: shownZone(zone),
      home,
      records: records.map((record) => shownRecord(record, zone)),
      own: cursor === undefined ? ownRecords(zone, query) : [],
      isFiltered: query.q !== '' || query.type !== undefined,
      wanted: ['SOA', ...namedAnd(query.type === 'SOA' ? undefined : query.type)],
      query,
      sizes: SIZES,
      size: limit,
      // The count of a search is known only if all its records are on this page.
      total:
        query.q === '' && query.type === undefined
          ? zone.records
          : cursor === undefined && next === null
            ? records.length
            : null,
      pages: {
        first: cursor === undefined ? null : withQuery(home, asked),
        next: next === null ? null : withQuery(home, { ...asked, cursor: next }),
      },
    });
  });
}

/** The records that the service makes itself at the apex, and that nobody edits. */
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
