// Secondaries for the owners of zones: those that are offered, and those that a zone has. src/service/secondaries has
// the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/secondaries.ts';
import type { ServiceContext } from '#service/context.ts';
import { chooseSecondaries, readOffered, readZoneSecondaries } from '#service/secondaries/choice.ts';
import { serveOn } from '../serve.ts';

export function secondaryRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.listSecondaries, async ({ actor }) => ({ secondaries: await readOffered(context, actor()) }));
  serve(api.listZoneSecondaries, async ({ actor, params }) => ({
    secondaries: await readZoneSecondaries(context, actor(), params.id),
  }));
  serve(api.chooseZoneSecondaries, async ({ caller, params, body }) => ({
    secondaries: await chooseSecondaries(context, caller(), params.id, body.secondaries),
  }));
}
