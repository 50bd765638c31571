// Records with owners over HTTP: applying sets, and listing who owns what. src/service/owners holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/owners.ts';
import type * as schemas from '#contract/owners.ts';
import { countChallenges } from '#dns/names/certified.ts';
import { createWriteBudget } from '#http/hooks/limits.ts';
import type { LoggedPart } from '#http/hooks/write-log.ts';
import type { ServiceContext } from '#service/context.ts';
import { applySets } from '#service/owners/apply.ts';
import { readOwners } from '#service/owners/list.ts';
import type { SetInput, SetResult } from '#service/owners/set.ts';
import { Refusal } from '#service/refusal.ts';
import { readSet } from '../read-parts.ts';
import { refusedPart } from '../refusals.ts';
import { serveOn } from '../serve.ts';

export function ownerRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.applyRecords, async ({ caller, params, body: { atomic, sets }, request }) => {
    const work = { atomic, sets: sets.map(readSet) };
    const results = await applySets(
      context,
      caller(),
      params.id,
      work,
      createWriteBudget(request, 0, countChallenges(sets)),
    );
    const answer = results.map(toApplyResult);
    request.parts = answer.flatMap(
      ({ status }, index) => toLoggedPart(work.sets[index] as SetInput | Refusal, status) ?? [],
    );
    return { results: answer };
  });
  serve(api.listOwners, ({ actor, params, query }) => readOwners(context, actor(), params.id, query));
}

/** The log entry of a set that has a request id of its own. */
function toLoggedPart(set: SetInput | Refusal, status: number): LoggedPart | null {
  if (set instanceof Refusal || set.requestId === undefined) return null;
  const isRelease = set.release === true || set.values?.length === 0;
  return { requestId: set.requestId, action: isRelease ? 'release' : 'apply', status };
}

function toApplyResult(result: SetResult): schemas.ApplyResult {
  if (result.ok) {
    const { records, changed, drift } = result;
    return { status: 200, records: [...records], changed, drift: [...drift] };
  }
  return refusedPart(result.refusal);
}
