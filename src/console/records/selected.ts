// Changes of the selected records of a list: a page that lists them and asks for confirmation, and one batch.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordBody } from '#contract/record.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import type { ServiceContext } from '#service/context.ts';
import { readManagedRecordsById } from '#service/records/records.ts';
import { applyBatch } from '#service/records/writer.ts';
import { type Refusal, refusal } from '#service/refusal.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed, textField } from '../shell/forms.ts';
import { isClash, seenIn, toTagCondition } from '../shell/seen.ts';
import { shownRecord } from '../shell/shown.ts';
import { done, showPage } from '../shell/views.ts';
import { addressOfZone, mustConfirm, type OfZone, shownZone, undoOf } from '../zones/head.ts';
import { differing, seenText, tagManagedRecord } from './seen.ts';

/** As many as a page of the list has. */
const MAX = 100;

interface Selection extends OfZone {
  Querystring: { id?: string | string[]; do?: string };
}

export function selectedRecordPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<Selection>('/zones/:zoneId/records/selected', async (request, reply) =>
    page(context, request, reply, { ids: idsIn(request.query.id), action: request.query.do ?? '' }),
  );

  app.post<OfZone>(
    '/zones/:zoneId/records/selected',
    {
      config: {
        counts: { bucket: 'records', changes: ({ body }) => Math.max(1, idsIn((body as Typed | null)?.id).length) },
      },
    },
    async (request, reply) => {
      const typed = readTyped(request);
      const { zoneId } = request.params;
      const selection = { ids: idsIn(typed.id), action: textField(typed, 'do') };
      return attemptForm(
        reply,
        ['ttl', 'anyway'],
        async () => {
          const { records } = await readManagedRecordsById(context, requireActor(request), zoneId, selection.ids);
          if (records.length === 0) throw refusal('nothing-selected');
          mustConfirm(joinOwners(records), typed);
          const isDeletion = selection.action !== 'ttl';
          const ttl = textField(typed, 'ttl');
          const seenById = new Map(seenIn(typed.seen).map((each) => [each.id, each]));
          const changes = records.map(({ id, name, type, content, priority }) => {
            const condition = toTagCondition(seenById.get(id));
            if (isDeletion) return { action: 'delete' as const, id, condition };
            const record = { name, type, content, priority, ...(ttl === '' ? {} : { ttl: Number(ttl) }) };
            return { action: 'update' as const, id, record: judge(recordBody, record), condition };
          });
          await applyBatch(context, readCaller(request), zoneId, { atomic: true, changes });
          const countText = records.length === 1 ? '1 record' : `${records.length} records`;
          const words = isDeletion
            ? `${countText} ${records.length === 1 ? 'was' : 'were'} deleted.`
            : `The TTL of ${countText} was changed.`;
          // Records with owners stay as they are in an undo.
          const undo = joinOwners(records) === null ? undoOf(request, zoneId) : undefined;
          return done(request, reply, addressOfZone(zoneId), words, { undo });
        },
        (errors, refused) => page(context, request, reply, selection, { typed, errors, refused }),
      );
    },
  );
}

async function page(
  context: ServiceContext,
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  selection: { ids: readonly string[]; action: string },
  again: { typed?: Typed; errors?: FormErrors; refused?: Refusal } = {},
) {
  const { zone, records } = await readManagedRecordsById(
    context,
    requireActor(request),
    request.params.zoneId,
    selection.ids,
  );
  const seenById = new Map(isClash(again.refused) ? seenIn(again.typed?.seen).map((each) => [each.id, each]) : []);
  const isDeletion = selection.action !== 'ttl';
  const countText = records.length === 1 ? '1 record' : `${records.length} records`;
  return showPage(request, reply, 'records/selected', {
    title: isDeletion ? `Delete ${countText}` : `Change the TTL of ${countText}`,
    zone: shownZone(zone),
    home: addressOfZone(zone.id),
    isDeletion,
    counted: countText,
    records: records.map((record) => {
      const seenRecord = seenById.get(record.id);
      const isChanged = seenRecord !== undefined && seenRecord.etag !== tagManagedRecord(record, zone);
      const differences = isChanged ? differing(seenRecord, record, zone, null) : null;
      return { ...shownRecord(record, zone), seen: seenText(record, zone), changed: differences };
    }),
    managedBy: joinOwners(records),
    subject: records.length === 1 ? undefined : managedWords(records),
    ...again,
  });
}

function idsIn(id: string | string[] | undefined): string[] {
  return [...new Set([id ?? []].flat())].slice(0, MAX);
}

/** The beginning of a sentence about the managed records of a selection. */
function managedWords(records: readonly { managedBy: string | null }[]): string {
  const count = records.filter(({ managedBy }) => managedBy !== null).length;
  return count === 1 ? '1 of these records is' : `${count} of these records are`;
}

function joinOwners(records: readonly { managedBy: string | null }[]): string | null {
  const owners = [...new Set(records.flatMap(({ managedBy }) => managedBy ?? []))];
  return owners.length === 0 ? null : owners.join(', ');
}
