// Undo of changes of the history: a preview with the differences and conflicts, and the confirmation.
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '#api/hooks/auth.ts';
import { whenClientLeaves } from '#api/hooks/leaving.ts';
import { counterOf } from '#api/hooks/limits.ts';
import { undoBody } from '#contract/undo.ts';
import { Refusal, refusal } from '#service/refusal.ts';
import type { ShownValue, UndoAnswer } from '#service/undo/answer.ts';
import { type Selection, undoChanges } from '#service/undo/undo.ts';
import type { ConsoleParts } from '../parts.ts';
import { attempt, type FormErrors, judge, list, type Typed, text, typedOf } from '../shell/forms.ts';
import { isClash } from '../shell/seen.ts';
import { clip } from '../shell/shown.ts';
import { done, show } from '../shell/views.ts';
import { headOf, type OfZone } from './head.ts';

/** Differences and conflicts that a page shows. */
const SHOWN = 100;
/** How often a preview is made again because the zone changed between it and the undo. */
const ATTEMPTS = 3;
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
      seen: answer === null ? '' : previewId(answer),
    });
  };
  const undo = (
    request: FastifyRequest<OfZone>,
    reply: FastifyReply,
    typed: Typed,
    { dryRun, etag }: { dryRun: boolean; etag?: string | undefined },
  ) => {
    const count = counterOf(request);
    const places = { taken: dryRun ? 1 : 0, take: (writes: number) => count(writes) };
    const options = { dryRun, places, signal: whenClientLeaves(reply) };
    const condition = etag === undefined ? null : { ifMatch: [etag], ifNoneMatch: null };
    const caller = { ...callerOf(request), condition };
    return undoChanges(context, caller, request.params.zoneId, selectionOf(typed), options);
  };
  /**
   * Undoes the changes if they make the differences that the person saw. A change of other records does not matter.
   * @throws Refusal precondition_failed, and as undoChanges
   */
  const undoAsSeen = async (request: FastifyRequest<OfZone>, reply: FastifyReply, typed: Typed) => {
    if (text(typed, 'seen') === '') return undo(request, reply, typed, { dryRun: false });
    for (let attempt = 1; ; attempt += 1) {
      const preview = await undo(request, reply, typed, { dryRun: true });
      if (previewId(preview) !== text(typed, 'seen')) throw refusal('another-difference');
      try {
        return await undo(request, reply, typed, { dryRun: false, etag: preview.etag });
      } catch (error) {
        if (!(error instanceof Refusal && isClash(error)) || attempt === ATTEMPTS) throw error;
      }
    }
  };

  app.get<Asked>('/zones/:zoneId/undo', { config: { counts: COUNTS } }, async (request, reply) =>
    attempt(
      reply,
      [],
      async () => {
        await counterOf(request)(1);
        return page(request, reply, request.query, {
          answer: await undo(request, reply, request.query, { dryRun: true }),
        });
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
        const { total } = await undoAsSeen(request, reply, typed);
        const count = total.differences === 1 ? 'one name and type' : `${total.differences} names and types`;
        const word =
          total.differences === 0
            ? 'The records were as before already.'
            : `Undone: the records of ${count} are as before.`;
        return done(request, reply, `${home}/history`, word);
      },
      async (errors, { code }) => {
        // The page shows the differences of now, which the person may confirm.
        const isOther = code === 'precondition_failed';
        const answer = isOther ? await undo(request, reply, typed, { dryRun: true }) : null;
        return page(request, reply, typed, { errors, answer });
      },
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

/** Identifies the differences and conflicts of a preview, of which the page shows the first. */
function previewId({ total, differences, conflicts }: UndoAnswer): string {
  return hash('sha256', JSON.stringify([total, differences, conflicts]), 'base64url');
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
