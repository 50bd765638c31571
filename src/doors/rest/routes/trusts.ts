// The trusts of a team over HTTP. src/service/credentials/trusts.ts holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/trusts.ts';
import type { ServiceContext } from '#service/context.ts';
import { acceptSubject, readSubjects } from '#service/credentials/subjects.ts';
import { changeTrust, createTrust, readTrust, readTrusts, revokeTrust } from '#service/credentials/trusts.ts';
import { explainToken } from '#service/trusts/explain.ts';
import { serveOn } from '../serve.ts';

export function trustRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.listTrusts, async ({ actor, params }) => ({ trusts: await readTrusts(context, actor(), params.teamId) }));
  serve(api.createTrust, ({ caller, params, body }) => createTrust(context, caller(), params.teamId, body));
  serve(api.testTrusts, ({ actor, params, body }) => explainToken(context, actor(), params.teamId, body.token));
  serve(api.getTrust, ({ actor, params: { teamId, trustId } }) => readTrust(context, actor(), teamId, trustId));
  serve(api.updateTrust, ({ caller, params: { teamId, trustId }, body }) =>
    changeTrust(context, caller(), teamId, trustId, body),
  );
  serve(api.revokeTrust, ({ caller, params: { teamId, trustId } }) => revokeTrust(context, caller(), teamId, trustId));
  serve(api.listTrustSubjects, ({ actor, params: { teamId, trustId } }) =>
    readSubjects(context, actor(), teamId, trustId),
  );
  serve(api.acceptTrustSubject, ({ caller, params: { teamId, trustId }, body: { subject, uid = null } }) =>
    acceptSubject(context, caller(), teamId, trustId, { subject, uid }),
  );
}
