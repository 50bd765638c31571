// The records of a zone: list with search, create, edit, delete. With htmx a row is edited where it stands; without
// JavaScript the same addresses are pages of their own.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf, callerOf } from '../api/auth.ts';
import { recordBody } from '../api/schemas/record.ts';
import { isRecordType, RECORD_TYPES } from '../dns/types/index.ts';
import { createRecord, readRow, readRows, removeRecord, replaceRecord } from '../zones/records.ts';
import { attempt, type FormErrors, judge, type Typed, text, typedOf } from './forms.ts';
import type { ConsoleParts } from './parts.ts';
import { EDITABLE, searchTexts, shownRecord, withQuery } from './shown.ts';
import { done, show } from './views.ts';
import { addressOfZone, headOf, mustMeanIt, type OfZone, shownZone } from './zone-head.ts';

const PAGE = 50;
const FIELDS = ['name', 'type', 'content', 'ttl', 'priority', 'anyway'];

interface OfRecord {
  Params: { zoneId: string; recordId: string };
}
interface ListQuery extends OfZone {
  Querystring: { q?: string; type?: string; cursor?: string };
}
interface Again {
  typed?: Typed;
  errors?: FormErrors;
}

export function recordPages(app: FastifyInstance, { house, counts }: ConsoleParts): void {
  const listPage = async (
    request: FastifyRequest<OfZone>,
    reply: FastifyReply,
    { q = '', type = '', cursor }: ListQuery['Querystring'],
    again: Again = {},
  ) => {
    const query = { q: q.trim(), type: isRecordType(type) ? type : undefined };
    const { zone, rows, next } = await readRows(house, actorOf(request), request.params.zoneId, {
      texts: query.q === '' ? undefined : searchTexts(query.q),
      type: query.type,
      cursor,
      limit: PAGE,
    });
    const home = addressOfZone(zone.id);
    return show(request, reply, 'zone/records', {
      title: zone.name,
      zone: shownZone(zone, house),
      home,
      records: rows.map((row) => shownRecord(row, zone)),
      types: RECORD_TYPES,
      query,
      pages: {
        first: cursor === undefined ? null : withQuery(home, query),
        next: next === null ? null : withQuery(home, { ...query, cursor: next }),
      },
      ...again,
    });
  };
  /** A row in the list, or a page of its own. */
  const showRecord = async (
    request: FastifyRequest<OfRecord>,
    reply: FastifyReply,
    what: 'edit' | 'delete' | 'row',
    again: Again = {},
  ) => {
    const { zoneId, recordId } = request.params;
    const { zone, row } = await readRow(house, actorOf(request), zoneId, recordId);
    const isHtmx = request.headers['hx-request'] === 'true';
    const home = addressOfZone(zone.id);
    if (what === 'row' && !isHtmx) return reply.redirect(home, 303);
    const record = shownRecord(row, zone);
    return show(request, reply, what === 'row' ? 'zone/row' : `zone/${what}-record${isHtmx ? '-row' : ''}`, {
      title: `${what === 'edit' ? 'Edit' : 'Delete'} ${row.name} ${row.type}`,
      zone: shownZone(zone, house),
      home,
      record,
      isFocused: what === 'row',
      isLong: row.content.length > EDITABLE,
      values: { content: row.content, ttl: row.ttl ?? '', priority: row.priority ?? '' },
      ...again,
    });
  };

  app.get<ListQuery>('/zones/:zoneId', async (request, reply) => listPage(request, reply, request.query));

  app.post<OfZone>('/zones/:zoneId/records', async (request, reply) => {
    const typed = typedOf(request);
    const { row: zone, home } = await headOf(house, request, request.params.zoneId);
    return attempt(
      reply,
      FIELDS,
      async () => {
        await counts.record(request, reply);
        const body = judge(recordBody, inputOf(typed, text(typed, 'name'), text(typed, 'type')));
        const made = await createRecord(house, callerOf(request), zone.id, body);
        return done(request, reply, home, `${made.name} ${made.type} is there, and served.`);
      },
      (errors) => listPage(request, reply, {}, { typed, errors }),
    );
  });

  app.get<OfRecord>('/zones/:zoneId/records/:recordId', async (request, reply) => showRecord(request, reply, 'row'));
  app.get<OfRecord>('/zones/:zoneId/records/:recordId/edit', async (request, reply) =>
    showRecord(request, reply, 'edit'),
  );
  app.get<OfRecord>('/zones/:zoneId/records/:recordId/delete', async (request, reply) =>
    showRecord(request, reply, 'delete'),
  );

  app.post<OfRecord>('/zones/:zoneId/records/:recordId', async (request, reply) => {
    const typed = typedOf(request);
    const { zoneId, recordId } = request.params;
    const { row } = await readRow(house, actorOf(request), zoneId, recordId);
    return attempt(
      reply,
      FIELDS,
      async () => {
        await counts.record(request, reply);
        const body = judge(recordBody, inputOf(typed, row.name, row.type));
        mustMeanIt(row.managedBy, typed);
        await replaceRecord(house, callerOf(request), zoneId, recordId, body);
        if (request.headers['hx-request'] === 'true') return showRecord(request, reply, 'row');
        return done(request, reply, addressOfZone(zoneId), `${row.name} ${row.type} is changed.`);
      },
      (errors) => showRecord(request, reply, 'edit', { typed, errors }),
    );
  });

  app.post<OfRecord>('/zones/:zoneId/records/:recordId/delete', async (request, reply) => {
    const typed = typedOf(request);
    const { zoneId, recordId } = request.params;
    const { row } = await readRow(house, actorOf(request), zoneId, recordId);
    return attempt(
      reply,
      ['anyway'],
      async () => {
        await counts.record(request, reply);
        mustMeanIt(row.managedBy, typed);
        await removeRecord(house, callerOf(request), zoneId, recordId);
        // In place of the row comes nothing.
        if (request.headers['hx-request'] === 'true') return reply.type('text/html; charset=utf-8').send('');
        return done(request, reply, addressOfZone(zoneId), `${row.name} ${row.type} is deleted.`);
      },
      (errors) => showRecord(request, reply, 'delete', { typed, errors }),
    );
  });
}

/** As JSON would have it. Only line ends are taken off: blanks can be part of a value. */
function inputOf(typed: Typed, name: string, type: string) {
  const content = [typed.content ?? ''].flat().at(-1) ?? '';
  const [ttl, priority] = [text(typed, 'ttl'), text(typed, 'priority')];
  return {
    name,
    type,
    content: content.replace(/[\r\n]+$/, ''),
    ...(ttl === '' ? {} : { ttl: Number(ttl) }),
    ...(priority === '' ? {} : { priority: Number(priority) }),
  };
}
