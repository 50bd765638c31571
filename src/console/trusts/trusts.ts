// The trusts of a team: list, create, one trust with its subjects, change, revoke.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BUCKETS } from '#base/buckets.ts';
import { judgeLifetime } from '#base/lifetime.ts';
import { LEVELS } from '#contract/people.ts';
import { trustBody, trustChangeBody } from '#contract/trust.ts';
import { RECORD_TYPES } from '#dns/types/record-type.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { readTeam } from '#service/accounts/teams.ts';
import { readSubjects } from '#service/credentials/subjects.ts';
import { changeTrust, createTrust, readTrust, readTrusts, revokeTrust } from '#service/credentials/trusts.ts';

import { grantRows, readKeyTerms, typedOfKey } from '../apps/form.ts';
import { offeredZones, typedZoneIds } from '../apps/offered-zones.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed, textField } from '../shell/forms.ts';
import { done, showPage } from '../shell/views.ts';
import { acceptPages } from './accept.ts';
import { claimLines, readTrustForm, TRUST_FIELDS, typedOfKind, withKind } from './form.ts';
import { findTrustKind, KINDS } from './kinds.ts';
import { previewTrust } from './preview.ts';
import { testPages } from './test.ts';

export interface OfTeam {
  Params: { teamId: string };
}
interface OfTrust {
  Params: { teamId: string; trustId: string };
}

const ABOUT = {
  levels: LEVELS,
  types: RECORD_TYPES,
  limits: { zones: BUCKETS.zones.limit, records: BUCKETS.records.limit },
  kinds: KINDS,
};

export function trustPages(app: FastifyInstance, parts: ConsoleParts): void {
  const { context } = parts;
  const trusts = '/teams/:teamId/trusts';

  app.get<OfTeam>(trusts, async (request, reply) => {
    const { teamId } = request.params;
    const team = await readTeam(context, requireActor(request), teamId);
    const rows = (await readTrusts(context, requireActor(request), teamId))
      .reverse()
      .map((trust) => ({ ...trust, state: judgeLifetime(trust, context.now()), claims: claimLines(trust.match) }));
    return showPage(request, reply, 'trusts/list', { title: `Trusts of ${team.name}`, team, trusts: rows });
  });

  app.get<OfTeam & { Querystring: { kind?: string } }>(`${trusts}/new`, async (request, reply) =>
    form(context, request, reply, { typed: typedOfKind(findTrustKind(request.query.kind ?? '')) }),
  );
  // The two forms below change nothing, so they may be sent again and again.
  for (const part of ['kind', 'preview'] as const) {
    app.post<OfTeam>(`${trusts}/${part}`, { config: { repeatable: true } }, async (request, reply) => {
      const typed = part === 'kind' ? withKind(readTyped(request)) : readTyped(request);
      return form(context, request, reply, { typed, part: request.headers['hx-request'] === 'true' ? part : 'new' });
    });
  }
  app.post<OfTeam>(trusts, { config: { counts: 'account' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { teamId } = request.params;
    return attemptForm(
      reply,
      TRUST_FIELDS,
      async () => {
        const idOf = await typedZoneIds(context, request, typed, teamId);
        const trust = await createTrust(
          context,
          readCaller(request),
          teamId,
          judge(trustBody, readTrustForm(typed, idOf)),
        );
        const text = `The trust ${trust.name} was created. Its tokens are accepted from now on.`;
        return done(request, reply, `${listAddress(teamId)}/${trust.id}`, text);
      },
      (errors) => form(context, request, reply, { typed, errors }),
    );
  });

  app.get<OfTrust>(`${trusts}/:trustId`, async (request, reply) => onePage(context, request, reply, 'trust'));
  app.get<OfTrust>(`${trusts}/:trustId/edit`, async (request, reply) => onePage(context, request, reply, 'edit'));
  app.get<OfTrust>(`${trusts}/:trustId/revoke`, async (request, reply) => onePage(context, request, reply, 'revoke'));

  app.post<OfTrust>(`${trusts}/:trustId/edit`, { config: { counts: 'account' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { teamId, trustId } = request.params;
    return attemptForm(
      reply,
      TRUST_FIELDS,
      async () => {
        const terms = judge(trustChangeBody, readKeyTerms(typed, await typedZoneIds(context, request, typed, teamId)));
        const { name } = await changeTrust(context, readCaller(request), teamId, trustId, terms);
        const text = `The trust ${name} was changed. The change applies from the next request on.`;
        return done(request, reply, `${listAddress(teamId)}/${trustId}`, text);
      },
      (errors) => onePage(context, request, reply, 'edit', { typed, errors }),
    );
  });
  app.post<OfTrust>(`${trusts}/:trustId/revoke`, { config: { counts: 'account' } }, async (request, reply) => {
    const { teamId, trustId } = request.params;
    await revokeTrust(context, readCaller(request), teamId, trustId);
    const { name } = await readTrust(context, requireActor(request), teamId, trustId);
    return done(request, reply, listAddress(teamId), `The trust ${name} was revoked.`);
  });
  acceptPages(app, parts);
  testPages(app, parts);
}

function listAddress(teamId: string) {
  return `/console/teams/${encodeURIComponent(teamId)}/trusts`;
}

async function form(
  context: ConsoleParts['context'],
  request: FastifyRequest<OfTeam>,
  reply: FastifyReply,
  { typed, errors = {}, part = 'new' }: { typed: Typed; errors?: FormErrors; part?: 'new' | 'kind' | 'preview' },
) {
  const team = await readTeam(context, requireActor(request), request.params.teamId);
  const zones = await offeredZones(context, request, team.id);
  const kind = findTrustKind(textField(typed, 'kind'));
  const preview = previewTrust(typed, kind);
  return showPage(request, reply, `trusts/${part}`, {
    ...ABOUT,
    ...{ title: 'New trust', team, kind, zones, rows: grantRows(typed), typed, errors, preview },
  });
}

async function onePage(
  context: ConsoleParts['context'],
  request: FastifyRequest<OfTrust>,
  reply: FastifyReply,
  page: 'trust' | 'edit' | 'revoke',
  { typed, errors = {} }: { typed?: Typed; errors?: FormErrors } = {},
) {
  const { teamId, trustId } = request.params;
  const team = await readTeam(context, requireActor(request), teamId);
  const trust = await readTrust(context, requireActor(request), teamId, trustId);
  const zones = page === 'edit' ? await offeredZones(context, request, teamId) : [];
  const values = typed ?? typedOfKey(trust, zones);
  return showPage(request, reply, `trusts/${page}`, {
    ...ABOUT,
    ...{ title: page === 'revoke' ? `Revoke ${trust.name}` : `Trust ${trust.name}`, team, trust, zones, errors },
    ...{
      typed: values,
      rows: grantRows(values),
      state: judgeLifetime(trust, context.now()),
      claims: claimLines(trust.match),
    },
    ...(page === 'edit' ? {} : await readSubjects(context, requireActor(request), teamId, trustId)),
  });
}
