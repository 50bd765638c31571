// The zones of the PowerDNS API: list, read, create, change, delete. The service's own operations do the work, with the
// rights, limits and history of the key.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecordType } from '#dns/types/index.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { recordLevel } from '#service/accounts/actor.ts';
import type { ServiceContext } from '#service/context.ts';
import { readAllRrsets } from '#service/records/list-rrsets.ts';
import { Refusal } from '#service/refusal.ts';
import { readClientSettings } from '#service/zones/client-settings.ts';
import { readSoa, readZoneNamed } from '#service/zones/lookup.ts';
import type { ZoneView } from '#service/zones/view.ts';
import { readAllZones, removeZone } from '#service/zones/zones.ts';
import { ownRrsets, ownView, rrsetView, zoneHead, zoneItem } from '../answer-views.ts';
import { sendJson, sendList } from '../answers.ts';
import { type Fields, readFlag } from '../read-fields.ts';
import { completeSettings } from '../read-settings.ts';
import { encodeZoneId, nameOfId } from '../zone-id.ts';
import { createFromBody, type RecordLimit } from './create.ts';

export interface ZoneParams {
  server: string;
  zone: string;
}

/** The zone of a request. @throws Refusal no_zone */
export function findRequestedZone(context: ServiceContext, request: FastifyRequest): Promise<ZoneView> {
  return readZoneNamed(context, requireActor(request), nameOfId((request.params as ZoneParams).zone));
}

interface ListQuery extends Fields {
  zone?: string;
}

interface ReadQuery extends Fields {
  rrset_name?: string;
  rrset_type?: string;
}

export function powerDnsZoneRoutes(app: FastifyInstance, context: ServiceContext, limit: RecordLimit): void {
  app.get<{ Querystring: ListQuery }>('/zones', async (request, reply) => {
    const { zone } = request.query;
    const itemsOf = itemReader(context, readFlag(request.query, 'dnssec', true));
    if (zone !== undefined) return sendJson(reply, await itemsOf(await findZone(context, request, zone)));
    const list = await readAllZones(context, requireActor(request), {}, whenClientLeaves(reply));
    if ('whole' in list) return sendJson(reply, await itemsOf(list.whole));
    return sendList(reply, mapped(list.pages, itemsOf));
  });

  app.post<{ Querystring: Fields }>('/zones', { config: { counts: 'zones' } }, async (request, reply) => {
    const isWhole = readFlag(request.query, 'rrsets', true);
    const zone = await createFromBody(context, request, reply, limit);
    // A key may be able to create zones and not to read records.
    const rrsets = isWhole && recordLevel(requireActor(request), zone.id) !== 'none';
    return sendZone(context, request, reply.header('location', zoneItem(zone).url), zone, { rrsets, status: 201 });
  });

  app.get<{ Params: ZoneParams; Querystring: ReadQuery }>('/zones/:zone', async (request, reply) =>
    sendZone(context, request, reply, await findRequestedZone(context, request), {
      rrsets: readFlag(request.query, 'rrsets', true),
      name: request.query.rrset_name,
      type: request.query.rrset_type,
      status: 200,
    }),
  );

  app.delete<{ Params: ZoneParams }>('/zones/:zone', { config: { counts: 'zones' } }, async (request, reply) => {
    const { id } = await findRequestedZone(context, request);
    await removeZone(context, { ...readCaller(request), once: null }, id);
    return reply.code(204).send();
  });
}

/** @returns one item, or none */
async function findZone(context: ServiceContext, request: FastifyRequest, name: string) {
  try {
    return [await readZoneNamed(context, requireActor(request), name)];
  } catch (error) {
    if (error instanceof Refusal && error.code === 'no_zone') return [];
    throw error;
  }
}

/**
 * @returns a function that makes the items of a list from zones.
 * @param hasDnssec whether they tell that the zone is signed
 */
function itemReader(context: ServiceContext, hasDnssec: boolean) {
  return async (zones: readonly ZoneView[]): Promise<object[]> => {
    const settings = await readClientSettings(
      context,
      zones.map(({ id }) => id),
    );
    return zones.map((zone) => {
      const item = zoneItem(zone, completeSettings(settings.get(zone.id)));
      const { dnssec: _dnssec, edited_serial: _serial, ...plain } = item;
      return hasDnssec ? item : plain;
    });
  };
}

async function* mapped<T, R>(
  pages: AsyncIterable<readonly T[]>,
  map: (page: readonly T[]) => R[] | Promise<R[]>,
): AsyncGenerator<R[]> {
  for await (const page of pages) yield await map(page);
}

/** The zone with its RRsets: all, or those of a name and a type. */
async function sendZone(
  context: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  zone: ZoneView,
  {
    rrsets,
    name,
    type,
    status,
  }: { rrsets: boolean; name?: string | undefined; type?: string | undefined; status: number },
): Promise<FastifyReply> {
  const settings = await readClientSettings(context, [zone.id]);
  const head = zoneHead(zone, completeSettings(settings.get(zone.id)));
  if (!rrsets) return sendJson(reply, head, status);
  const serviceRrsets = await listOwnRrsets(context, zone, { name, type });
  const actor = requireActor(request);
  const isUnknown = type !== undefined && !isRecordType(type);
  const query = {
    ...(name === undefined ? {} : { name: name.endsWith('.') ? name : `${name}.` }),
    ...(type !== undefined && isRecordType(type) ? { type } : {}),
  };
  const list = await readAllRrsets(context, actor, zone.id, query, whenClientLeaves(reply));
  const view = (each: Parameters<typeof rrsetView>[0]) => rrsetView(each, zone.zoneName);
  if (isUnknown) return sendJson(reply, { ...head, rrsets: serviceRrsets }, status);
  if ('whole' in list) return sendJson(reply, { ...head, rrsets: [...serviceRrsets, ...list.whole.map(view)] }, status);
  const sets = list.pages;
  async function* pages() {
    // With the first page, because the refusal of a permit for it must come before the head of the answer.
    let before = serviceRrsets;
    for await (const page of sets) {
      yield [...before, ...page.map(view)];
      before = [];
    }
  }
  const before = `${JSON.stringify(head).slice(0, -1)},"rrsets":[`;
  return sendList(reply.code(status), pages(), { before, after: ']}' });
}

/** The service's own records of the apex that a query asks for. */
async function listOwnRrsets(
  context: ServiceContext,
  zone: ZoneView,
  { name, type }: { name: string | undefined; type: string | undefined },
) {
  const isApex =
    name === undefined || encodeZoneId(name.toLowerCase().replace(/\.$/, '')) === encodeZoneId(zone.zoneName);
  if (!isApex) return [];
  return ownRrsets(zone, await readSoa(context, zone))
    .filter((each) => type === undefined || each.type === type)
    .map((each) => ownView(each, zone.zoneName));
}
