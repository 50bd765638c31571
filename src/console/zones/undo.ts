// Undo of changes of the history: a preview with the differences and conflicts, and the confirmation.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '#api/hooks/auth.ts';
import { whenClientLeaves } from '#api/hooks/leaving.ts';
import { counterOf } from '#api/hooks/limits.ts';
import { undoBody } from '#contract/undo.ts';
import type { ShownValue, UndoAnswer } from '#service/undo/answer.ts';
import { type Selection, undoChanges } from '#service/undo/undo.ts';
import type { ConsoleParts } from '../parts.ts';
import { attempt, type FormErrors, judge, list, type Typed, text, typedOf } from '../shell/forms.ts';
import { clip } from '../shell/shown.ts';
import { done, show } from '../shell/views.ts';
import { headOf, type OfZone } from './head.ts';

/** Differences and conflicts that a page shows. */
const SHOWN = 100;
const COUNTS = { bucket: 'records', changes: 'operation' } as const;

interface Asked extends OfZone {
  Querystring: Typed;
}

export function undoPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const page = async (
    request: FastifyRequest<OfZone>,
    reply: FastifyReply,
    typed: Typed,
    { answer = null, errors = {} }: { answer?: UndoAnswer | null; errors?: FormErrors },
  ) => {
    const { zone, home } = await headOf(context, request, request.params.zoneId);
    const fields = [
      ...list(typed, 'change').map((id) => ['change', clip(id)] as const),
      ...(text(typed, 'requestId') === '' ? [] : [['requestId', clip(text(typed, 'requestId'))] as const]),
    ];
    return show(request, reply, 'zones/undo', {
      title: `Undo changes of ${zone.zoneName}?`,
      zone,
      home,
      errors,
      fields,
      preview: answer === null ? null : previewOf(answer),
    });
  };
  const undo = (request: FastifyRequest<OfZone>, reply: FastifyReply, typed: Typed, dryRun: boolean) => {
    const count = counterOf(request);
    const places = { taken: dryRun ? 1 : 0, take: (writes: number) => count(writes) };
    const options = { dryRun, places, signal: whenClientLeaves(reply) };
    return undoChanges(context, callerOf(request), request.params.zoneId, selectionOf(typed), options);
  };

  app.get<Asked>('/zones/:zoneId/undo', { config: { counts: COUNTS } }, async (request, reply) =>
    attempt(
      reply,
      [],
      async () => {
        await counterOf(request)(1);
        return page(request, reply, request.query, { answer: await undo(request, reply, request.query, true) });
      },
      (errors) => page(request, reply, request.query, { errors }),
    ),
  );

  app.post<OfZone>('/zones/:zoneId/undo', { config: { counts: COUNTS } }, async (request, reply) => {
    const typed = typedOf(request);
    const { home } = await headOf(context, request, request.params.zoneId);
    return attempt(
      reply,
      [],
      async () => {
        const { total } = await undo(request, reply, typed, false);
        const count = total.differences === 1 ? 'one name and type' : `${total.differences} names and types`;
        const word =
          total.differences === 0
            ? 'The records were as before already.'
            : `Undone: the records of ${count} are as before.`;
        return done(request, reply, `${home}/history`, word);
      },
      (errors) => page(request, reply, typed, { errors }),
    );
  });
}

/** @throws Refusal bad_request */
function selectionOf(typed: Typed): Selection {
  const changes = list(typed, 'change');
  const requestId = text(typed, 'requestId');
  const body = judge(undoBody, requestId === '' ? { changes: changes.map(Number) } : { requestId });
  return body.requestId === undefined ? { changes: body.changes ?? [] } : { requestId: body.requestId };
}

function previewOf({ total, differences, conflicts }: UndoAnswer) {
  return {
    differences: differences.slice(0, SHOWN).map(({ name, type, before, after }) => {
      const [old, now] = [before.map(lineOf), after.map(lineOf)];
      return {
        subject: `${clip(name)} ${type}`,
        gone: old.filter((line) => !now.includes(line)),
        kept: old.filter((line) => now.includes(line)),
        come: now.filter((line) => !old.includes(line)),
      };
    }),
    conflicts: conflicts
      .slice(0, SHOWN)
      .map(({ name, type, message }) => ({ subject: `${clip(name)} ${type}`, message })),
    more: Math.max(0, total.differences - SHOWN) + Math.max(0, total.conflicts - SHOWN),
    isPossible: total.conflicts === 0 && total.differences > 0,
  };
}

function lineOf({ content, ttl, priority, comment }: ShownValue): string {
  const value = priority === undefined ? content : `${priority} ${content}`;
  return `${clip(value)} (${ttl} s)${comment === undefined ? '' : ` # ${clip(comment)}`}`;
}
