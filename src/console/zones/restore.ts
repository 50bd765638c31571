// The restore of a zone's records to a time: a field for the time, a preview of the difference, and the confirmation.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { restoreBody } from '#contract/undo.ts';
import { callerOf } from '#http/hooks/auth.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { counterOf } from '#http/hooks/limits.ts';
import type { ServiceContext } from '#service/context.ts';
import type { UndoResult } from '#service/undo/answer.ts';
import { restoreRecords } from '#service/undo/restore.ts';
import type { ConsoleParts } from '../parts.ts';
import { attempt, type FormErrors, judge, type Typed, text, typedOf } from '../shell/forms.ts';
import { clip } from '../shell/shown.ts';
import { done, show } from '../shell/views.ts';
import { type MakeChange, makeAsSeen, placesIn, previewId, previewOf } from './difference.ts';
import { headOf, type OfZone } from './head.ts';

const COUNTS = { bucket: 'records', changes: 'operation' } as const;
const FIELDS = ['at'] as const;

interface Asked extends OfZone {
  Querystring: Typed;
}

export function restorePages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<Asked>('/zones/:zoneId/restore', { config: { counts: COUNTS } }, async (request, reply) => {
    const typed = request.query;
    if (text(typed, 'at') === '') return page(context, request, reply, typed, {});
    return attempt(
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
    const typed = typedOf(request);
    const { home } = await headOf(context, request, request.params.zoneId);
    const restore = restoring(context, request, reply, typed);
    return attempt(
      reply,
      FIELDS,
      async () => done(request, reply, `${home}/history`, wordOf(await makeAsSeen(restore, text(typed, 'seen')))),
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
  const { zone, home } = await headOf(context, request, request.params.zoneId);
  const at = timeOf(typed);
  return show(request, reply, 'zones/restore', {
    title: `Restore ${zone.zoneName} to an earlier time`,
    zone,
    home,
    errors,
    at: clip(at, 64),
    // The field has no zone of its own.
    field: clip(at, 64).replace(/(\.000)?Z$/, ''),
    exact: `${clip(at, 64)
      .replace('T', ' ')
      .replace(/(\.000)?Z$/, '')} UTC`,
    preview: answer === null ? null : previewOf(answer),
    places: placesIn(answer?.total.differences ?? 0),
    seen: answer === null ? '' : previewId(answer),
  });
}

function restoring(
  context: ServiceContext,
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  typed: Typed,
): MakeChange {
  const count = counterOf(request);
  const signal = whenClientLeaves(reply);
  return async ({ dryRun, etag }) => {
    const { at } = judge(restoreBody, { at: timeOf(typed) });
    const condition = etag === undefined ? null : { ifMatch: [etag], ifNoneMatch: null };
    const options = { dryRun, count, signal };
    return restoreRecords(context, { ...callerOf(request), condition }, request.params.zoneId, new Date(at), options);
  };
}

/** The time of a form: the field has a time in UTC without its zone, and links have one with it. */
function timeOf(typed: Typed): string {
  const at = text(typed, 'at');
  // Browsers omit seconds that are zero.
  const [, seconds] = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(?:\.\d+)?)?$/.exec(at) ?? [at, null];
  return seconds === null ? at : `${at}${seconds === undefined ? ':00' : ''}Z`;
}

function wordOf({ total: { differences, owned } }: UndoResult): string {
  const word =
    differences === 0
      ? 'The records were as they were at that time already.'
      : `Restored: the records of ${placesIn(differences)} are as they were at that time.`;
  return owned === 0 ? word : `${word} Those of owners at ${placesIn(owned)} stay as they are.`;
}
