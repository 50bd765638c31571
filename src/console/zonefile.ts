// A zone as a file: export, and import in two steps. The first shows what would change; the second does just that, or
// nothing when the zone was changed meanwhile.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf, callerOf } from '../api/auth.ts';
import { parseZoneName } from '../dns/name.ts';
import type { LineProblem } from '../dns/zonefile-read.ts';
import { Refusal } from '../zones/refusal.ts';
import { exportZoneFile, importZoneFile, previewZoneFile, type ZoneFilePreview } from '../zones/zonefile.ts';
import { forgetUpload, lookOver, readUpload, seenAs } from '../zones/zonefile-upload.ts';
import { attempt, type FormErrors, type Typed, text, typedOf } from './forms.ts';
import { shownDifference } from './import-difference.ts';
import { acceptUploads } from './multipart.ts';
import type { ConsoleParts } from './parts.ts';
import { done, show } from './views.ts';
import { addressOfZone, headOf, mustMeanIt, type OfZone } from './zone-head.ts';

/** Characters of a pasted file that a page gives back. */
const KEPT = 64_000;
const PROBLEMS_SHOWN = 50;

interface Again {
  typed?: Typed;
  errors?: FormErrors;
  problems?: LineProblem[];
}

export async function zoneFilePages(app: FastifyInstance, { house, counts }: ConsoleParts): Promise<void> {
  acceptUploads(app);

  const filePage = async (request: FastifyRequest<OfZone>, reply: FastifyReply, again: Again = {}) => {
    const { zone, home } = await headOf(house, request, request.params.zoneId);
    const { problems = [] } = again;
    return show(request, reply, 'zone/zonefile', {
      title: `Zone file of ${zone.zoneName}`,
      zone,
      home,
      ...again,
      problems: problems.slice(0, PROBLEMS_SHOWN),
      more: Math.max(0, problems.length - PROBLEMS_SHOWN),
    });
  };
  const previewPage = async (
    request: FastifyRequest<OfZone>,
    reply: FastifyReply,
    content: string,
    preview: ZoneFilePreview,
    again: Again = {},
  ) => {
    const { zone, home } = await headOf(house, request, request.params.zoneId);
    const difference = shownDifference(preview, zone);
    return show(request, reply, 'zone/preview', {
      title: `What the file changes in ${zone.zoneName}`,
      zone,
      home,
      difference,
      seen: seenAs({ content, serial: preview.serial }),
      ...again,
    });
  };

  app.get<OfZone>('/zones/:zoneId/zonefile', async (request, reply) => filePage(request, reply));

  app.get<OfZone>('/zones/:zoneId/zonefile/export', async (request, reply) => {
    const { zone, text: file } = await exportZoneFile(house, actorOf(request), request.params.zoneId);
    const name = parseZoneName(zone).ok ? zone : 'zone';
    return reply
      .type('text/dns; charset=utf-8')
      .header('content-disposition', `attachment; filename="${name}.zone"`)
      .send(file);
  });

  app.post<OfZone>('/zones/:zoneId/zonefile', async (request, reply) => {
    const typed = typedOf(request);
    const content = fileOf(typed);
    const kept = { file: content.length > KEPT ? '' : content };
    return attempt(
      reply,
      ['file'],
      async () => {
        if (content.trim() === '') throw new Refusal('bad_request', 'file: Choose a file, or paste one.');
        const preview = await lookOver(house, callerOf(request), request.params.zoneId, content);
        if (preview.diff !== null) return previewPage(request, reply, content, preview);
        reply.code(400);
        return filePage(request, reply, { typed: kept, problems: preview.problems });
      },
      (errors) => filePage(request, reply, { typed: kept, errors }),
    );
  });

  app.post<OfZone>('/zones/:zoneId/zonefile/import', async (request, reply) => {
    const typed = typedOf(request);
    const { zoneId } = request.params;
    const caller = callerOf(request);
    const upload = await readUpload(house, caller, zoneId);
    if (upload === null) {
      const gone = 'The file was imported already, or waited for more than an hour. Send it again.';
      return filePage(request, reply.code(409), { errors: { '': gone } });
    }
    return attempt(
      reply,
      ['anyway'],
      async () => {
        const preview = await previewZoneFile(house, caller.actor, zoneId, upload.content);
        if (text(typed, 'seen') !== seenAs(upload)) {
          throw new Refusal(
            'conflict',
            'Another file was looked over since, so nothing was imported. This is its difference.',
          );
        }
        if (preview.serial !== upload.serial) {
          throw new Refusal(
            'conflict',
            'The zone was changed meanwhile, so nothing was imported. This is the difference now.',
          );
        }
        const foreign = preview.diff && shownDifference(preview, { defaultTtl: 0 }).foreign;
        mustMeanIt(foreign ? `${foreign.records} records of ${foreign.owners.join(', ')}` : null, typed);
        const { created, updated, deleted } = await importZoneFile(
          house,
          caller,
          zoneId,
          upload.content,
          (changes) => counts.records(request, reply, changes),
          upload.serial,
        );
        await forgetUpload(house, caller, zoneId);
        const words = `${created} created, ${updated} changed, ${deleted} deleted.`;
        return done(request, reply, addressOfZone(zoneId), `The zone file is imported: ${words}`);
      },
      async (errors) => {
        const preview = await lookOver(house, caller, zoneId, upload.content);
        if (preview.diff === null) return filePage(request, reply, { problems: preview.problems });
        return previewPage(request, reply, upload.content, preview, { typed, errors });
      },
    );
  });
}

/** The chosen file; without one, the pasted text. */
function fileOf(typed: Typed): string {
  const one = (field: string) => [typed[field] ?? ''].flat().at(-1) ?? '';
  return one('upload') === '' ? one('file') : one('upload');
}
