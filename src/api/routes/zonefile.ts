// Zone files over HTTP: content types, schema, limit, call. src/service/zonefile holds the rules. Register it in a scope of its
// own, because it replaces the parsers of bodies.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { zoneParams } from '#contract/zone.ts';
import { ZONE_FILE_TYPE, zoneFile, zoneFileBody, zoneFileImport } from '#contract/zonefile.ts';
import type { ServiceContext } from '#service/context.ts';
import { refusal } from '#service/refusal.ts';
import { exportZoneFile } from '#service/zonefile/export.ts';
import { importZoneFile } from '#service/zonefile/import.ts';
import { actorOf } from '../hooks/auth.ts';
import { conditionalCallerOf, isKnown } from '../hooks/conditions.ts';
import { sendInChunks } from '../hooks/large-answer.ts';
import { whenClientLeaves } from '../hooks/leaving.ts';
import { counterOf } from '../hooks/limits.ts';
import { tellOwners } from '../hooks/owners-header.ts';
import { utf8 } from '../hooks/utf8.ts';
import { errorAnswers, needs, notModified, RECORD_CHANGE_ERRORS } from './answers.ts';

const TAGS = ['records'];
/** Enough for 100,000 records of ordinary length. */
const BODY_LIMIT = 8 * 1024 * 1024;

export function zoneFileRoutes(app: FastifyInstance, context: ServiceContext): void {
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
        operationId: 'exportZoneFile',
        summary: 'Export the records of a zone as a zone file',
        security: needs('records:read'),
        description:
          'The file contains the SOA and NS records of the apex and the NS and DS records of child zones hosted here, so that name servers and their tools can load it. ALIAS is not a type of the DNS: ALIAS records are comments that begin with `;zonestead:`, and an import reads them. A long file is sent in chunks, without Content-Length. The service closes the connection of a client that reads nothing for 10 seconds, or less than 64 KiB a second.',
        produces: [ZONE_FILE_TYPE],
        params: zoneParams,
        response: {
          200: zoneFile,
          ...notModified,
          ...errorAnswers('forbidden', 'no_zone', 'precondition_failed', 'busy'),
        },
      },
    },
    async (request, reply) => {
      const known = (tag: string) => isKnown(request, reply, tag);
      const file = await exportZoneFile(context, actorOf(request), request.params.id, known, whenClientLeaves(reply));
      if (file === null) return reply.code(304).send(null);
      const type = `${ZONE_FILE_TYPE}; charset=utf-8`;
      reply.header('content-disposition', `inline; filename="${file.zone}.zone"`);
      return 'whole' in file ? reply.type(type).send(file.whole) : sendInChunks(reply, type, file.pieces);
    },
  );

  routes.put(
    '/zones/:id/zonefile',
    {
      config: { counts: { bucket: 'records', changes: 'operation' } },
      bodyLimit: BODY_LIMIT,
      schema: {
        tags: TAGS,
        operationId: 'importZoneFile',
        summary: 'Replace the records of a zone with those of a zone file',
        security: needs('records:write'),
        description:
          'The import makes all changes or none. A refusal names up to 20 wrong lines. Records that do not change keep their ids. Lines for records that the service creates itself (SOA and NS of the apex, NS and DS of child zones hosted here, DNSSEC) are ignored. $INCLUDE and $GENERATE are refused. Each changed record counts as one record write; a file counts at least as one write for each 256 KiB begun, and at most as half of the limit of the key. A file may have 100000 records. The service plans a few imports at once, one for each team. Others wait, and are answered `busy` after 20 seconds. If-Match takes the ETag of the zone file, or of the list of the records, that you compared your file with: if anything changed since then, the answer is 412. If changed or deleted records have owners, which may revert the change, the header Zonestead-Owners names them.',
        consumes: [ZONE_FILE_TYPE, 'text/plain'],
        params: zoneParams,
        body: zoneFileBody,
        response: {
          200: zoneFileImport,
          ...errorAnswers(...RECORD_CHANGE_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const caller = conditionalCallerOf(request);
      const { owned, ...answer } = await importZoneFile(context, caller, request.params.id, request.body, {
        count: counterOf(request),
        signal: whenClientLeaves(reply),
      });
      tellOwners(reply, owned.owners, owned.count);
      return answer;
    },
  );
}

/** @throws Refusal bad_request if the body is not UTF-8 */
function textOf(body: Buffer): string {
  const text = utf8(body);
  if (text === null) throw refusal('zone-file-not-utf8');
  return text;
}
