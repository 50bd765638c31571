// The teams of the visitor: list and create; of one team its name and who changed what.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf, callerOf } from '../api/auth.ts';
import { teamBody } from '../api/schemas/people.ts';
import { type KeyName, keyNames } from '../store/key-names.ts';
import { readAccountChanges } from '../zones/account.ts';
import { changeTeamName, createTeam, readTeam, readTeams } from '../zones/teams.ts';
import { attempt, type FormErrors, judge, type Typed, text, typedOf } from './forms.ts';
import type { ConsoleParts } from './parts.ts';
import { done, show } from './views.ts';

interface OfTeam {
  Params: { teamId: string };
}

const HISTORY_PAGE = 50;

export function teamPages(app: FastifyInstance, { house }: ConsoleParts): void {
  const address = (teamId: string) => `/console/teams/${encodeURIComponent(teamId)}`;
  const listPage = async (
    request: FastifyRequest,
    reply: FastifyReply,
    again: { typed?: Typed; errors?: FormErrors } = {},
  ) => {
    const list = await readTeams(house, actorOf(request));
    return show(request, reply, 'team/list', { title: 'Teams', list, ...again });
  };
  const historyPage = async (
    request: FastifyRequest<OfTeam>,
    reply: FastifyReply,
    { cursor, ...again }: { cursor?: string | undefined; typed?: Typed; errors?: FormErrors } = {},
  ) => {
    const { teamId } = request.params;
    const team = await readTeam(house, actorOf(request), teamId);
    const { changes, next } = await readAccountChanges(house, actorOf(request), teamId, {
      limit: HISTORY_PAGE,
      cursor,
    });
    const names = await keyNames(
      house.db,
      changes.flatMap(({ keyId }) => keyId ?? []),
    );
    const rows = changes.map((change) => ({ ...change, by: byOf(change.keyId, names) }));
    const here = `${address(teamId)}/history`;
    const pages = {
      first: cursor === undefined ? null : here,
      next: next === undefined ? null : `${here}?cursor=${next}`,
    };
    return show(request, reply, 'team/history', {
      title: `History of ${team.name}`,
      team,
      changes: rows,
      pages,
      ...again,
    });
  };

  app.get('/teams', async (request, reply) => listPage(request, reply));

  app.post('/teams', async (request, reply) => {
    const typed = typedOf(request);
    return attempt(
      reply,
      ['name'],
      async () => {
        const { name } = judge(teamBody, { name: text(typed, 'name') });
        const team = await createTeam(house, callerOf(request), name);
        return done(request, reply, `${address(team.id)}/apps`, `The team ${team.name} is there; you are its owner.`);
      },
      (errors) => listPage(request, reply, { typed, errors }),
    );
  });

  app.get<OfTeam>('/teams/:teamId', async (request, reply) =>
    reply.redirect(`${address(request.params.teamId)}/apps`, 303),
  );

  app.get<OfTeam & { Querystring: { cursor?: string } }>('/teams/:teamId/history', async (request, reply) =>
    historyPage(request, reply, { cursor: request.query.cursor }),
  );

  app.post<OfTeam>('/teams/:teamId/name', async (request, reply) => {
    const typed = typedOf(request);
    return attempt(
      reply,
      ['name'],
      async () => {
        const { name } = judge(teamBody, { name: text(typed, 'name') });
        const team = await changeTeamName(house, callerOf(request), request.params.teamId, name);
        return done(request, reply, `${address(team.id)}/history`, `The team is called ${team.name} now.`);
      },
      (errors) => historyPage(request, reply, { typed, errors }),
    );
  });
}

/** Who did it, for people. */
function byOf(keyId: string | null, names: ReadonlyMap<string, KeyName>): string {
  if (keyId === null) return 'command line';
  const key = names.get(keyId);
  return key ? (key.email ?? `${key.name} (app key)`) : keyId;
}
