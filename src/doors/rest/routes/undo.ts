// Undo and restore over HTTP. src/service/undo holds the rules.
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import * as api from '#contract/operations/undo.ts';
import type { WriteCost } from '#contract/shared.ts';
import type { undoBody } from '#contract/undo.ts';
import { tagged } from '#http/hooks/conditions.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { createWriteBudget, requireCounter } from '#http/hooks/limits.ts';
import type { ServiceContext } from '#service/context.ts';
import { readDeletedZones } from '#service/undo/deleted.ts';
import { restoreRecords } from '#service/undo/restore.ts';
import { type Selection, undoChanges } from '#service/undo/undo.ts';
import { previewZone, restoreZone } from '#service/undo/zone.ts';
import { serveOn } from '../serve.ts';

export function undoRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);

  serve(api.undoChanges, async ({ caller, params, body, request, reply }) => {
    const count = requireCounter(request);
    await count(1);
    const {
      etag,
      changes = 0,
      ...answer
    } = await undoChanges(context, caller(), params.id, toSelection(body), {
      dryRun: body.dryRun,
      budget: createWriteBudget(request, 1),
      signal: whenClientLeaves(reply),
    });
    if (etag !== undefined) tagged(reply, etag);
    return withCost(answer, changes === 0 ? null : count.costOf(changes));
  });

  serve(api.restoreRecords, async ({ caller, params, body: { at, dryRun }, request, reply }) => {
    const count = requireCounter(request);
    const {
      etag,
      changes = 0,
      ...answer
    } = await restoreRecords(context, caller(), params.id, new Date(at), {
      dryRun,
      count,
      signal: whenClientLeaves(reply),
    });
    if (etag !== undefined) tagged(reply, etag);
    return withCost(answer, changes === 0 ? null : count.costOf(changes));
  });

  serve(api.listDeletedZones, async ({ actor }) => {
    const zones = await readDeletedZones(context, actor());
    return { zones: zones.map(({ id, ...zone }) => ({ zoneId: id, ...zone })) };
  });

  serve(api.restoreZone, async ({ caller, body: { dryRun, ...wantedZone }, request, reply }) => {
    const owner = caller();
    const count = requireCounter(request);
    await count(1);
    if (dryRun) return previewZone(context, owner, wantedZone);
    const restoredZone = await restoreZone(context, owner, wantedZone, count);
    reply.code(201);
    return restoredZone;
  });
}

function withCost<T>(answer: T, cost: WriteCost | null): T & { cost?: WriteCost } {
  return { ...answer, ...(cost === null ? {} : { cost }) };
}

function toSelection({ changes, requestId, keyId = '', since = '' }: z.output<typeof undoBody>): Selection {
  if (changes !== undefined) return { changes };
  return requestId === undefined ? { keyId, since: new Date(since) } : { requestId };
}
