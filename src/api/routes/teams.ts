// Teams over HTTP: list, create, get, rename, history. What they mean stands in zones/teams.ts.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { readAccountChanges } from '../../zones/account.ts';
import type { House } from '../../zones/change.ts';
import { changeTeamName, createTeam, readTeam, readTeams } from '../../zones/teams.ts';
import { actorOf, callerOf } from '../auth.ts';
import { accountChangeList, team, teamBody, teamList, teamParams } from '../schemas/people.ts';
import { pageQuery } from '../schemas/shared.ts';
import { errorAnswers } from './answers.ts';

const TAGS = ['account'];

export function teamRoutes(app: FastifyInstance, house: House): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '',
    { schema: { tags: TAGS, summary: 'List your teams', response: { 200: teamList, ...errorAnswers('forbidden') } } },
    async (request) => ({ teams: await readTeams(house, actorOf(request)) }),
  );

  routes.post(
    '',
    {
      schema: {
        tags: TAGS,
        summary: 'Create a team, whose first owner you are',
        body: teamBody,
        response: { 201: team, ...errorAnswers('bad_request', 'forbidden', 'conflict', 'busy') },
      },
    },
    async (request, reply) => reply.code(201).send(await createTeam(house, callerOf(request), request.body.name)),
  );

  routes.get(
    '/:teamId',
    {
      schema: {
        tags: TAGS,
        summary: 'Get a team',
        params: teamParams,
        response: { 200: team, ...errorAnswers('bad_request', 'forbidden', 'not_found') },
      },
    },
    async (request) => readTeam(house, actorOf(request), request.params.teamId),
  );

  routes.patch(
    '/:teamId',
    {
      schema: {
        tags: TAGS,
        summary: 'Rename a team (owners)',
        params: teamParams,
        body: teamBody,
        response: { 200: team, ...errorAnswers('bad_request', 'forbidden', 'not_found', 'conflict', 'busy') },
      },
    },
    async (request) => changeTeamName(house, callerOf(request), request.params.teamId, request.body.name),
  );

  routes.get(
    '/:teamId/changes',
    {
      schema: {
        tags: TAGS,
        summary: 'Who changed what of the team, its members and keys; the newest first, 100 at a time',
        params: teamParams,
        querystring: pageQuery,
        response: { 200: accountChangeList, ...errorAnswers('bad_request', 'forbidden', 'not_found') },
      },
    },
    async (request) => readAccountChanges(house, actorOf(request), request.params.teamId, request.query),
  );
}
