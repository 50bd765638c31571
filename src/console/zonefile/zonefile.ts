// The zone file pages: export, and import in two steps. The first step shows the changes. The second step makes exactly
// these changes, or none if the zone was changed in the meantime.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseZoneName } from '#dns/names/name.ts';
import type { LineProblem } from '#dns/zonefile/read.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { sendInChunks } from '#http/hooks/large-answer.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { requireCounter } from '#http/hooks/limits.ts';
import { ownersText } from '#http/hooks/owners-header.ts';
import type { ServiceContext } from '#service/context.ts';
import { refusal } from '#service/refusal.ts';
import { exportZoneFile } from '#service/zonefile/export.ts';
import { importZoneFile, type ZoneFilePreview } from '#service/zonefile/import.ts';
import { forgetUpload, identifyUpload, readUpload, uploadZoneFile } from '#service/zonefile/upload.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, readTyped, type Typed, textField } from '../shell/forms.ts';
import { acceptUploads } from '../shell/multipart.ts';
import { nameOwners } from '../shell/owner-label.ts';
import { done, showPage } from '../shell/views.ts';
import { addressOfZone, mustConfirm, type OfZone, readZoneHead } from '../zones/head.ts';
import { foreignIn, shownDifference } from './difference.ts';

/** The number of characters of a pasted file that a page repeats. */
const KEPT = 64_000;
const PROBLEMS_SHOWN = 50;

/** The import counts by the size of the file and by its changes. */
const COUNTED = { config: { counts: { bucket: 'records', changes: 'operation' } } } as const;

interface Again {
  typed?: Typed;
  errors?: FormErrors;
  problems?: LineProblem[];
}

export async function zoneFilePages(app: FastifyInstance, { context }: ConsoleParts): Promise<void> {
  acceptUploads(app);

  app.get<OfZone>('/zones/:zoneId/zonefile', async (request, reply) => filePage(context, request, reply));

  app.get<OfZone>('/zones/:zoneId/zonefile/export', async (request, reply) => {
    const [actor, { zoneId }] = [requireActor(request), request.params];
    const file = await exportZoneFile(context, actor, zoneId, () => false, whenClientLeaves(reply));
    if (file === null) return reply.code(304).send();
    const name = parseZoneName(file.zone).ok ? file.zone : 'zone';
    const type = 'text/dns; charset=utf-8';
    reply.header('content-disposition', `attachment; filename="${name}.zone"`);
    return 'whole' in file ? reply.type(type).send(file.whole) : sendInChunks(reply, type, file.pieces);
  });

  app.post<OfZone>('/zones/:zoneId/zonefile', COUNTED, async (request, reply) => {
    const typed = readTyped(request);
    const content = readFileField(typed);
    const typedFile = { file: content.length > KEPT ? '' : content };
    return attemptForm(
      reply,
      ['file'],
      async () => {
        if (content.trim() === '') throw refusal('file-missing');
        const planning = toImportOptions(request, reply);
        const preview = await uploadZoneFile(context, readCaller(request), request.params.zoneId, content, planning);
        if (preview.diff !== null) return previewPage(context, request, reply, content, preview);
        reply.code(400);
        return filePage(context, request, reply, { typed: typedFile, problems: preview.problems });
      },
      (errors) => filePage(context, request, reply, { typed: typedFile, errors }),
    );
  });

  app.post<OfZone>('/zones/:zoneId/zonefile/import', COUNTED, (request, reply) => importFile(context, request, reply));
}

function toImportOptions(request: FastifyRequest, reply: FastifyReply) {
  return {
    count: requireCounter(request),
    signal: whenClientLeaves(reply),
  };
}

async function filePage(
  context: ServiceContext,
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  again: Again = {},
) {
  const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
  const { problems = [] } = again;
  return showPage(request, reply, 'zonefile/zonefile', {
    title: `Zone file of ${zone.zoneName}`,
    zone,
    home,
    ...again,
    problems: problems.slice(0, PROBLEMS_SHOWN),
    more: Math.max(0, problems.length - PROBLEMS_SHOWN),
  });
}

async function previewPage(
  context: ServiceContext,
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  content: string,
  preview: ZoneFilePreview,
  again: Again = {},
) {
  const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
  const difference = shownDifference(preview, zone);
  return showPage(request, reply, 'zonefile/preview', {
    title: `Changes to ${zone.zoneName}`,
    zone,
    home,
    difference,
    seen: identifyUpload({ content, serial: preview.serial }),
    ...again,
  });
}

async function importFile(context: ServiceContext, request: FastifyRequest<OfZone>, reply: FastifyReply) {
  const typed = readTyped(request);
  const { zoneId } = request.params;
  const caller = readCaller(request);
  const upload = await readUpload(context, caller, zoneId);
  if (upload === null) {
    const goneMessage = 'This file was imported already, or its preview is more than an hour old. Upload it again.';
    return filePage(context, request, reply.code(409), { errors: { '': goneMessage } });
  }
  const planning = toImportOptions(request, reply);
  return attemptForm(
    reply,
    ['anyway'],
    async () => {
      if (textField(typed, 'seen') !== identifyUpload(upload)) {
        throw refusal('another-preview');
      }
      const { created, updated, deleted, owned } = await importZoneFile(
        context,
        caller,
        zoneId,
        upload.content,
        {
          ...planning,
          agree: (diff) => {
            const foreign = foreignIn(diff);
            mustConfirm(foreign ? `${foreign.records} records of ${foreign.owners.join(', ')}` : null, typed);
          },
        },
        upload.serial,
      );
      await forgetUpload(context, caller, zoneId);
      const owners = ownersText(owned.owners.map(nameOwners), owned.count);
      const revertNote =
        owners === null ? '' : ` Changed or deleted records belong to ${owners}, which may revert this.`;
      const words = `${created} created, ${updated} changed, ${deleted} deleted.${revertNote}`;
      return done(request, reply, addressOfZone(zoneId), `The zone file was imported: ${words}`);
    },
    async (errors) => {
      const preview = await uploadZoneFile(context, caller, zoneId, upload.content, planning);
      if (preview.diff === null) return filePage(context, request, reply, { problems: preview.problems });
      return previewPage(context, request, reply, upload.content, preview, { typed, errors });
    },
  );
}

/** The uploaded file, or the pasted text if there is no file. */
function readFileField(typed: Typed): string {
  const one = (field: string) => [typed[field] ?? ''].flat().at(-1) ?? '';
  return one('upload') === '' ? one('file') : one('upload');
}
