// A zone, or the records at one name and type, as the manifests that take them over in Kubernetes.
import type { FastifyInstance } from 'fastify';
import { isSharedCheck } from '#base/check-form.ts';
import { requireActor } from '#http/hooks/auth.ts';
import type { CheckDefinitions } from '#resources/manifest-check.ts';
import { planManifests, type RecordFacts } from '#resources/manifests.ts';
import { LIVE_ZONE, renderManifests } from '#resources/render-manifests.ts';
import type { Actor } from '#service/accounts/actor.ts';
import { hasAllRecords, readChecks } from '#service/checks/checks.ts';
import type { ServiceContext } from '#service/context.ts';
import { readManagedRecord, readRecords } from '#service/records/records.ts';
import type { ConsoleParts } from '../parts.ts';
import { showPage } from '../shell/views.ts';
import { type OfZone, readZoneHead } from './head.ts';

/** The records of a page. The command line prints more. */
const MAX_RECORDS = 500;
/** The characters of a page. Contents can be long. */
const MAX_TEXT = 120_000;
const FIRST =
  '# Records of the DNS service. If you apply this file, the objects take them over, and nothing changes in DNS.';

interface OfRecord {
  Params: { zoneId: string; recordId: string };
}

export function manifestPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<OfZone>('/zones/:zoneId/yaml', async (request, reply) => {
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    const query = { limit: MAX_RECORDS };
    const list = await readRecords(context, requireActor(request), zone.id, query, () => false);
    const records = list?.records ?? [];
    const definitions = await readDefinitions(context, requireActor(request), zone.owner, records);
    const { objects, leftOut } = planManifests(zone, records, undefined, definitions);
    const text = renderManifests(objects, { format: 'yaml' }, LIVE_ZONE);
    const isTooLarge = list?.next !== undefined || text.length > MAX_TEXT;
    const page = { title: `${zone.zoneName} as YAML`, zone, home, text: isTooLarge ? null : text, leftOut };
    return showPage(request, reply, 'zones/manifests', page);
  });

  app.get<OfRecord>('/zones/:zoneId/records/:recordId/yaml', async (request, reply) => {
    const { zoneId, recordId } = request.params;
    const actor = requireActor(request);
    const { zone, home } = await readZoneHead(context, request, zoneId);
    const { record } = await readManagedRecord(context, actor, zoneId, recordId);
    const query = { name: record.name, type: record.type, limit: MAX_RECORDS };
    const list = await readRecords(context, actor, zoneId, query, () => false);
    const definitions = await readDefinitions(context, actor, zone.owner, list?.records ?? []);
    const { objects, leftOut } = planManifests(zone, list?.records ?? [], undefined, definitions);
    const records = objects.filter(({ kind }) => kind === 'DNSRecord');
    const text = renderManifests(records, { format: 'yaml' }, { ...LIVE_ZONE, first: FIRST });
    const page = { title: `${record.name} ${record.type} as YAML`, zone, home, leftOut };
    return showPage(request, reply, 'zones/manifests', { ...page, text: text.length > MAX_TEXT ? null : text });
  });
}

/** The definitions of the checks that operators made for objects, if the person may read the checks of the owner. */
async function readDefinitions(
  context: ServiceContext,
  actor: Actor,
  owner: string,
  records: readonly RecordFacts[],
): Promise<CheckDefinitions> {
  const hasAny = records.some(({ check }) => check !== undefined && !isSharedCheck(check));
  if (!hasAny || !hasAllRecords(actor, 'read')) return new Map();
  return new Map((await readChecks(context, actor, owner)).map(({ name, definition }) => [name, definition]));
}
