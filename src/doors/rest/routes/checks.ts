// Health checks over HTTP. src/service/checks holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/checks.ts';
import { requireCounter } from '#http/hooks/limits.ts';
import { putCheck, readCheck, readChecks, removeCheck } from '#service/checks/checks.ts';
import { setPin } from '#service/checks/pins.ts';
import { setSignal } from '#service/checks/signals.ts';
import type { ServiceContext } from '#service/context.ts';
import { serveOn } from '../serve.ts';

export function checkRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.listChecks, async ({ actor, query }) => ({ checks: await readChecks(context, actor(), query.owner) }));
  serve(api.getCheck, ({ actor, params, query }) => readCheck(context, actor(), params.name, query.owner));
  serve(api.setCheck, ({ caller, params, query, body }) => putCheck(context, caller(), params.name, query.owner, body));
  serve(api.deleteCheck, ({ caller, params, query }) => removeCheck(context, caller(), params.name, query.owner));
  serve(api.setCheckSignal, ({ caller, params, query, body, request }) => {
    const count = requireCounter(request);
    return setSignal(context, caller(), { ...params, owner: query.owner }, body, () => count(1));
  });
  serve(api.pinTarget, ({ caller, params, query, body }) =>
    setPin(context, caller(), { ...params, owner: query.owner }, body),
  );
  serve(api.unpinTarget, async ({ caller, params, query }) => {
    await setPin(context, caller(), { ...params, owner: query.owner }, null);
  });
}
