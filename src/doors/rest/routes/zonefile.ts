// Zone files over HTTP: their content types. src/service/zonefile holds the rules. Register it in a scope of its
// own, because it replaces the parsers of bodies.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/zone-files.ts';
import { ZONE_FILE_TYPE } from '#contract/zonefile.ts';
import { isKnown } from '#http/hooks/conditions.ts';
import { sendInChunks } from '#http/hooks/large-answer.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { requireCounter } from '#http/hooks/limits.ts';
import { tellOwners } from '#http/hooks/owners-header.ts';
import { utf8 } from '#http/hooks/utf8.ts';
import type { ServiceContext } from '#service/context.ts';
import { refusal } from '#service/refusal.ts';
import { exportZoneFile } from '#service/zonefile/export.ts';
import { importZoneFile } from '#service/zonefile/import.ts';
import { serveOn } from '../serve.ts';

/** Enough for 100,000 records of ordinary length. */
const BODY_LIMIT = 8 * 1024 * 1024;

export function zoneFileRoutes(app: FastifyInstance, context: ServiceContext): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([ZONE_FILE_TYPE, 'text/plain'], { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
    decodeText(body),
  );
  const serve = serveOn(app);

  serve(api.exportZoneFile, async ({ actor, params, request, reply }) => {
    const isKnownTag = (tag: string) => isKnown(request, reply, tag);
    const file = await exportZoneFile(context, actor(), params.id, isKnownTag, whenClientLeaves(reply));
    if (file === null) return reply.code(304).send(null);
    const type = `${ZONE_FILE_TYPE}; charset=utf-8`;
    reply.header('content-disposition', `inline; filename="${file.zone}.zone"`);
    return 'whole' in file ? reply.type(type).send(file.whole) : sendInChunks(reply, type, file.pieces);
  });

  serve(
    api.importZoneFile,
    async ({ caller, params, body, request, reply }) => {
      const { owned, ...answer } = await importZoneFile(context, caller(), params.id, body, {
        count: requireCounter(request),
        signal: whenClientLeaves(reply),
      });
      tellOwners(reply, owned.owners, owned.count);
      return answer;
    },
    { bodyLimit: BODY_LIMIT },
  );
}

/** @throws Refusal bad_request if the body is not UTF-8 */
function decodeText(body: Buffer): string {
  const text = utf8(body);
  if (text === null) throw refusal('zone-file-not-utf8');
  return text;
}
