// PUT of a zone: sets the settings of the zone that clients keep here and its denial of names, and with `rrsets`
// replaces all its records, as PowerDNS does since 4.9.
import type { FastifyInstance } from 'fastify';
import { finishInTurns } from '#dns/steps.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { requireCounter } from '#http/hooks/limits.ts';
import { mustManageZones, mustWriteAllRecords } from '#service/accounts/actor.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Arrivals } from '#service/nodes/arrivals.ts';
import { type ListedRrset, readAllRrsets } from '#service/records/list-rrsets.ts';
import { Refusal } from '#service/refusal.ts';
import { changeClientSettings } from '#service/zones/client-settings.ts';
import { changeProperties } from '#service/zones/properties.ts';
import type { ZoneView } from '#service/zones/view.ts';
import { listNotes, sendNotes } from '../answer-notes.ts';
import { ownRrsets } from '../answer-views.ts';
import { readListField, refused, requireFields } from '../read-fields.ts';
import { isZoneSoa, listDeletions, MAX_RRSETS, mustBeSoaRecord, type ReadRrsets, readRrsets } from '../read-rrsets.ts';
import { readDenial, readSettings } from '../read-settings.ts';
import { type ChangeRequest, writeChanges } from './write-changes.ts';
import { findRequestedZone } from './zones.ts';

/** The number of attempts. One fails if another change comes between the reading of the zone and its replacement. */
const ATTEMPTS = 3;

/** @param arrivals undefined: no request waits for name servers */
export function putRoute(app: FastifyInstance, context: ServiceContext, arrivals: Arrivals | undefined): void {
  app.put(
    '/zones/:zone',
    { config: { counts: { bucket: 'records', changes: 'operation' } } },
    async (request, reply) => {
      const zone = await findRequestedZone(context, request);
      // Before any work, also of a request that turns out to change nothing.
      await requireCounter(request)(1);
      const fields = requireFields(request.body, 'The body');
      const list = readListField(fields, 'rrsets', 'the body');
      const settings = readSettings(fields);
      const denial = readDenial(fields);
      const hasSettings = Object.keys(settings).length > 0;
      if (hasSettings || denial !== undefined || list === null) mustManageZones(requireActor(request));
      if (list !== null) await replaceRrsets({ context, arrivals, request, reply }, zone, list);
      if (hasSettings) await changeClientSettings(context, readCaller(request), zone.id, settings);
      if (denial !== undefined) await changeProperties(context, readCaller(request), zone.id, { denial });
      return reply.code(204).send();
    },
  );
}

/** Makes the RRsets of the zone the listed ones: the others are deleted. @throws Refusal */
async function replaceRrsets(exchange: ChangeRequest, zone: ZoneView, list: readonly unknown[]): Promise<void> {
  mustWriteAllRecords(requireActor(exchange.request), zone.id);
  const [soa, ...more] = list.filter((each) => isZoneSoa(each, zone.zoneName));
  // PowerDNS refuses the same: a list without it is rather a part of a zone, which would delete the rest.
  if (soa === undefined) {
    throw refused(
      'The field "rrsets" replaces all records of the zone, so it needs the SOA record: send all RRsets, or change some with PATCH.',
    );
  }
  mustBeSoaRecord(soa);
  if (more.length > 0) throw refused('The SOA record of the zone is in the request twice; send it once.');
  const others = list.filter((each) => !isZoneSoa(each, zone.zoneName));
  const ownNsRrsets = ownRrsets(zone, '').filter(({ type }) => type === 'NS');
  const rrsetChanges = await finishInTurns(readRrsets(others, zone.zoneName, ownNsRrsets, 'REPLACE'));
  await writeReplacement(exchange, zone, rrsetChanges);
  sendNotes(exchange.reply, new Set(['soa', ...listNotes(rrsetChanges)]));
}

async function writeReplacement(exchange: ChangeRequest, zone: ZoneView, { changes }: ReadRrsets): Promise<void> {
  let current = zone;
  for (let attempt = 1; ; attempt += 1) {
    const others = listDeletions(await storedSets(exchange, current), changes);
    try {
      return await writeChanges(exchange, current, [...changes, ...others], current.serial);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'busy' || attempt === ATTEMPTS) throw error;
      current = await findRequestedZone(exchange.context, exchange.request);
    }
  }
}

/** The names and types of all RRsets of a zone. @throws Refusal if there are too many for one request */
async function storedSets({ context, request, reply }: ChangeRequest, { id, zoneName }: ZoneView) {
  const list = await readAllRrsets(context, requireActor(request), id, {}, whenClientLeaves(reply));
  if ('whole' in list) return list.whole;
  const sets: Pick<ListedRrset, 'name' | 'type'>[] = [];
  for await (const page of list.pages) {
    sets.push(...page.map(({ name, type }) => ({ name, type })));
    if (sets.length > MAX_RRSETS) {
      throw refused(
        `The zone ${zoneName} has more than ${MAX_RRSETS} RRsets, which one request cannot replace: import a zone file.`,
      );
    }
  }
  return sets;
}
