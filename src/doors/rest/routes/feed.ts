// The feed that name servers follow, and their reports. src/service/nodes holds the rules.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LINES } from '#contract/feed.ts';
import { MAX_OBSERVATIONS_BYTES } from '#contract/feed-probes.ts';
import { MAX_SALVAGE_BYTES } from '#contract/feed-salvage.ts';
import * as api from '#contract/operations/feed.ts';
import { sendInChunks } from '#http/hooks/large-answer.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { requireNode, requireNodeKey } from '#http/hooks/node-auth.ts';
import { openOutlet } from '#http/hooks/outlet.ts';
import type { ServiceContext } from '#service/context.ts';
import { readEndings } from '#service/nodes/endings.ts';
import { type Feed, readDigest, readFeedZone } from '#service/nodes/feed.ts';
import { takeSalvagePart } from '#service/nodes/salvage-parts.ts';
import { readTransfers, takeTransferReport } from '#service/nodes/transfers.ts';
import { serveOn } from '../serve.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the answer takes as long as the client wants: its time says nothing about the service. (Default: false.)
     */
    isStream?: boolean | ((request: FastifyRequest) => boolean);
  }
}

/** A report with the longest lists of failing and of held zones, whose names are as long as they can be, has less. */
const REPORT_LIMIT = 3 * 1024 * 1024;
/**
 * 256 secondaries, each with the longest list of zones, have more: such a report is refused, and a shorter one follows.
 */
const TRANSFERS_LIMIT = 1024 * 1024;
/** A HEAD of these routes would be as much work as the GET. */
const WITHOUT_HEAD = { exposeHeadRoute: false };

/**
 * @param feed undefined: the routes are described, but not served
 * @param protection an onRequest hook
 */
export function feedRoutes(
  app: FastifyInstance,
  context: ServiceContext,
  feed: Feed | undefined,
  protection: (request: FastifyRequest) => Promise<void>,
): void {
  const serve = serveOn(app);
  app.addHook('onRequest', protection);
  app.addHook('onRequest', requireNodeKey(context));
  const requireFeed = (): Feed => {
    if (feed === undefined) throw new Error('this application has no feed');
    return feed;
  };

  serve(
    api.followFeed,
    async ({ query, request, reply }) => {
      const { keyId, name } = requireNode(request);
      const { after, node = name, understands } = query;
      const reader = { after: after === undefined || after === '' ? null : after, node, keyId, understands };
      await requireFeed().hub.open(reader, () => openOutlet(reply, LINES));
      return reply;
    },
    { ...WITHOUT_HEAD, isStream: true },
  );

  serve(
    api.readServedZone,
    async ({ params, request, reply }) => {
      const lines = await readFeedZone(requireFeed(), requireNode(request).keyId, params.id, whenClientLeaves(reply));
      return sendInChunks(reply.header('cache-control', 'no-store'), LINES, lines);
    },
    WITHOUT_HEAD,
  );

  serve(
    api.readZoneDigest,
    ({ params, request, reply }) =>
      readDigest(requireFeed(), requireNode(request).keyId, params.id, whenClientLeaves(reply)),
    WITHOUT_HEAD,
  );

  serve(api.reportNode, ({ request, body }) => requireFeed().reports.take(context, requireNode(request), body), {
    bodyLimit: REPORT_LIMIT,
  });

  serve(
    api.readEndings,
    ({ query, reply }) => {
      reply.header('cache-control', 'no-store');
      return readEndings(context, Number(query.after ?? 0));
    },
    WITHOUT_HEAD,
  );

  serve(api.salvageZone, ({ request, body }) => takeSalvagePart(context, requireNode(request), body), {
    bodyLimit: MAX_SALVAGE_BYTES,
  });

  serve(
    api.readTransfers,
    ({ query, request, reply }) => {
      reply.header('cache-control', 'no-store');
      return readTransfers(context, query.node ?? requireNode(request).name);
    },
    WITHOUT_HEAD,
  );

  serve(
    api.readProbes,
    ({ request, reply }) => {
      reply.header('cache-control', 'no-store');
      return requireFeed().vantages.list(requireNode(request));
    },
    WITHOUT_HEAD,
  );

  serve(api.reportProbes, ({ request, body }) => requireFeed().vantages.take(requireNode(request), body), {
    bodyLimit: MAX_OBSERVATIONS_BYTES,
  });

  serve(api.reportTransfers, ({ body }) => takeTransferReport(context, body), { bodyLimit: TRANSFERS_LIMIT });
}
