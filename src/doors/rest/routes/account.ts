// `GET /v1/account`, which shows the key of the request. It also registers the other routes of /account, which accept
// personal keys only.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Account } from '#contract/account.ts';
import { getAccount, getUsage } from '#contract/operations/account.ts';
import type { AccountUsage } from '#contract/usage.ts';
import { requireActor } from '#http/hooks/auth.ts';
import type { WriteLimits } from '#http/hooks/limits.ts';
import { mustBePerson } from '#service/accounts/account.ts';
import type { Actor } from '#service/accounts/actor.ts';
import { readPersonalQuota, readTeamQuota } from '#service/accounts/quota-view.ts';
import { actorUsage, actorWrites } from '#service/accounts/usage.ts';
import type { ServiceContext } from '#service/context.ts';
import { serveOn } from '../serve.ts';
import { appKeyRoutes } from './app-keys.ts';
import { invitationRoutes, teamInvitationRoutes } from './invitations.ts';
import { teamRoutes } from './teams.ts';
import { trustRoutes } from './trusts.ts';

export function accountRoutes(app: FastifyInstance, context: ServiceContext, limits: WriteLimits): void {
  serveOn(app)(getAccount, ({ actor }) => buildAccount(context, actor(), limits));
  serveOn(app)(getUsage, ({ actor }) => buildUsage(context, actor(), limits));
  void app.register(
    async (people) => {
      people.addHook('onRequest', onlyPeople);
      teamRoutes(people, context);
      teamInvitationRoutes(people, context);
      appKeyRoutes(people, context);
      trustRoutes(people, context);
    },
    { prefix: '/account/teams' },
  );
  void app.register(
    async (people) => {
      people.addHook('onRequest', onlyPeople);
      invitationRoutes(people, context);
    },
    { prefix: '/account/invitations' },
  );
}

/** Refuses app keys before the body is read. @throws Refusal forbidden */
async function onlyPeople(request: FastifyRequest): Promise<void> {
  mustBePerson(requireActor(request));
}

async function buildUsage(context: ServiceContext, actor: Actor, limits: WriteLimits): Promise<AccountUsage> {
  const [owners, writes] = await Promise.all([actorUsage(context, actor), actorWrites(context, actor)]);
  return {
    owners,
    writes: {
      zones: { used: writes.zones, limit: limits.zones(actor) },
      records: { used: writes.records, limit: limits.records(actor) },
    },
  };
}

async function buildAccount(context: ServiceContext, actor: Actor, limits: WriteLimits): Promise<Account> {
  const { keyId, keyName, records, manageZones, clusters, signals, onlyNames, onlyTypes, expiresAt } = actor;
  const key = {
    id: keyId,
    name: keyName,
    records,
    manageZones,
    clusters,
    signals: [...signals],
    onlyNames,
    onlyTypes,
    zoneWrites: limits.zones(actor),
    recordWrites: limits.records(actor),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
  if (actor.user === null) {
    const { teamId, teamName } = actor;
    const trust = actor.trust === undefined ? {} : { trust: actor.trust };
    return {
      key,
      ...trust,
      team: { id: teamId ?? '', name: teamName ?? '', quota: await readTeamQuota(context, teamId ?? '') },
    };
  }
  const teams = actor.memberships.map(({ teamId, teamName, role }) => ({ id: teamId, name: teamName, role }));
  return { key, user: { ...actor.user, quota: await readPersonalQuota(context, actor.user.id) }, teams };
}
