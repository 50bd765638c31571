// The protocols of ACME clients that nobody can change: lego's httpreq and acme-dns, spoken over the service's own
// operations, with their rights, limits and errors. What a challenge is stands in zones/.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { registerChallengeAccount, updateChallengeAccount } from '../../zones/challenge-accounts.ts';
import { addChallenge, removeChallenge } from '../../zones/challenges.ts';
import type { House } from '../../zones/change.ts';
import { Refusal } from '../../zones/refusal.ts';
import { requireApiHeaders, requireBasicKey } from '../acme-auth.ts';
import { callerOf } from '../auth.ts';
import { takeJson } from '../json-body.ts';
import type { WriteHook } from '../limits.ts';
import * as schemas from '../schemas/acme.ts';
import { errorAnswers } from './answers.ts';

const TAGS = ['acme'];
const ERRORS = errorAnswers('bad_request', 'forbidden', 'not_found', 'no_zone', 'conflict', 'rate_limited', 'busy');
const BASIC = [{ basic: [] }, { key: [] }];

/** All of them below one prefix. */
export async function acmeRoutes(app: FastifyInstance, house: House, countWrite: WriteHook): Promise<void> {
  app.decorateRequest('basicUser', null);
  // Some clients (acme.sh through curl) send JSON under the type of a form, or under none.
  takeJson(app, '*');
  await app.register(async (httpreq) => httpreqRoutes(httpreq, house, countWrite), { prefix: '/httpreq' });
  await app.register(async (acmeDns) => acmeDnsRoutes(acmeDns, house, countWrite), { prefix: '/acme-dns' });
}

function httpreqRoutes(app: FastifyInstance, house: House, countWrite: WriteHook): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  app.addHook('onRequest', requireBasicKey(house));
  for (const [path, summary, change] of [
    ['/present', "Add the value of a challenge (lego's httpreq)", addChallenge],
    ['/cleanup', "Remove the value of a challenge, and no other (lego's httpreq)", removeChallenge],
  ] as const) {
    routes.post(
      path,
      {
        onRequest: countWrite,
        schema: {
          tags: TAGS,
          summary,
          description:
            'The body says name and value, or domain and key authorization. A CNAME at the name that a zone of the account holds is followed. Repeating it is fine.',
          security: BASIC,
          body: schemas.httpreqBody,
          response: { 200: schemas.httpreqAnswer, ...ERRORS },
        },
      },
      async (request) => {
        const challenge = readChallenge(request.body);
        await patiently(() => change(house, callerOf(request), challenge.fqdn, challenge.value));
        return challenge;
      },
    );
  }
}

/** Of the clients' own time limits (30 s and more); `busy` itself is said after seconds of waiting. */
const PATIENCE_MS = 20_000;

/**
 * Waits for a busy zone on the client's behalf: these protocols know no Retry-After, and the client would give its
 * certificate up. @throws Refusal busy when the zone stays so
 */
async function patiently(work: () => Promise<void>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
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

function acmeDnsRoutes(app: FastifyInstance, house: House, countWrite: WriteHook): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  routes.post(
    '/register',
    {
      onRequest: [requireBasicKey(house), countWrite],
      schema: {
        tags: TAGS,
        summary: 'Register an account of the acme-dns protocol',
        description:
          'For keys that manage zones. The user name of HTTP Basic is the zone, or a name in one, below which the account gets its name; without one it is the only zone that the key sees. The account is an API key for that name: it is listed and revoked as such.',
        security: BASIC,
        body: schemas.registerBody,
        response: { 201: schemas.registerAnswer, ...ERRORS },
      },
    },
    async (request, reply) => {
      const networks = request.body?.allowfrom ?? [];
      const account = await registerChallengeAccount(house, callerOf(request), { parent: request.basicUser, networks });
      const { keyId: username, secret: password, fulldomain, subdomain, networks: allowfrom } = account;
      // No cache between here and the caller may keep the secret.
      reply.code(201).header('cache-control', 'no-store');
      return { username, password, fulldomain, subdomain, allowfrom };
    },
  );
  routes.post(
    '/update',
    {
      onRequest: [requireApiHeaders(house), countWrite],
      schema: {
        tags: TAGS,
        summary: "Put a value at the name of an account (acme-dns' update)",
        security: [{ acmeDns: [] }],
        body: schemas.updateBody,
        response: { 200: schemas.updateAnswer, ...ERRORS },
      },
    },
    async (request) => {
      const { subdomain, txt } = request.body;
      await patiently(() => updateChallengeAccount(house, callerOf(request), subdomain, txt));
      return { txt };
    },
  );
}
