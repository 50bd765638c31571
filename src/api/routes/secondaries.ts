// Secondaries for the owners of zones: those that are offered, and those that a zone has. src/service/secondaries has the rules.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { offeredSecondaries, zoneSecondaries, zoneSecondariesBody } from '#contract/secondary.ts';
import { zoneParams } from '#contract/zone.ts';
import type { ServiceContext } from '#service/context.ts';
import { chooseSecondaries, readOffered, readZoneSecondaries } from '#service/secondaries/choice.ts';
import { actorOf } from '../hooks/auth.ts';
import { conditionalCallerOf } from '../hooks/conditions.ts';
import { errorAnswers, needs } from './answers.ts';

const TAGS = ['zones'];

export function secondaryRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/secondaries',
    {
      schema: {
        tags: TAGS,
        operationId: 'listSecondaries',
        summary: 'List the secondaries that are offered to the teams of the key',
        description:
          'A secondary is a name server of others that gets zones by zone transfer. The administrator of the service adds it and decides to whom it is offered.',
        response: { 200: offeredSecondaries, ...errorAnswers() },
      },
    },
    async (request) => ({ secondaries: await readOffered(context, actorOf(request)) }),
  );

  routes.get(
    '/zones/:id/secondaries',
    {
      schema: {
        tags: TAGS,
        operationId: 'listZoneSecondaries',
        summary: 'List the secondaries of a zone with their state',
        description:
          'The list has the secondaries that the owner of the zone chose, those that the administrator listed for it, and those that have all zones.',
        params: zoneParams,
        response: { 200: zoneSecondaries, ...errorAnswers('no_zone') },
      },
    },
    async (request) => ({ secondaries: await readZoneSecondaries(context, actorOf(request), request.params.id) }),
  );

  routes.put(
    '/zones/:id/secondaries',
    {
      config: { counts: 'zones' },
      schema: {
        tags: TAGS,
        operationId: 'chooseZoneSecondaries',
        summary: 'Choose the secondaries of a zone',
        description:
          'The list replaces the choice of the owner. Repeated calls have no further effect. A secondary that is no longer offered may stay chosen; once it is removed, it cannot be chosen again. The names of the secondaries join or leave the NS records of the zone.',
        security: needs('manageZones:write'),
        params: zoneParams,
        body: zoneSecondariesBody,
        response: {
          200: zoneSecondaries,
          ...errorAnswers('bad_request', 'forbidden', 'no_zone', 'precondition_failed', 'rate_limited', 'busy'),
        },
      },
    },
    async (request) => {
      const { params, body } = request;
      return {
        secondaries: await chooseSecondaries(context, conditionalCallerOf(request), params.id, body.secondaries),
      };
    },
  );
}
