// Undo and restore over HTTP: schema, limit, call. src/service/undo holds the rules.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import type { WriteCost } from '#contract/shared.ts';
import {
  deletedZoneList,
  restoreBody,
  undoAnswer,
  undoBody,
  zoneRestoreBody,
  zoneRestorePreview,
} from '#contract/undo.ts';
import { zoneCreated, zoneParams } from '#contract/zone.ts';
import type { ServiceContext } from '#service/context.ts';
import { readDeletedZones } from '#service/undo/deleted.ts';
import { restoreRecords } from '#service/undo/restore.ts';
import { type Selection, undoChanges } from '#service/undo/undo.ts';
import { previewZone, restoreZone } from '#service/undo/zone.ts';
import { actorOf, callerOf } from '../hooks/auth.ts';
import { conditionalCallerOf, tagged } from '../hooks/conditions.ts';
import { whenClientLeaves } from '../hooks/leaving.ts';
import { counterOf } from '../hooks/limits.ts';
import { UNTIL_COLON } from '../http.ts';
import { errorAnswers, needs, RECORD_CHANGE_ERRORS } from './answers.ts';

const COUNTS = { bucket: 'records', changes: 'operation' } as const;
const ERRORS = ['not_found', ...RECORD_CHANGE_ERRORS] as const;
/** The answer to a preview has an ETag, so that the change can be bound to the state that the preview showed. */
const BOUND =
  ' Send the header ETag of a preview as If-Match: the change is then only made if the records of the zone are as the preview showed them.';

export function undoRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.post(
    // The router (find-my-way) reads a double colon as a colon, not as a parameter.
    '/zones/:id/changes::undo',
    {
      config: { counts: COUNTS },
      schema: {
        tags: ['zones'],
        operationId: 'undoChanges',
        summary: 'Undo changes of records',
        security: needs('records:write'),
        description:
          'The records at the names and types of the changes become as they were before the oldest of them, all or none, with one serial. A later change of the same records prevents that, unless the request undoes it as well. Records of an owner are not changed: a conflict says what to change in Kubernetes. The undo is a change like any other, which can be undone too. A key needs the right to write each record. Each name and type that changes counts as one record write, up to half of the limit of the key; `cost` of a preview says how many.' +
          BOUND,
        params: zoneParams,
        body: undoBody,
        response: { 200: undoAnswer, ...errorAnswers(...ERRORS) },
      },
    },
    async (request, reply) => {
      const count = counterOf(request);
      const { dryRun } = request.body;
      await count(1);
      const caller = conditionalCallerOf(request);
      const {
        etag,
        changes = 0,
        ...answer
      } = await undoChanges(context, caller, request.params.id, selectionOf(request.body), {
        dryRun,
        places: { taken: 1, take: count },
        signal: whenClientLeaves(reply),
      });
      if (etag !== undefined) tagged(reply, etag);
      return withCost(answer, changes === 0 ? null : count.costOf(changes));
    },
  );

  routes.post(
    `/zones/:id${UNTIL_COLON}::restore`,
    {
      config: { counts: COUNTS },
      schema: {
        tags: ['zones'],
        operationId: 'restoreRecords',
        summary: 'Restore the records of a zone as they were at a time',
        security: needs('records:write'),
        description:
          'All records that changed since then become as they were, all or none, with one serial; comments too. The zone itself stays as it is: its default TTL, its comment, and whether it is parked. Records of an owner stay as they are too: `owned` says what to change in Kubernetes, except for ACME challenges, which come and go. A record that cannot exist next to such a record is a conflict. The history must reach back to that time. A key that is restricted to some names or types may not restore a zone. Each record that changes counts as one record write, up to half of the limit of the key, and a preview as one; `cost` of a preview says how many.' +
          BOUND,
        params: zoneParams,
        body: restoreBody,
        response: { 200: undoAnswer, ...errorAnswers(...ERRORS) },
      },
    },
    async (request, reply) => {
      const { at, dryRun } = request.body;
      const count = counterOf(request);
      const caller = conditionalCallerOf(request);
      const {
        etag,
        changes = 0,
        ...answer
      } = await restoreRecords(context, caller, request.params.id, new Date(at), {
        dryRun,
        count,
        signal: whenClientLeaves(reply),
      });
      if (etag !== undefined) tagged(reply, etag);
      return withCost(answer, changes === 0 ? null : count.costOf(changes));
    },
  );

  routes.get(
    '/zones::deleted',
    {
      schema: {
        tags: ['zones'],
        operationId: 'listDeletedZones',
        summary: 'List the deleted zones that can be restored',
        description:
          'The deleted zones of the owners that the key acts for, with the time until which each can be restored. A key with rights on single zones only gets an empty list.',
        response: { 200: deletedZoneList, ...errorAnswers() },
      },
    },
    async (request) => {
      const zones = await readDeletedZones(context, actorOf(request));
      return { zones: zones.map(({ id, ...zone }) => ({ zoneId: id, ...zone })) };
    },
  );

  routes.post(
    '/zones::restore',
    {
      config: { counts: { bucket: 'zones', changes: 'operation' } },
      schema: {
        tags: ['zones'],
        operationId: 'restoreZone',
        summary: 'Restore a deleted zone',
        security: needs('manageZones:write'),
        description:
          'The zone comes back with its id, its records, their owners and comments, its DNSSEC key, the permissions of keys that name it, and the choice of secondaries. So the DS records at the parent zone stay right. A zone can be restored until the quarantine of its name ends. With `dryRun`, the answer is a preview and has status 200. A restore counts as one zone write, and one more for each 1,000 records, up to half of the limit of the key.',
        body: zoneRestoreBody,
        response: {
          200: zoneRestorePreview,
          201: zoneCreated,
          ...errorAnswers('bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited', 'busy'),
        },
      },
    },
    async (request, reply) => {
      const { dryRun, ...wanted } = request.body;
      const caller = callerOf(request);
      const count = counterOf(request);
      await count(1);
      if (dryRun) return previewZone(context, caller, wanted);
      return reply.code(201).send(await restoreZone(context, caller, wanted, count));
    },
  );
}

function withCost<T>(answer: T, cost: WriteCost | null): T & { cost?: WriteCost } {
  return { ...answer, ...(cost === null ? {} : { cost }) };
}

function selectionOf({ changes, requestId, keyId = '', since = '' }: z.output<typeof undoBody>): Selection {
  if (changes !== undefined) return { changes };
  return requestId === undefined ? { keyId, since: new Date(since) } : { requestId };
}
