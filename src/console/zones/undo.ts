// Undo of changes of the history: a preview with the differences and conflicts, and the confirmation.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { undoBody } from '#contract/undo.ts';
import { readCaller } from '#http/hooks/auth.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { createWriteBudget, requireCounter } from '#http/hooks/limits.ts';
import { type KeyName, readKeyNames } from '#service/keys/names.ts';
import type { UndoResult } from '#service/undo/answer.ts';
import { type Selection, undoChanges } from '#service/undo/undo.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, list, readTyped, type Typed, textField } from '../shell/forms.ts';
import { clipText } from '../shell/shown.ts';
import { done, showPage } from '../shell/views.ts';
import { identifyPreview, makeAsSeen, placesIn, previewDifferences } from './difference.ts';
import { type OfZone, readZoneHead, undoOf } from './head.ts';

const COUNTS = { bucket: 'records', changes: 'operation' } as const;

interface Asked extends OfZone {
  Querystring: Typed;
}

export function undoPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<Asked>('/zones/:zoneId/undo', { config: { counts: COUNTS } }, async (request, reply) =>
    attemptForm(
      reply,
      [],
      async () => {
        return page(context, request, reply, request.query, {
          answer: await undo(context, request, reply, request.query, { dryRun: true }),
        });
      },
      (errors) => page(context, request, reply, request.query, { errors }),
    ),
  );

  app.post<OfZone>('/zones/:zoneId/undo', { config: { counts: COUNTS } }, async (request, reply) => {
    const typed = readTyped(request);
    const { home } = await readZoneHead(context, request, request.params.zoneId);
    return attemptForm(
      reply,
      [],
      async () => {
        const { total } = await undoAsSeen(context, request, reply, typed);
        const word =
          total.differences === 0
            ? 'The records were as before already.'
            : `Undone: the records of ${placesIn(total.differences)} are as before.`;
        const undo = total.differences === 0 ? undefined : undoOf(request, request.params.zoneId);
        // The person did not come from the history.
        const address = textField(typed, 'back') === 'records' ? home : `${home}/history`;
        return done(request, reply, address, word, { undo });
      },
      async (errors, { code }) => {
        // The page shows the differences of now, which the person may confirm.
        const isOther = code === 'precondition_failed';
        const answer = isOther ? await undo(context, request, reply, typed, { dryRun: true }) : null;
        return page(context, request, reply, typed, { errors, answer });
      },
    );
  });
}

async function page(
  context: ConsoleParts['context'],
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  typed: Typed,
  { answer = null, errors = {} }: { answer?: UndoResult | null; errors?: FormErrors },
) {
  const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
  const fields = [
    ...list(typed, 'change').map((id) => ['change', clipText(id)] as const),
    ...(['requestId', 'keyId', 'since'] as const).flatMap((field) =>
      textField(typed, field) === '' ? [] : [[field, clipText(textField(typed, field))] as const],
    ),
  ];
  // The name of a key is shown if the history of the zone, which the person may read, has changes of it.
  const keyId = textField(typed, 'keyId');
  const key = answer === null || keyId === '' ? undefined : (await readKeyNames(context, [keyId])).get(keyId);
  return showPage(request, reply, 'zones/undo', {
    title: buildTitle(zone.zoneName, typed, key),
    zone,
    home,
    errors,
    fields,
    preview: answer === null ? null : previewDifferences(answer),
    places: placesIn(answer?.total.differences ?? 0),
    seen: answer === null ? '' : identifyPreview(answer),
  });
}

async function undo(
  context: ConsoleParts['context'],
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  typed: Typed,
  { dryRun, etag }: { dryRun: boolean; etag?: string | undefined },
) {
  await requireCounter(request)(1);
  const options = { dryRun, budget: createWriteBudget(request, 1), signal: whenClientLeaves(reply) };
  const condition = etag === undefined ? null : { ifMatch: [etag], ifNoneMatch: null };
  const caller = { ...readCaller(request), condition };
  return undoChanges(context, caller, request.params.zoneId, readSelection(typed), options);
}

function undoAsSeen(
  context: ConsoleParts['context'],
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  typed: Typed,
) {
  const seenId = textField(typed, 'seen');
  if (seenId === '') return undo(context, request, reply, typed, { dryRun: false });
  return makeAsSeen((options) => undo(context, request, reply, typed, options), seenId);
}

/** @throws Refusal bad_request */
function readSelection(typed: Typed): Selection {
  const [requestId, keyId, since] = [
    textField(typed, 'requestId'),
    textField(typed, 'keyId'),
    textField(typed, 'since'),
  ];
  const changes = list(typed, 'change').map(Number);
  const selectionInput = requestId !== '' ? { requestId } : keyId !== '' ? { keyId, since } : { changes };
  const body = judge(undoBody, selectionInput);
  if (body.keyId !== undefined) return { keyId: body.keyId, since: new Date(body.since ?? '') };
  return body.requestId === undefined ? { changes: body.changes ?? [] } : { requestId: body.requestId };
}

function buildTitle(zoneName: string, typed: Typed, key: KeyName | undefined): string {
  const [keyId, since] = [textField(typed, 'keyId'), textField(typed, 'since')];
  if (keyId === '') return `Undo changes of ${zoneName}?`;
  const time = clipText(since, 40).slice(0, 19).replace('T', ' ');
  const author =
    key === undefined ? `the key ${clipText(keyId, 40)}` : `${key.email ?? 'the team'} with the key ${key.name}`;
  return `Undo all changes of ${zoneName} by ${author} since ${time} UTC?`;
}
