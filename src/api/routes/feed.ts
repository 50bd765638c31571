// The feed that name servers follow, and their reports. src/service/nodes holds the rules.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  feedLine,
  nodeName,
  nodeReport,
  reportAnswer,
  transferPlan,
  transferReport,
  zoneDigest,
  zoneLine,
} from '#contract/feed.ts';
import { zoneParams } from '#contract/zone.ts';
import type { ServiceContext } from '#service/context.ts';
import { type Feed, readDigest, readZone } from '#service/nodes/feed.ts';
import { takeTransferReport, transfersOf } from '#service/nodes/transfers.ts';
import { sendInChunks } from '../hooks/large-answer.ts';
import { whenClientLeaves } from '../hooks/leaving.ts';
import { nodeOf, requireNodeKey } from '../hooks/node-auth.ts';
import { openOutlet } from '../hooks/outlet.ts';
import { errorAnswers } from './answers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the answer takes as long as the client wants: its time says nothing about the service. (Default: false.) */
    isStream?: boolean | ((request: FastifyRequest) => boolean);
  }
}

const TAGS = ['name servers'];
const SECURITY = [{ nodeKey: [] }];
const NDJSON = 'application/x-ndjson';
/** A report with the longest list of failing zones has half of it. */
const REPORT_LIMIT = 256 * 1024;
/** 256 secondaries, each with the longest list of zones, have more: such a report is refused, and a shorter one follows. */
const TRANSFERS_LIMIT = 1024 * 1024;

const feedQuery = z.strictObject({
  after: z.string().max(200).optional().meta({
    description: 'The cursor to continue after. Without one, the stream begins with the list of all zones.',
  }),
  node: nodeName
    .optional()
    .meta({ description: 'The name of the node, as in its reports. The default is the name of its key.' }),
});

/** @param feed undefined: the routes are described, but not served @param protection an onRequest hook */
export function feedRoutes(
  app: FastifyInstance,
  context: ServiceContext,
  feed: Feed | undefined,
  protection: (request: FastifyRequest) => Promise<void>,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  app.addHook('onRequest', protection);
  app.addHook('onRequest', requireNodeKey(context));
  const served = (): Feed => {
    if (feed === undefined) throw new Error('this application has no feed');
    return feed;
  };

  routes.get(
    '/feed',
    {
      exposeHeadRoute: false,
      config: { isStream: true },
      schema: {
        tags: TAGS,
        operationId: 'followFeed',
        summary: 'Follow all changes of all zones',
        description:
          'The answer does not end by itself: it has one JSON object in each line. The service ends it when it exits, when the key is revoked, and when the node reads too slowly. The node then continues after the last cursor. A node may have two streams; a third one ends the oldest.',
        security: SECURITY,
        produces: [NDJSON],
        querystring: feedQuery,
        response: { 200: feedLine, ...errorAnswers('bad_request', 'forbidden', 'busy') },
      },
    },
    async (request, reply) => {
      const { keyId, name } = nodeOf(request);
      const { after, node = name } = request.query;
      const reader = { after: after === undefined || after === '' ? null : after, node, keyId };
      await served().hub.open(reader, () => openOutlet(reply, NDJSON));
      return reply as never;
    },
  );

  routes.get(
    '/feed/zones/:id',
    {
      exposeHeadRoute: false,
      schema: {
        tags: TAGS,
        operationId: 'readServedZone',
        summary: 'Read one zone with its private key',
        description:
          'The answer has one JSON object in each line, all of one moment. An answer without an `end` line is incomplete. The service reads a few zones at once; others wait, and are answered `busy` after 20 seconds. It closes the connection of a client that reads nothing for 10 seconds, or less than 64 KiB a second.',
        security: SECURITY,
        produces: [NDJSON],
        params: zoneParams,
        response: { 200: zoneLine, ...errorAnswers('forbidden', 'no_zone', 'busy') },
      },
    },
    async (request, reply) => {
      const { keyId } = nodeOf(request);
      const lines = await readZone(served(), keyId, request.params.id, whenClientLeaves(reply));
      return sendInChunks(reply.header('cache-control', 'no-store'), NDJSON, lines) as never;
    },
  );

  routes.get(
    '/feed/zones/:id/digest',
    {
      exposeHeadRoute: false,
      schema: {
        tags: TAGS,
        operationId: 'readZoneDigest',
        summary: 'Read the digest of one zone',
        description: 'A name server compares it with the digest of the zone that it holds.',
        security: SECURITY,
        params: zoneParams,
        response: { 200: zoneDigest, ...errorAnswers('forbidden', 'no_zone', 'busy') },
      },
    },
    async (request, reply) => readDigest(served(), nodeOf(request).keyId, request.params.id, whenClientLeaves(reply)),
  );

  routes.post(
    '/feed/report',
    {
      bodyLimit: REPORT_LIMIT,
      schema: {
        tags: TAGS,
        operationId: 'reportNode',
        summary: 'Report how far a name server is',
        description:
          'A node reports every second. A node that was silent for 30 seconds does not count any more. A name belongs to the key that reports under it, until its node was silent for as long.',
        security: SECURITY,
        body: nodeReport,
        response: { 200: reportAnswer, ...errorAnswers('bad_request', 'forbidden', 'conflict', 'busy') },
      },
    },
    async (request) => served().reports.take(context, nodeOf(request), request.body),
  );

  routes.get(
    '/feed/transfers',
    {
      exposeHeadRoute: false,
      schema: {
        tags: TAGS,
        operationId: 'readTransfers',
        summary: 'Read the secondaries, with their keys, and the part of the node in zone transfers',
        description: 'The version of the answer is in the answer to each report.',
        security: SECURITY,
        querystring: z.strictObject({
          node: nodeName
            .optional()
            .meta({ description: 'The name of the node, as in its reports. The default is the name of its key.' }),
        }),
        response: { 200: transferPlan, ...errorAnswers('bad_request', 'forbidden') },
      },
    },
    async (request, reply) => {
      void reply.header('cache-control', 'no-store');
      return transfersOf(context, request.query.node ?? nodeOf(request).name);
    },
  );

  routes.post(
    '/feed/transfers/report',
    {
      bodyLimit: TRANSFERS_LIMIT,
      schema: {
        tags: TAGS,
        operationId: 'reportTransfers',
        summary: 'Report how far the secondaries are',
        description: 'The source of zone transfers reports. Reports of other nodes change nothing.',
        security: SECURITY,
        body: transferReport,
        response: { 204: z.null(), ...errorAnswers('bad_request', 'forbidden') },
      },
    },
    async (request, reply) => {
      await takeTransferReport(context, request.body);
      return reply.code(204).send(null);
    },
  );
}
