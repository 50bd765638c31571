// The operations on the DNSSEC keys of zones over HTTP. src/service/key-rolls holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/zone-keys.ts';
import type { ServiceContext } from '#service/context.ts';
import { beginKeyRoll, cancelKeyRoll, confirmDs } from '#service/key-rolls/roll.ts';
import { readZoneKeys } from '#service/key-rolls/view.ts';
import { serveOn } from '../serve.ts';

export function zoneKeyRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.getZoneKeys, ({ actor, params }) => readZoneKeys(context, actor(), params.id));
  serve(api.beginKeyRoll, ({ caller, params, body }) => beginKeyRoll(context, caller(), params.id, body));
  serve(api.cancelKeyRoll, ({ caller, params }) => cancelKeyRoll(context, caller(), params.id));
  serve(api.confirmKeyRollDs, ({ caller, params, body }) => confirmDs(context, caller(), params.id, body));
}
