// Teams over HTTP: list, create, get, rename, history. src/service/accounts/teams.ts holds the rules.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { accountChangeList, team, teamBody, teamDetail, teamList, teamParams } from '#contract/people.ts';
import { pageQuery } from '#contract/shared.ts';
import { readAccountChanges } from '#service/accounts/account.ts';
import { changeTeamName, createTeam, readTeamDetail, readTeams } from '#service/accounts/teams.ts';
import type { ServiceContext } from '#service/context.ts';
import { actorOf, callerOf } from '../hooks/auth.ts';
import { errorAnswers, needs } from './answers.ts';

const TAGS = ['account'];

export function teamRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '',
    {
      schema: {
        tags: TAGS,
        operationId: 'listTeams',
        summary: 'List your teams',
        description: 'Lists the teams that the person is a member of, with the role in each.',
        security: needs('person'),
        response: { 200: teamList, ...errorAnswers('forbidden') },
      },
    },
    async (request) => ({ teams: await readTeams(context, actorOf(request)) }),
  );

  routes.post(
    '',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'createTeam',
        summary: 'Create a team',
        description: 'You become the first owner of the team.',
        security: needs('person'),
        body: teamBody,
        response: { 201: team, ...errorAnswers('bad_request', 'forbidden', 'conflict', 'rate_limited', 'busy') },
      },
    },
    async (request, reply) => reply.code(201).send(await createTeam(context, callerOf(request), request.body.name)),
  );

  routes.get(
    '/:teamId',
    {
      schema: {
        tags: TAGS,
        operationId: 'getTeam',
        summary: 'Get a team and its quota',
        description: 'The answer includes the role that you have in the team.',
        security: needs('member'),
        params: teamParams,
        response: { 200: teamDetail, ...errorAnswers('bad_request', 'forbidden', 'not_found') },
      },
    },
    async (request) => readTeamDetail(context, actorOf(request), request.params.teamId),
  );

  routes.patch(
    '/:teamId',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'renameTeam',
        summary: 'Rename a team',
        description: 'The new name must be unique in the service.',
        security: needs('owner'),
        params: teamParams,
        body: teamBody,
        response: {
          200: team,
          ...errorAnswers('bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited', 'busy'),
        },
      },
    },
    async (request) => changeTeamName(context, callerOf(request), request.params.teamId, request.body.name),
  );

  routes.get(
    '/:teamId/changes',
    {
      schema: {
        tags: TAGS,
        operationId: 'listTeamChanges',
        summary: 'List the changes of a team, newest first',
        description:
          'The history covers the team, its members, invitations and app keys. If `limit` is omitted, a page has 100 changes.',
        security: needs('member'),
        params: teamParams,
        querystring: pageQuery,
        response: { 200: accountChangeList, ...errorAnswers('bad_request', 'forbidden', 'not_found') },
      },
    },
    async (request) => readAccountChanges(context, actorOf(request), request.params.teamId, request.query),
  );
}
