// The HTTP protocols that existing ACME clients use: lego's httpreq and acme-dns. They call the service's own
// operations, with the same permissions, limits and errors. src/service/challenges defines a challenge.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import * as schemas from '#contract/acme.ts';
import type { Permission } from '#contract/operation.ts';
import { errorAnswers } from '#http/error-codes.ts';
import { callerOf } from '#http/hooks/auth.ts';
import { requireApiHeaders, requireBasicKey } from '#http/hooks/basic-auth.ts';
import { takeJson } from '#http/hooks/json-body.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { registerChallengeAccount, updateChallengeAccount } from '#service/challenges/accounts.ts';
import { addChallenge, removeChallenge } from '#service/challenges/challenges.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Arrivals } from '#service/nodes/arrivals.ts';
import { untilServed } from '#service/nodes/living.ts';
import { holderOf } from '#service/permits.ts';
import { Refusal } from '#service/refusal.ts';

const TAGS = ['acme'];
const ERRORS = errorAnswers('bad_request', 'forbidden', 'not_found', 'no_zone', 'conflict', 'rate_limited', 'busy');
/** A key in `Authorization`, as `Basic` or `Bearer`. */
const basic = (...permissions: Permission[]) => [{ basic: permissions }, { key: permissions }];

/**
 * Many clients of these protocols ask for the certificate as soon as a value is accepted: they get the answer when the
 * name servers have the value, or after this time, in ms. The clients' own time limits are 30 s and more.
 */
const SERVED_MS = 5_000;

/** Registers all of them below one prefix. @param arrivals undefined: the routes do not wait for name servers */
export async function acmeRoutes(app: FastifyInstance, context: ServiceContext, arrivals?: Arrivals): Promise<void> {
  app.decorateRequest('basicUser', null);
  // Some clients (acme.sh through curl) send JSON with the content type of a form, or with none.
  takeJson(app, '*');
  const served: Served = async (request, reply, zoneId) => {
    if (arrivals === undefined) return;
    const arrival = { zoneId, holder: holderOf(callerOf(request).actor), waitMs: SERVED_MS };
    await untilServed(context, arrivals, arrival, whenClientLeaves(reply));
  };
  await app.register(async (httpreq) => httpreqRoutes(httpreq, context, served), { prefix: '/httpreq' });
  await app.register(async (acmeDns) => acmeDnsRoutes(acmeDns, context, served), { prefix: '/acme-dns' });
}

/** Waits until the name servers have the zone as it is now. */
type Served = (request: FastifyRequest, reply: FastifyReply, zoneId: string) => Promise<void>;

function httpreqRoutes(app: FastifyInstance, context: ServiceContext, served: Served): void {
  // No client waits for a value to be gone.
  const remove = async (...challenge: Parameters<typeof removeChallenge>) => {
    await removeChallenge(...challenge);
    return null;
  };
  const routes = app.withTypeProvider<ZodTypeProvider>();
  app.addHook('onRequest', requireBasicKey(context));
  for (const [path, operationId, summary, description, change] of [
    [
      '/present',
      'addHttpreqChallenge',
      "Add a challenge value for lego's httpreq provider",
      'The value belongs to the owner `acme:httpreq/<id of the key>/<value>`, and the service removes it an hour after the last request. The answer comes when the name servers have it, or after 5 s.',
      addChallenge,
    ],
    [
      '/cleanup',
      'removeHttpreqChallenge',
      "Remove a challenge value for lego's httpreq provider",
      'Only a value that the same key has added is removed, and it stays while it has other owners.',
      remove,
    ],
  ] as const) {
    routes.post(
      path,
      {
        config: { counts: 'records' },
        schema: {
          tags: TAGS,
          operationId,
          summary,
          description: `The body names the TXT record and its value, or the domain and the key authorization. If a zone of the account has a CNAME record at the name, the value goes to its target. The request can be repeated safely. ${description}`,
          security: basic('records:write'),
          body: schemas.httpreqBody,
          response: { 200: schemas.httpreqAnswer, ...ERRORS },
        },
      },
      async (request, reply) => {
        const challenge = readChallenge(request.body);
        const zoneId = await withRetries<string | null>(() =>
          change(context, callerOf(request), challenge.fqdn, challenge.value),
        );
        if (zoneId !== null) await served(request, reply, zoneId);
        return challenge;
      },
    );
  }
}

/** How long a request is retried while the zone is busy. */
const RETRY_MS = 20_000;

/**
 * Retries while the zone is busy: these protocols have no Retry-After, and the client would abandon its certificate.
 * @throws Refusal busy if the zone is still busy at the end
 */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + RETRY_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const busy = error instanceof Refusal && error.code === 'busy';
      if (!busy || performance.now() >= until) throw error;
      await sleep(error.retryAfterMs ?? 1_000);
    }
  }
}

/** RFC 8555 8.4: the value is the SHA-256 of the key authorization, in base64url. */
function readChallenge(body: schemas.HttpreqBody): { fqdn: string; value: string } {
  if ('fqdn' in body) return { fqdn: body.fqdn, value: body.value };
  const domain = body.domain.replace(/^\*\./, '').replace(/\.$/, '');
  return {
    fqdn: `_acme-challenge.${domain}.`,
    value: createHash('sha256').update(body.keyAuth).digest('base64url'),
  };
}

function acmeDnsRoutes(app: FastifyInstance, context: ServiceContext, served: Served): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  routes.post(
    '/register',
    {
      config: { counts: 'records' },
      onRequest: requireBasicKey(context),
      schema: {
        tags: TAGS,
        operationId: 'registerAcmeDnsAccount',
        summary: 'Register an account for a client of acme-dns',
        description:
          'The account is an API key for the TXT values of one name, and it is listed and revoked like other keys. Send the zone, or a name in a zone, as the user name of HTTP Basic: the account gets a name below it. Without a user name, the account gets a name in the only zone that the key may see.',
        security: basic('manageZones:write', 'records:write'),
        body: schemas.registerBody,
        response: { 201: schemas.registerAnswer, ...ERRORS },
      },
    },
    async (request, reply) => {
      const networks = request.body?.allowfrom ?? [];
      const account = await registerChallengeAccount(context, callerOf(request), {
        parent: request.basicUser,
        networks,
      });
      const { keyId: username, secret: password, fulldomain, subdomain, networks: allowfrom } = account;
      // Caches between the service and the caller must not keep the secret.
      reply.code(201).header('cache-control', 'no-store');
      return { username, password, fulldomain, subdomain, allowfrom };
    },
  );
  routes.post(
    '/update',
    {
      config: { counts: 'records' },
      onRequest: requireApiHeaders(context),
      schema: {
        tags: TAGS,
        operationId: 'updateAcmeDnsChallenge',
        summary: 'Set a challenge value for a client of acme-dns',
        description:
          'Adds the value to the TXT records at the name of the account. The two newest values of the account stay, each for 12 hours after its last update. Their owners are `acme:acme-dns/<id of the key>/<value>`. The answer comes when the name servers have the value, or after 5 s.',
        security: [{ acmeDns: [] }],
        body: schemas.updateBody,
        response: { 200: schemas.updateAnswer, ...ERRORS },
      },
    },
    async (request, reply) => {
      const { subdomain, txt } = request.body;
      const zoneId = await withRetries(() => updateChallengeAccount(context, callerOf(request), subdomain, txt));
      await served(request, reply, zoneId);
      return { txt };
    },
  );
}
