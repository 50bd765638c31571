// The zones of the PowerDNS API: list, read, create, change, delete. The service's own operations do the work, with the rights,
// limits and history of the key.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecordType } from '#dns/types/index.ts';
import { mustManageZones, recordLevel } from '#service/accounts/actor.ts';
import type { ServiceContext } from '#service/context.ts';
import { readAllRrsets } from '#service/records/list-rrsets.ts';
import { Refusal } from '#service/refusal.ts';
import { type NamedZone, soaOf, zoneNamed } from '#service/zones/named.ts';
import type { ZoneView } from '#service/zones/view.ts';
import { readAllZones, removeZone } from '#service/zones/zones.ts';
import { actorOf, callerOf } from '../hooks/auth.ts';
import { whenClientLeaves } from '../hooks/leaving.ts';
import { sendJson, sendList } from './answers.ts';
import { createFromBody, type RecordLimit } from './create.ts';
import { fieldsOf } from './values.ts';
import { ownRrsets, ownView, rrsetView, zoneHead, zoneItem } from './views.ts';
import { nameOfId, zoneId } from './zone-id.ts';
import { mustBePossible } from './zone-settings.ts';

export interface ZoneParams {
  server: string;
  zone: string;
}

/** The zone of a request. @throws Refusal no_zone */
export function zoneOf(context: ServiceContext, request: FastifyRequest): Promise<NamedZone> {
  return zoneNamed(context, actorOf(request), nameOfId((request.params as ZoneParams).zone));
}

interface ListQuery {
  zone?: string;
}

interface ReadQuery {
  rrsets?: string;
  rrset_name?: string;
  rrset_type?: string;
}

export function zoneRoutes(app: FastifyInstance, context: ServiceContext, limit: RecordLimit): void {
  app.get<{ Querystring: ListQuery }>('/zones', async (request, reply) => {
    const { zone } = request.query;
    if (zone !== undefined) return sendJson(reply, await findZone(context, request, zone));
    const list = await readAllZones(context, actorOf(request), {}, whenClientLeaves(reply));
    if ('whole' in list) return sendJson(reply, list.whole.map(zoneItem));
    return sendList(reply, mapped(list.pages, zoneItem));
  });

  app.post('/zones', { config: { counts: 'zones' } }, async (request, reply) => {
    const zone = await createFromBody(context, request, reply, limit);
    // A key may be able to create zones and not to read records.
    const query = recordLevel(actorOf(request), zone.id) === 'none' ? { rrsets: 'false' } : {};
    return sendZone(context, request, reply.header('location', zoneItem(zone).url), zone, query, 201);
  });

  app.get<{ Params: ZoneParams; Querystring: ReadQuery }>('/zones/:zone', async (request, reply) =>
    sendZone(context, request, reply, await zoneOf(context, request), request.query, 200),
  );

  // The settings of a zone are fixed, so that a change of them is either none or impossible.
  app.put<{ Params: ZoneParams }>('/zones/:zone', async (request, reply) => {
    await zoneOf(context, request);
    mustManageZones(actorOf(request));
    mustBePossible(fieldsOf(request.body, 'The body'));
    return reply.code(204).send();
  });

  app.delete<{ Params: ZoneParams }>('/zones/:zone', { config: { counts: 'zones' } }, async (request, reply) => {
    const { id } = await zoneOf(context, request);
    await removeZone(context, { ...callerOf(request), once: null }, id);
    return reply.code(204).send();
  });
}

/** @returns one item, or none */
async function findZone(context: ServiceContext, request: FastifyRequest, name: string) {
  try {
    return [zoneItem(await zoneNamed(context, actorOf(request), name))];
  } catch (error) {
    if (error instanceof Refusal && error.code === 'no_zone') return [];
    throw error;
  }
}

async function* mapped<T, R>(pages: AsyncIterable<readonly T[]>, map: (item: T) => R): AsyncGenerator<R[]> {
  for await (const page of pages) yield page.map(map);
}

/** The zone with its RRsets: all, or those of a name and a type. */
async function sendZone(
  context: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  zone: ZoneView,
  { rrsets: wanted, rrset_name: name, rrset_type: type }: ReadQuery,
  status: number,
): Promise<FastifyReply> {
  const head = zoneHead(zone);
  if (wanted === 'false') return sendJson(reply, head, status);
  const own = await ownOf(context, zone, { name, type });
  const actor = actorOf(request);
  const isUnknown = type !== undefined && !isRecordType(type);
  const query = {
    ...(name === undefined ? {} : { name: name.endsWith('.') ? name : `${name}.` }),
    ...(type !== undefined && isRecordType(type) ? { type } : {}),
  };
  const list = await readAllRrsets(context, actor, zone.id, query, whenClientLeaves(reply));
  const view = (each: Parameters<typeof rrsetView>[0]) => rrsetView(each, zone.zoneName);
  if (isUnknown) return sendJson(reply, { ...head, rrsets: own }, status);
  if ('whole' in list) return sendJson(reply, { ...head, rrsets: [...own, ...list.whole.map(view)] }, status);
  async function* pages() {
    yield own;
    if ('pages' in list) yield* mapped(list.pages, view);
  }
  const before = `${JSON.stringify(head).slice(0, -1)},"rrsets":[`;
  return sendList(reply.code(status), pages(), { before, after: ']}' });
}

/** The service's own records of the apex that a query asks for. */
async function ownOf(
  context: ServiceContext,
  zone: ZoneView,
  { name, type }: { name: string | undefined; type: string | undefined },
) {
  const isApex = name === undefined || zoneId(name.toLowerCase().replace(/\.$/, '')) === zoneId(zone.zoneName);
  if (!isApex) return [];
  return ownRrsets(zone, await soaOf(context, zone))
    .filter((each) => type === undefined || each.type === type)
    .map((each) => ownView(each, zone.zoneName));
}
