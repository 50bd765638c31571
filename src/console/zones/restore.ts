// The restore of a zone's records to a time: a field for the time, a preview of the difference, and the confirmation.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { restoreBody } from '#contract/undo.ts';
import { readCaller } from '#http/hooks/auth.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { requireCounter } from '#http/hooks/limits.ts';
import type { ServiceContext } from '#service/context.ts';
import type { UndoResult } from '#service/undo/answer.ts';
import { restoreRecords } from '#service/undo/restore.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed, textField } from '../shell/forms.ts';
import { clipText } from '../shell/shown.ts';
import { done, showPage } from '../shell/views.ts';
import { identifyPreview, type MakeChange, makeAsSeen, placesIn, previewDifferences } from './difference.ts';
import { type OfZone, readZoneHead } from './head.ts';

const COUNTS = { bucket: 'records', changes: 'operation' } as const;
const FIELDS = ['at'] as const;

interface Asked extends OfZone {
  Querystring: Typed;
}

export function restorePages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<Asked>('/zones/:zoneId/restore', { config: { counts: COUNTS } }, async (request, reply) => {
    const typed = request.query;
    if (textField(typed, 'at') === '') return page(context, request, reply, typed, {});
    return attemptForm(
      reply,
      FIELDS,
      async () =>
        page(context, request, reply, typed, {
          answer: await restoring(context, request, reply, typed)({ dryRun: true }),
        }),
      (errors) => page(context, request, reply, typed, { errors }),
    );
  });

  app.post<OfZone>('/zones/:zoneId/restore', { config: { counts: COUNTS } }, async (request, reply) => {
    const typed = readTyped(request);
    const { home } = await readZoneHead(context, request, request.params.zoneId);
    const restore = restoring(context, request, reply, typed);
    return attemptForm(
      reply,
      FIELDS,
      async () =>
        done(request, reply, `${home}/history`, describeOutcome(await makeAsSeen(restore, textField(typed, 'seen')))),
      async (errors, { code }) => {
        // The page shows the differences of now, which the person may confirm.
        const answer = code === 'precondition_failed' ? await restore({ dryRun: true }) : null;
        return page(context, request, reply, typed, { errors, answer });
      },
    );
  });
}

async function page(
  context: ServiceContext,
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  typed: Typed,
  { answer = null, errors = {} }: { answer?: UndoResult | null; errors?: FormErrors },
) {
  const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
  const at = readTime(typed);
  return showPage(request, reply, 'zones/restore', {
    title: `Restore ${zone.zoneName} to an earlier time`,
    zone,
    home,
    errors,
    at: clipText(at, 64),
    // The field has no zone of its own.
    field: clipText(at, 64).replace(/(\.000)?Z$/, ''),
    exact: `${clipText(at, 64)
      .replace('T', ' ')
      .replace(/(\.000)?Z$/, '')} UTC`,
    preview: answer === null ? null : previewDifferences(answer),
    places: placesIn(answer?.total.differences ?? 0),
    seen: answer === null ? '' : identifyPreview(answer),
  });
}

function restoring(
  context: ServiceContext,
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  typed: Typed,
): MakeChange {
  const count = requireCounter(request);
  const signal = whenClientLeaves(reply);
  return async ({ dryRun, etag }) => {
    const { at } = judge(restoreBody, { at: readTime(typed) });
    const condition = etag === undefined ? null : { ifMatch: [etag], ifNoneMatch: null };
    const options = { dryRun, count, signal };
    return restoreRecords(context, { ...readCaller(request), condition }, request.params.zoneId, new Date(at), options);
  };
}

/** The time of a form: the field has a time in UTC without its zone, and links have one with it. */
function readTime(typed: Typed): string {
  const at = textField(typed, 'at');
  // Browsers omit seconds that are zero.
  const [, seconds] = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(?:\.\d+)?)?$/.exec(at) ?? [at, null];
  return seconds === null ? at : `${at}${seconds === undefined ? ':00' : ''}Z`;
}

function describeOutcome({ total: { differences, owned } }: UndoResult): string {
  const word =
    differences === 0
      ? 'The records were as they were at that time already.'
      : `Restored: the records of ${placesIn(differences)} are as they were at that time.`;
  return owned === 0 ? word : `${word} Those of owners at ${placesIn(owned)} stay as they are.`;
}
