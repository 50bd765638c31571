// Records with owners over HTTP: applying sets, and listing who owns what. src/service/owners holds the rules.
import type { FastifyInstance } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import * as schemas from '#contract/owners.ts';
import { zoneParams } from '#contract/zone.ts';
import type { ServiceContext } from '#service/context.ts';
import { readOwners } from '#service/owners/list.ts';
import type { SetInput, SetResult } from '#service/owners/set.ts';
import { applySets } from '#service/records/writer.ts';
import { Refusal, refuseIssues } from '#service/refusal.ts';
import { bodyOf, statusOf } from '../errors.ts';
import { actorOf } from '../hooks/auth.ts';
import { conditionalCallerOf } from '../hooks/conditions.ts';
import { counterOf } from '../hooks/limits.ts';
import type { Part } from '../hooks/write-log.ts';
import { errorAnswers, needs, RECORD_CHANGE_ERRORS } from './answers.ts';

export function ownerRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  routes.post(
    // The router (find-my-way) reads a double colon as a colon, not as a parameter.
    '/zones/:id/records::apply',
    {
      schema: {
        tags: ['records'],
        operationId: 'applyRecords',
        summary: 'Apply the records of owners',
        security: needs('records:write'),
        description:
          "Each set says which records at a name and type are an owner's, and the service makes it so in one transaction. A set that is as it should be changes nothing, and costs no serial and no history. Each set that writes something or is refused counts as one record write, and a request at most as half of the limit of the key. If the write limit does not allow that now, the whole request is answered 429 and nothing is written.",
        params: zoneParams,
        body: schemas.applyBody,
        response: {
          200: schemas.applyAnswer,
          ...errorAnswers(...RECORD_CHANGE_ERRORS),
        },
      },
      validatorCompiler: (route) =>
        validatorCompiler(
          route.httpPart === 'body' ? { ...route, schema: schemas.applyEnvelope } : (route as typeof route & ZodRoute),
        ),
      config: { counts: { bucket: 'records', changes: 'operation' } },
    },
    async (request) => {
      const { atomic, sets } = request.body as z.output<typeof schemas.applyEnvelope>;
      const count = counterOf(request);
      const places = { taken: 0, take: (changes: number) => count(changes) };
      const work = { atomic, sets: sets.map(readSet) };
      const results = await applySets(context, conditionalCallerOf(request), request.params.id, work, places);
      const answer = results.map(resultOf);
      request.parts = answer.flatMap(
        ({ status }, index) => partOf(work.sets[index] as SetInput | Refusal, status) ?? [],
      );
      return { results: answer };
    },
  );
  routes.get(
    '/zones/:id/owners',
    {
      schema: {
        tags: ['records'],
        operationId: 'listOwners',
        summary: 'List the owners in a zone and what they own',
        security: needs('records:read'),
        description:
          'A key that is restricted to some names or types sees only the sets that it may write. A page has fewer items than `limit`, and has `next`, if their contents reach 1 MiB.',
        params: zoneParams,
        querystring: schemas.ownerListQuery,
        response: { 200: schemas.ownerList, ...errorAnswers('bad_request', 'forbidden', 'no_zone') },
      },
    },
    async (request) => readOwners(context, actorOf(request), request.params.id, request.query),
  );
}

type ZodRoute = { schema: z.ZodType };

function readSet(set: unknown): SetInput | Refusal {
  const parsed = schemas.recordSet.safeParse(set);
  return parsed.success ? parsed.data : refuseIssues(parsed.error.issues, 'invalid-value');
}

/** The log entry of a set that has a request id of its own. */
function partOf(set: SetInput | Refusal, status: number): Part | null {
  if (set instanceof Refusal || set.requestId === undefined) return null;
  const isRelease = set.release === true || set.values?.length === 0;
  return { requestId: set.requestId, action: isRelease ? 'release' : 'apply', status };
}

function resultOf(result: SetResult): schemas.ApplyResult {
  if (result.ok) {
    const { records, changed, drift } = result;
    return { status: 200, records: [...records], changed, drift: [...drift] };
  }
  const refused = new Refusal(result.refusal);
  return { status: statusOf(refused), ...bodyOf(refused) };
}
