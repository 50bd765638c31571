// The app keys of a team over HTTP. src/service/credentials/keys.ts holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/keys.ts';
import type { ServiceContext } from '#service/context.ts';
import { changeKey, mintAppKey, readKey, readKeys, revokeKey } from '#service/credentials/keys.ts';
import { serveOn } from '../serve.ts';

export function appKeyRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.listAppKeys, async ({ actor, params }) => ({ keys: await readKeys(context, actor(), params.teamId) }));
  serve(api.createAppKey, ({ caller, params, body }) => mintAppKey(context, caller(), params.teamId, body));
  serve(api.getAppKey, ({ actor, params: { teamId, keyId } }) => readKey(context, actor(), teamId, keyId));
  serve(api.updateAppKey, ({ caller, params: { teamId, keyId }, body }) =>
    changeKey(context, caller(), teamId, keyId, body),
  );
  serve(api.revokeAppKey, ({ caller, params: { teamId, keyId } }) => revokeKey(context, caller(), teamId, keyId));
}
