// The visitor's teams: list, creation, renaming, and the history of a team.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { teamBody } from '#contract/people.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { readAccountChanges } from '#service/accounts/account.ts';
import { readMembers } from '#service/accounts/members.ts';
import { changeTeamName, createTeam, readTeam } from '#service/accounts/teams.ts';
import type { ServiceContext } from '#service/context.ts';
import { type KeyName, readKeyNames } from '#service/keys/names.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, judge, readTyped, textField } from '../shell/forms.ts';
import { withQuery } from '../shell/shown.ts';
import { type Trail, trailLinks } from '../shell/trail.ts';
import { done, showPage } from '../shell/views.ts';
import { whenOf } from '../shell/when.ts';
import { teamListPage } from './list.ts';
import { membersAddress, membersPage } from './members.ts';
import { describeTeamChange } from './team-changes.ts';

interface OfTeam {
  Params: { teamId: string };
}

const HISTORY_PAGE = 50;

export function teamPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get('/teams', async (request, reply) => teamListPage(context, request, reply));

  app.post('/teams', { config: { counts: 'account' } }, async (request, reply) => {
    const typed = readTyped(request);
    return attemptForm(
      reply,
      ['name'],
      async () => {
        const { name } = judge(teamBody, { name: textField(typed, 'name') });
        const team = await createTeam(context, readCaller(request), name);
        return done(
          request,
          reply,
          `${address(team.id)}/apps`,
          `The team ${team.name} was created. You are its owner.`,
        );
      },
      (errors) => teamListPage(context, request, reply, { typed, errors }),
    );
  });

  app.get<OfTeam>('/teams/:teamId', async (request, reply) =>
    reply.redirect(`${address(request.params.teamId)}/apps`, 303),
  );

  app.get<OfTeam & { Querystring: Trail }>('/teams/:teamId/history', async (request, reply) =>
    historyPage(context, request, reply, request.query),
  );

  app.post<OfTeam>('/teams/:teamId/name', { config: { counts: 'account' } }, async (request, reply) => {
    const typed = readTyped(request);
    return attemptForm(
      reply,
      ['name'],
      async () => {
        const { name } = judge(teamBody, { name: textField(typed, 'name') });
        const team = await changeTeamName(context, readCaller(request), request.params.teamId, name);
        return done(request, reply, membersAddress(team.id), `The team is now called ${team.name}.`);
      },
      (errors) => membersPage(context, request, reply, { typed, errors }),
    );
  });
}

function address(teamId: string) {
  return `/console/teams/${encodeURIComponent(teamId)}`;
}

async function historyPage(
  context: ServiceContext,
  request: FastifyRequest<OfTeam>,
  reply: FastifyReply,
  trail: Trail,
) {
  const { teamId } = request.params;
  const team = await readTeam(context, requireActor(request), teamId);
  const { changes, next } = await readAccountChanges(context, requireActor(request), teamId, {
    limit: HISTORY_PAGE,
    cursor: trail.cursor,
  });
  const names = await readKeyNames(
    context,
    changes.flatMap(({ keyId, subject }) => [keyId ?? [], subject].flat()),
  );
  const members = await readMembers(context, requireActor(request), teamId);
  const subjects = new Map([
    ...[...names].map(([id, { name }]) => [id, name] as const),
    ...members.map(({ userId, email }) => [userId, email] as const),
  ]);
  const now = context.now();
  const rows = changes.map((change) => ({
    ...change,
    ...describeTeamChange(change, subjects),
    when: whenOf(change.at, now),
    by: describeAuthor(change.keyId, names),
  }));
  const here = `${address(teamId)}/history`;
  const pages = trailLinks(trail, next, (query) => withQuery(here, query));
  return showPage(request, reply, 'teams/history', {
    title: `History of ${team.name}`,
    team,
    changes: rows,
    pages,
  });
}

/** The author of a change, as the page shows it. */
function describeAuthor(keyId: string | null, names: ReadonlyMap<string, KeyName>): string {
  if (keyId === null) return 'command line';
  const key = names.get(keyId);
  return key ? (key.email ?? `${key.name} (app key)`) : keyId;
}
