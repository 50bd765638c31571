// The keys of a team's app account: create (the page after the redirect shows the secret, once), change, revoke.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BUCKETS } from '#base/buckets.ts';
import { judgeLifetime } from '#base/lifetime.ts';
import { keyBody, keyChangeBody } from '#contract/app-key.ts';
import { LEVELS } from '#contract/people.ts';
import { TSIG_KEY_ALGORITHMS } from '#dns/tsig/key.ts';
import { RECORD_TYPES } from '#dns/types/record-type.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { readTeam } from '#service/accounts/teams.ts';
import { changeKey, type KeyView, mintAppKey, readKey, readKeys, revokeKey } from '#service/credentials/keys.ts';
import { readKeyNames } from '#service/keys/names.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed } from '../shell/forms.ts';
import { keepSecrets, takeSecrets } from '../shell/once.ts';
import { done, readOrigin, showPage } from '../shell/views.ts';
import { grantRows, KEY_FIELDS, readKeyTerms, readNewKey, typedOfKey, typedOfNewKey } from './form.ts';
import { offeredZones, typedZoneIds } from './offered-zones.ts';
import { describeRisk, stopsWith } from './risks.ts';
import { buildSnippets, buildTsigSnippets } from './snippets.ts';

interface OfTeam {
  Params: { teamId: string };
}
interface OfKey {
  Params: { teamId: string; keyId: string };
}

const ABOUT = {
  levels: LEVELS,
  types: RECORD_TYPES,
  limits: { zones: BUCKETS.zones.limit, records: BUCKETS.records.limit },
  algorithms: TSIG_KEY_ALGORITHMS,
};

export function appPages(app: FastifyInstance, { context, url }: ConsoleParts): void {
  const apps = '/teams/:teamId/apps';

  app.get<OfTeam>(apps, async (request, reply) => showKeys(context, request, reply));

  app.get<OfTeam & { Querystring: { for?: string } }>(`${apps}/new`, async (request, reply) =>
    form(context, request, reply, { title: 'New API key', key: null, typed: typedOfNewKey(request.query.for) }),
  );

  app.post<OfTeam>(apps, { config: { counts: 'account' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { teamId } = request.params;
    return attemptForm(
      reply,
      KEY_FIELDS,
      async () => {
        const terms = judge(keyBody, readNewKey(typed, await typedZoneIds(context, request, typed, teamId)));
        const { id, secret, tsig } = await mintAppKey(context, readCaller(request), teamId, terms);
        keepSecrets(request, { keyId: id, secret, tsig }, context.now());
        return reply.redirect(`${listAddress(teamId)}/${id}/created`, 303);
      },
      (errors) => form(context, request, reply, { title: 'New API key', key: null, typed, errors }),
    );
  });

  app.get<OfKey>(`${apps}/:keyId/created`, async (request, reply) => {
    const { teamId, keyId } = request.params;
    const team = await readTeam(context, requireActor(request), teamId);
    const key = await readKey(context, requireActor(request), teamId, keyId);
    const secrets = await takeSecrets({ context }, request, keyId);
    const address = url ?? readOrigin(request);
    const snippets = secrets
      ? [...buildSnippets(secrets.secret, address, key.name), ...buildTsigSnippets(secrets.tsig)]
      : [];
    return showPage(request, reply, 'apps/created', { title: 'New API key', team, key, secrets, snippets });
  });

  app.get<OfKey>(`${apps}/:keyId`, async (request, reply) => {
    const { teamId, keyId } = request.params;
    const key = await readKey(context, requireActor(request), teamId, keyId);
    const typed = typedOfKey(key, await offeredZones(context, request, teamId));
    return form(context, request, reply, { title: `Key ${key.name}`, key, typed });
  });

  app.post<OfKey>(`${apps}/:keyId`, { config: { counts: 'account' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { teamId, keyId } = request.params;
    return attemptForm(
      reply,
      KEY_FIELDS,
      async () => {
        const terms = judge(keyChangeBody, readKeyTerms(typed, await typedZoneIds(context, request, typed, teamId)));
        const key = await changeKey(context, readCaller(request), teamId, keyId, terms);
        return done(
          request,
          reply,
          listAddress(teamId),
          `The key ${key.name} was changed. The change applies from its next request on.`,
        );
      },
      async (errors) => {
        const key = await readKey(context, requireActor(request), teamId, keyId);
        return form(context, request, reply, { title: `Key ${key.name}`, key, typed, errors });
      },
    );
  });

  app.get<OfKey>(`${apps}/:keyId/revoke`, async (request, reply) => {
    const { teamId, keyId } = request.params;
    const team = await readTeam(context, requireActor(request), teamId);
    const key = await readKey(context, requireActor(request), teamId, keyId);
    const lastUsedBy = (await readKeyNames(context, [keyId])).get(keyId)?.lastUsedBy ?? null;
    return showPage(request, reply, 'apps/revoke', {
      title: `Revoke ${key.name}`,
      team,
      key,
      stops: stopsWith(lastUsedBy),
    });
  });

  app.post<OfKey>(`${apps}/:keyId/revoke`, { config: { counts: 'account' } }, async (request, reply) => {
    const { teamId, keyId } = request.params;
    await revokeKey(context, readCaller(request), teamId, keyId);
    const { name } = await readKey(context, requireActor(request), teamId, keyId);
    return done(request, reply, listAddress(teamId), `The key ${name} was revoked.`);
  });
}

async function showKeys(context: ConsoleParts['context'], request: FastifyRequest<OfTeam>, reply: FastifyReply) {
  const { teamId } = request.params;
  const team = await readTeam(context, requireActor(request), teamId);
  const keys = (await readKeys(context, requireActor(request), teamId)).reverse();
  const names = await readKeyNames(
    context,
    keys.map(({ id }) => id),
  );
  const rows = keys.map((key) => {
    const state = judgeLifetime(key, context.now());
    const lastUsedBy = names.get(key.id)?.lastUsedBy ?? null;
    return { ...key, state, lastUsedBy, risk: state === 'valid' ? describeRisk(key) : null };
  });
  return showPage(request, reply, 'apps/list', { title: `API keys of ${team.name}`, team, keys: rows });
}

function listAddress(teamId: string) {
  return `/console/teams/${encodeURIComponent(teamId)}/apps`;
}

async function form(
  context: ConsoleParts['context'],
  request: FastifyRequest<OfTeam>,
  reply: FastifyReply,
  page: { title: string; key: KeyView | null; typed: Typed; errors?: FormErrors },
) {
  const team = await readTeam(context, requireActor(request), request.params.teamId);
  const zones = await offeredZones(context, request, team.id);
  // A form that could not be parsed has no levels. Select elements then show their first option.
  return showPage(request, reply, 'apps/edit', { ...ABOUT, ...page, team, zones, rows: grantRows(page.typed) });
}
