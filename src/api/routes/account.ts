// Who am I: the key of the request and its team or person. And the door to the rest of /account, which is for people.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { mustBePerson } from '../../zones/account.ts';
import type { Actor } from '../../zones/actor.ts';
import type { House } from '../../zones/change.ts';
import { actorOf } from '../auth.ts';
import { type Account, account } from '../schemas/account.ts';
import { errorAnswers } from './answers.ts';
import { appKeyRoutes } from './app-keys.ts';
import { memberRoutes } from './members.ts';
import { teamRoutes } from './teams.ts';

export function accountRoutes(app: FastifyInstance, house: House): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .get(
      '/account',
      { schema: { tags: ['account'], summary: 'Who am I', response: { 200: account, ...errorAnswers() } } },
      async (request) => accountOf(actorOf(request)),
    );
  void app.register(
    async (people) => {
      // Before the body is looked at: an app key learns nothing here.
      people.addHook('onRequest', async (request) => {
        mustBePerson(actorOf(request));
      });
      teamRoutes(people, house);
      memberRoutes(people, house);
      appKeyRoutes(people, house);
    },
    { prefix: '/account/teams' },
  );
}

function accountOf(actor: Actor): Account {
  const { keyId, keyName, records, manageZones, onlyNames, onlyTypes, expiresAt } = actor;
  const key = {
    id: keyId,
    name: keyName,
    records,
    manageZones,
    onlyNames,
    onlyTypes,
    expiresAt: expiresAt?.toISOString() ?? null,
  };
  if (actor.user === null) return { key, team: { id: actor.teamId ?? '', name: actor.teamName ?? '' } };
  const teams = actor.memberships.map(({ teamId, teamName, role }) => ({ id: teamId, name: teamName, role }));
  return { key, user: actor.user, teams };
}
