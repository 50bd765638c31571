// The protocol of lego's httpreq provider, below /acme/httpreq. The answer repeats the challenge.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import * as schemas from '#contract/acme.ts';
import { readCaller } from '#http/hooks/auth.ts';
import { requireBasicKey } from '#http/hooks/basic-auth.ts';
import { addChallenge, removeChallenge } from '#service/challenges/challenges.ts';
import type { ServiceContext } from '#service/context.ts';
import { basic, TAGS } from '../description.ts';
import { ERRORS, withRetries } from '../refusals.ts';
import type { Served } from '../served.ts';
import { countNamedChallenge, readChallenge } from './read.ts';

export function httpreqRoutes(app: FastifyInstance, context: ServiceContext, served: Served): void {
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
        config: { counts: { bucket: 'records', changes: () => 1, challenges: countNamedChallenge } },
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
          change(context, readCaller(request), challenge.fqdn, challenge.value),
        );
        if (zoneId !== null) await served(request, reply, zoneId);
        return challenge;
      },
    );
  }
}
