// The teams of the visitor.
import type { FastifyInstance } from 'fastify';
import { readTeams } from '../zones/teams.ts';
import type { ConsoleParts } from './parts.ts';
import { visitorOf } from './session.ts';
import { show } from './views.ts';

export function teamPages(app: FastifyInstance, { house }: ConsoleParts): void {
  app.get('/teams', async (request, reply) => {
    const teams = await readTeams(house, visitorOf(request).actor);
    return show(request, reply, 'team/list', { title: 'Teams', list: teams });
  });
}
