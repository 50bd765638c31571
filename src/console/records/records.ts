// A record of a zone: edit and delete. With htmx, a record is edited in its row. Without JavaScript, the same addresses
// are pages of their own.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordBody } from '#contract/record.ts';
import { fieldsOfContent } from '#dns/types/fields.ts';
import { actorOf, callerOf } from '#http/hooks/auth.ts';
import type { ServiceContext } from '#service/context.ts';
import { readManagedRecord } from '#service/records/records.ts';
import { removeRecord, replaceRecord } from '#service/records/writer.ts';
import type { Refusal } from '#service/refusal.ts';
import type { ConsoleParts } from '../parts.ts';
import { attempt, type FormErrors, judge, type Typed, typedOf } from '../shell/forms.ts';
import { conditionOf, isClash, seenIn } from '../shell/seen.ts';
import { EDITABLE, shownRecord } from '../shell/shown.ts';
import { done, show } from '../shell/views.ts';
import { whenOf } from '../shell/when.ts';
import { addressOfZone, mustConfirm, shownZone } from '../zones/head.ts';
import { recordListPages } from './list.ts';
import { newRecordPages, shownFields } from './new.ts';
import { previewOf } from './preview.ts';
import { errorFieldsOf, formOf, inputName, inputOf } from './record-input.ts';
import { differing, seenText } from './seen.ts';
import { selectedRecordPages } from './selected.ts';

interface OfRecord {
  Params: { zoneId: string; recordId: string };
}
interface Again {
  typed?: Typed;
  errors?: FormErrors;
  refused?: Refusal;
}

export function recordPages(app: FastifyInstance, parts: ConsoleParts): void {
  const { context } = parts;
  recordListPages(app, parts);
  newRecordPages(app, parts);
  selectedRecordPages(app, parts);

  const address = '/zones/:zoneId/records/:recordId';
  app.get<OfRecord>(address, async (request, reply) => showRecord(context, request, reply, 'row'));
  app.get<OfRecord>(`${address}/edit`, async (request, reply) => showRecord(context, request, reply, 'edit'));
  app.get<OfRecord>(`${address}/delete`, async (request, reply) => showRecord(context, request, reply, 'delete'));

  app.post<OfRecord>(address, { config: { counts: 'records' } }, async (request, reply) => {
    const typed = typedOf(request);
    const { zoneId, recordId } = request.params;
    const { record } = await readManagedRecord(context, actorOf(request), zoneId, recordId);
    return attempt(
      reply,
      errorFieldsOf(record.type),
      async () => {
        const body = judge(recordBody, inputOf(typed, record.name, record.type));
        mustConfirm(record.managedBy, typed);
        const condition = conditionOf(seenIn(typed.seen)[0]);
        await replaceRecord(context, { ...callerOf(request), condition }, zoneId, recordId, body);
        const home = addressOfZone(zoneId);
        if (request.headers['hx-request'] === 'true') {
          request.doneAt = home;
          return showRecord(context, request, reply, 'row', { isSaved: true });
        }
        return done(request, reply, home, `The record ${record.name} (${record.type}) was changed.`, recordId);
      },
      (errors, refused) => showRecord(context, request, reply, 'edit', { typed, errors, refused }),
    );
  });

  app.post<OfRecord>(`${address}/delete`, { config: { counts: 'records' } }, async (request, reply) => {
    const typed = typedOf(request);
    const { zoneId, recordId } = request.params;
    const { record } = await readManagedRecord(context, actorOf(request), zoneId, recordId);
    return attempt(
      reply,
      ['anyway'],
      async () => {
        mustConfirm(record.managedBy, typed);
        const condition = conditionOf(seenIn(typed.seen)[0]);
        await removeRecord(context, { ...callerOf(request), condition }, zoneId, recordId);
        const home = addressOfZone(zoneId);
        // The row is removed.
        if (request.headers['hx-request'] === 'true') {
          request.doneAt = home;
          return reply.type('text/html; charset=utf-8').send('');
        }
        return done(request, reply, home, `The record ${record.name} (${record.type}) was deleted.`);
      },
      (errors, refused) => showRecord(context, request, reply, 'delete', { typed, errors, refused }),
    );
  });
}

/** A row of the list, or a page of its own. */
async function showRecord(
  context: ServiceContext,
  request: FastifyRequest<OfRecord>,
  reply: FastifyReply,
  what: 'edit' | 'delete' | 'row',
  again: Again & { isSaved?: boolean } = {},
) {
  const { zoneId, recordId } = request.params;
  const { zone, record } = await readManagedRecord(context, actorOf(request), zoneId, recordId);
  const isHtmx = request.headers['hx-request'] === 'true';
  const home = addressOfZone(zone.id);
  const now = context.now();
  if (what === 'row' && !isHtmx) return reply.redirect(home, 303);
  const { content, ttl, priority, comment } = record;
  const fields = fieldsOfContent(formOf(record.type), content) ?? {};
  const values: Record<string, string | number> = {
    ttl: ttl ?? '',
    priority: priority ?? '',
    comment: comment ?? '',
  };
  for (const [name, value] of Object.entries(fields)) values[inputName(name)] = value;
  const [seenRecord] = isClash(again.refused) ? seenIn(again.typed?.seen) : [];
  const enteredValues =
    seenRecord && again.typed && what === 'edit' ? inputOf(again.typed, record.name, record.type) : null;
  const storedTexts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  return show(request, reply, what === 'row' ? 'records/row' : `records/${what}-record${isHtmx ? '-row' : ''}`, {
    title: `${what === 'edit' ? 'Edit' : 'Delete'} ${record.name} ${record.type}`,
    zone: shownZone(zone),
    home,
    record: { ...shownRecord(record, zone), changed: again.isSaved ? whenOf(now.toISOString(), now) : null },
    // In this order, the list has one more column.
    hasTimes: /[?&]sort=-?changed(?:&|$)/.test(String(request.headers['hx-current-url'])),
    ...shownFields(record.type),
    id: `-${record.id}`,
    seen: seenText(record, zone),
    differing: seenRecord ? differing(seenRecord, record, zone, enteredValues) : null,
    isFocused: what === 'row',
    isLong: content.length > EDITABLE,
    values,
    preview: previewOf({ ...storedTexts, ...again.typed, name: record.name, type: record.type }, zone),
    ...again,
  });
}
