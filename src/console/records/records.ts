// The record pages of a zone: list with search, create, edit, delete. With htmx, a record is edited in its record. Without
// JavaScript, the same addresses are pages of their own.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf, callerOf } from '#api/hooks/auth.ts';
import { recordBody } from '#contract/record.ts';
import { TYPE_FORMS } from '#dns/types/forms.ts';
import { isRecordType } from '#dns/types/index.ts';
import { isNamedType } from '#dns/types/record-type.ts';
import { readManagedRecord, readManagedRecords } from '#service/records/records.ts';
import { createRecord, removeRecord, replaceRecord } from '#service/records/writer.ts';
import type { ConsoleParts } from '../parts.ts';
import { attempt, type FormErrors, judge, type Typed, text, typedOf } from '../shell/forms.ts';
import { EDITABLE, searchTexts, shownRecord, withQuery } from '../shell/shown.ts';
import { NAMED_OR_NUMBER, namedAnd, typedType } from '../shell/types.ts';
import { done, show } from '../shell/views.ts';
import { addressOfZone, headOf, mustConfirm, type OfZone, shownZone } from '../zones/head.ts';

const PAGE = 50;
/** The number of characters of a content that are read for the list. The list shows fewer. */
const SHOWN = 1_000;
const FIELDS = ['name', 'type', 'number', 'content', 'ttl', 'priority', 'comment', 'anyway'];

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

export function recordPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const listPage = async (
    request: FastifyRequest<OfZone>,
    reply: FastifyReply,
    { q = '', type = '', cursor }: ListQuery['Querystring'],
    again: Again = {},
  ) => {
    const query = { q: q.trim(), type: isRecordType(type) ? type : undefined };
    const { zone, records, next } = await readManagedRecords(context, actorOf(request), request.params.zoneId, {
      texts: query.q === '' ? undefined : searchTexts(query.q),
      type: query.type,
      cursor,
      limit: PAGE,
      characters: SHOWN,
    });
    const home = addressOfZone(zone.id);
    return show(request, reply, 'records/records', {
      title: zone.zoneName,
      zone: shownZone(zone),
      home,
      records: records.map((record) => shownRecord(record, zone)),
      types: NAMED_OR_NUMBER,
      forms: TYPE_FORMS,
      wanted: namedAnd(query.type),
      query,
      pages: {
        first: cursor === undefined ? null : withQuery(home, query),
        next: next === null ? null : withQuery(home, { ...query, cursor: next }),
      },
      ...again,
    });
  };
  /** A row of the list, or a page of its own. */
  const showRecord = async (
    request: FastifyRequest<OfRecord>,
    reply: FastifyReply,
    what: 'edit' | 'delete' | 'row',
    again: Again = {},
  ) => {
    const { zoneId, recordId } = request.params;
    const { zone, record } = await readManagedRecord(context, actorOf(request), zoneId, recordId);
    const isHtmx = request.headers['hx-request'] === 'true';
    const home = addressOfZone(zone.id);
    if (what === 'row' && !isHtmx) return reply.redirect(home, 303);
    const shown = shownRecord(record, zone);
    return show(request, reply, what === 'row' ? 'records/row' : `records/${what}-record${isHtmx ? '-row' : ''}`, {
      title: `${what === 'edit' ? 'Edit' : 'Delete'} ${record.name} ${record.type}`,
      zone: shownZone(zone),
      home,
      record: shown,
      form: TYPE_FORMS[isNamedType(record.type) ? record.type : 'TYPEn'],
      isFocused: what === 'row',
      isLong: record.content.length > EDITABLE,
      values: {
        content: record.content,
        ttl: record.ttl ?? '',
        priority: record.priority ?? '',
        comment: record.comment ?? '',
      },
      ...again,
    });
  };

  app.get<ListQuery>('/zones/:zoneId', async (request, reply) => listPage(request, reply, request.query));

  app.post<OfZone>('/zones/:zoneId/records', { config: { counts: 'records' } }, async (request, reply) => {
    const typed = typedOf(request);
    const { zone, home } = await headOf(context, request, request.params.zoneId);
    return attempt(
      reply,
      FIELDS,
      async () => {
        const body = judge(recordBody, inputOf(typed, text(typed, 'name'), typedType(typed)));
        const made = await createRecord(context, callerOf(request), zone.id, body);
        return done(request, reply, home, `The record ${made.name} (${made.type}) was created and is live.`);
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

  app.post<OfRecord>('/zones/:zoneId/records/:recordId', { config: { counts: 'records' } }, async (request, reply) => {
    const typed = typedOf(request);
    const { zoneId, recordId } = request.params;
    const { record } = await readManagedRecord(context, actorOf(request), zoneId, recordId);
    return attempt(
      reply,
      FIELDS,
      async () => {
        const body = judge(recordBody, inputOf(typed, record.name, record.type));
        mustConfirm(record.managedBy, typed);
        await replaceRecord(context, callerOf(request), zoneId, recordId, body);
        if (request.headers['hx-request'] === 'true') return showRecord(request, reply, 'row');
        return done(request, reply, addressOfZone(zoneId), `The record ${record.name} (${record.type}) was changed.`);
      },
      (errors) => showRecord(request, reply, 'edit', { typed, errors }),
    );
  });

  app.post<OfRecord>(
    '/zones/:zoneId/records/:recordId/delete',
    { config: { counts: 'records' } },
    async (request, reply) => {
      const typed = typedOf(request);
      const { zoneId, recordId } = request.params;
      const { record } = await readManagedRecord(context, actorOf(request), zoneId, recordId);
      return attempt(
        reply,
        ['anyway'],
        async () => {
          mustConfirm(record.managedBy, typed);
          await removeRecord(context, callerOf(request), zoneId, recordId);
          // The row is removed.
          if (request.headers['hx-request'] === 'true') return reply.type('text/html; charset=utf-8').send('');
          return done(request, reply, addressOfZone(zoneId), `The record ${record.name} (${record.type}) was deleted.`);
        },
        (errors) => showRecord(request, reply, 'delete', { typed, errors }),
      );
    },
  );
}

/** The form as a JSON body. Only line ends are removed, because spaces can be part of a value. */
function inputOf(typed: Typed, name: string, type: string) {
  const content = [typed.content ?? ''].flat().at(-1) ?? '';
  const [ttl, priority] = [text(typed, 'ttl'), text(typed, 'priority')];
  return {
    name,
    type,
    content: content.replace(/[\r\n]+$/, ''),
    ...(ttl === '' ? {} : { ttl: Number(ttl) }),
    ...(priority === '' ? {} : { priority: Number(priority) }),
    ...(typed.comment === undefined ? {} : { comment: text(typed, 'comment') }),
  };
}
