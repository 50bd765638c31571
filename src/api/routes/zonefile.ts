// Zone files over HTTP: content types, schema, limit, call. What they mean stands in zones/zonefile.ts. Wants a scope of
// its own: it changes which bodies are read.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { House } from '../../zones/change.ts';
import { Refusal } from '../../zones/refusal.ts';
import { exportZoneFile, importZoneFile } from '../../zones/zonefile.ts';
import { actorOf, callerOf } from '../auth.ts';
import type { CountWrites } from '../limits.ts';
import { zoneParams } from '../schemas/zone.ts';
import { ZONE_FILE_TYPE, zoneFile, zoneFileBody, zoneFileImport } from '../schemas/zonefile.ts';
import { utf8 } from '../utf8.ts';
import { errorAnswers } from './answers.ts';

const TAGS = ['records'];
/** A hundred thousand records of ordinary length. */
const BODY_LIMIT = 8 * 1024 * 1024;

export function zoneFileRoutes(app: FastifyInstance, house: House, countWrites: CountWrites): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([ZONE_FILE_TYPE, 'text/plain'], { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
    textOf(body),
  );
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/zones/:id/zonefile',
    {
      schema: {
        tags: TAGS,
        summary: "Export a zone's records as a zone file",
        description:
          'With SOA and NS of the apex and with the NS and DS of child zones hosted here, so that name servers and their tools load it. ALIAS, which is no type of the DNS, stands in comments that begin with `;zonestead:`; an import reads them.',
        produces: [ZONE_FILE_TYPE],
        params: zoneParams,
        response: { 200: zoneFile, ...errorAnswers('forbidden', 'no_zone') },
      },
    },
    async (request, reply) => {
      const { zone, text } = await exportZoneFile(house, actorOf(request), request.params.id);
      return reply
        .type(`${ZONE_FILE_TYPE}; charset=utf-8`)
        .header('content-disposition', `inline; filename="${zone}.zone"`)
        .send(text);
    },
  );

  routes.put(
    '/zones/:id/zonefile',
    {
      bodyLimit: BODY_LIMIT,
      schema: {
        tags: TAGS,
        summary: "Replace a zone's records by those of a zone file",
        description:
          'All or nothing; a refusal names up to 20 wrong lines. Records that stay keep their ids. Lines about records that the service makes itself (SOA and NS of the apex, NS and DS of child zones hosted here, DNSSEC) are ignored. $INCLUDE and $GENERATE are refused. Each changed record counts as one record write.',
        consumes: [ZONE_FILE_TYPE, 'text/plain'],
        params: zoneParams,
        body: zoneFileBody,
        response: {
          200: zoneFileImport,
          ...errorAnswers('bad_request', 'forbidden', 'no_zone', 'conflict', 'rate_limited', 'busy'),
        },
      },
    },
    async (request, reply) =>
      importZoneFile(house, callerOf(request), request.params.id, request.body, (changes) =>
        countWrites(request, reply, changes),
      ),
  );
}

/** @throws Refusal bad_request when it is no UTF-8 */
function textOf(body: Buffer): string {
  const text = utf8(body);
  if (text === null) throw new Refusal('bad_request', 'The zone file is not in UTF-8.');
  return text;
}
