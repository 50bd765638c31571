// A record of a zone: edit and delete. With htmx, a record is edited in its row. Without JavaScript, the same addresses
// are pages of their own.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordBody } from '#contract/record.ts';
import { fieldsOfContent } from '#dns/types/fields.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { readCheckNames } from '#service/checks/names.ts';
import type { ServiceContext } from '#service/context.ts';
import { readManagedRecord } from '#service/records/records.ts';
import { removeRecord, replaceRecord } from '#service/records/writer.ts';
import type { Refusal } from '#service/refusal.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed } from '../shell/forms.ts';
import { isClash, seenIn, toTagCondition } from '../shell/seen.ts';
import { EDITABLE, shownRecord } from '../shell/shown.ts';
import { done, showNext, showPage } from '../shell/views.ts';
import { whenOf } from '../shell/when.ts';
import { addressOfZone, mustConfirm, readZoneHead, shownZone, undoOf } from '../zones/head.ts';
import { recordListPages } from './list.ts';
import { newRecordPages, shownFields } from './new.ts';
import { previewRecord } from './preview.ts';
import { chooseForm, inputName, listErrorFields, placeErrors, readRecordInput } from './record-input.ts';
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
    const typed = readTyped(request);
    const { zoneId, recordId } = request.params;
    const { record } = await readManagedRecord(context, requireActor(request), zoneId, recordId);
    return attemptForm(
      reply,
      listErrorFields(record.type),
      async () => {
        const body = judge(recordBody, readRecordInput(typed, record.name, record.type));
        mustConfirm(record.managedBy, typed);
        const condition = toTagCondition(seenIn(typed.seen)[0]);
        await replaceRecord(context, { ...readCaller(request), condition }, zoneId, recordId, body);
        const text = `The record ${record.name} (${record.type}) was changed.`;
        const undo = record.managedBy === null ? undoOf(request, zoneId) : undefined;
        const home = addressOfZone(zoneId);
        if (request.headers['hx-request'] !== 'true')
          return done(request, reply, home, text, { record: recordId, undo });
        showNext(request, text, { undo });
        request.doneAt = home;
        return showRecord(context, request, reply, 'row', { isSaved: true });
      },
      (errors, refused) => showRecord(context, request, reply, 'edit', { typed, errors, refused }),
    );
  });

  app.post<OfRecord>(`${address}/delete`, { config: { counts: 'records' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { zoneId, recordId } = request.params;
    const { record } = await readManagedRecord(context, requireActor(request), zoneId, recordId);
    return attemptForm(
      reply,
      ['anyway'],
      async () => {
        mustConfirm(record.managedBy, typed);
        const condition = toTagCondition(seenIn(typed.seen)[0]);
        await removeRecord(context, { ...readCaller(request), condition }, zoneId, recordId);
        const text = `The record ${record.name} (${record.type}) was deleted.`;
        const undo = record.managedBy === null ? undoOf(request, zoneId) : undefined;
        const home = addressOfZone(zoneId);
        if (request.headers['hx-request'] !== 'true') return done(request, reply, home, text, { undo });
        showNext(request, text, { undo });
        request.doneAt = home;
        const { zone } = await readZoneHead(context, request, zoneId);
        // The rest of the answer belongs to other places of the page.
        reply.header('hx-reswap', 'delete');
        return showPage(request, reply, 'records/deleted-record', { title: text, records: zone.records });
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
  const { zone, record } = await readManagedRecord(context, requireActor(request), zoneId, recordId);
  const isHtmx = request.headers['hx-request'] === 'true';
  const home = addressOfZone(zone.id);
  const now = context.now();
  if (what === 'row' && !isHtmx) return reply.redirect(home, 303);
  const { content, ttl, priority, comment, health } = record;
  const fields = fieldsOfContent(chooseForm(record.type), content) ?? {};
  const values: Record<string, string | number> = {
    ttl: ttl ?? '',
    priority: priority ?? '',
    comment: comment ?? '',
    check: health?.check ?? '',
    tier: health?.tier ?? 0,
    whenAllFail: health?.whenAllFail ?? 'ServeAll',
    weight: health?.weight ?? '',
    reverse: health?.reverse === true ? 'on' : '',
  };
  for (const [name, value] of Object.entries(fields)) values[inputName(name)] = value;
  const [seenRecord] = isClash(again.refused) ? seenIn(again.typed?.seen) : [];
  const enteredValues =
    seenRecord && again.typed && what === 'edit' ? readRecordInput(again.typed, record.name, record.type) : null;
  const storedTexts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  const template =
    what === 'row' && again.isSaved ? 'saved-record' : what === 'row' ? 'row' : `${what}-record${isHtmx ? '-row' : ''}`;
  return showPage(request, reply, `records/${template}`, {
    title: `${what === 'edit' ? 'Edit' : 'Delete'} ${record.name} ${record.type}`,
    zone: shownZone(zone),
    home,
    record: { ...shownRecord(record, zone), changed: again.isSaved ? whenOf(now.toISOString(), now) : null },
    // In this order, the list has one more column.
    hasTimes: /[?&]sort=-?changed(?:&|$)/.test(String(request.headers['hx-current-url'])),
    ...shownFields(record.type),
    checks: await readCheckNames(context, requireActor(request), zone.owner),
    id: `-${record.id}`,
    seen: seenText(record, zone),
    errors: placeErrors(again.errors, record.type),
    differing: seenRecord ? differing(seenRecord, record, zone, enteredValues) : null,
    isFocused: what === 'row',
    isLong: content.length > EDITABLE,
    values,
    preview: previewRecord({ ...storedTexts, ...again.typed, name: record.name, type: record.type }, zone),
    typed: again.typed ?? {},
    refused: again.refused,
    isSaved: again.isSaved ?? false,
  });
}
