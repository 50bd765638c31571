// The zone operations over HTTP (contract Z3 to Z14). src/service/zones holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/zones.ts';
import type { Zone } from '#contract/zone.ts';
import { JSON_TYPE, sendInChunks, streamJsonList } from '#http/hooks/large-answer.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { zoneTag } from '#service/conditions/tags.ts';
import type { ServiceContext } from '#service/context.ts';
import { refusal } from '#service/refusal.ts';
import { createZone } from '#service/zones/create.ts';
import { changeProperties, setZoneState } from '#service/zones/properties.ts';
import { readAllZones, readDs, readEnclosingZone, readZone, readZones, removeZone } from '#service/zones/zones.ts';
import { serveOn } from '../serve.ts';

const tag = (zone: Zone) => zoneTag(zone, zone.status);

export function zoneRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);

  serve(api.listZones, async ({ query, actor, reply }) => {
    const { suffix_of, zoneName, name, limit, cursor } = query;
    if (suffix_of !== undefined) return readEnclosingZone(context, actor(), suffix_of);
    if (zoneName !== undefined && name !== undefined && zoneName !== name) {
      throw refusal('two-names');
    }
    if (zoneName !== undefined || name !== undefined || limit !== undefined) {
      return readZones(context, actor(), { zoneName: zoneName ?? name, limit, cursor });
    }
    const list = await readAllZones(context, actor(), { cursor }, whenClientLeaves(reply));
    return 'whole' in list
      ? { zones: list.whole }
      : sendInChunks(reply, JSON_TYPE, streamJsonList('zones', list.pages));
  });
  serve(api.createZone, ({ caller, body }) => createZone(context, caller(), body), { tag });
  serve(api.getZone, ({ actor, params }) => readZone(context, actor(), params.id), { tag });
  serve(api.updateZone, ({ caller, params, body }) => changeProperties(context, caller(), params.id, body), { tag });
  serve(api.deleteZone, ({ caller, params }) => removeZone(context, caller(), params.id));
  serve(api.parkZone, ({ caller, params }) => setZoneState(context, caller(), params.id, 'parked'), { tag });
  serve(api.unparkZone, ({ caller, params }) => setZoneState(context, caller(), params.id, 'active'), { tag });
  serve(api.listDsRecords, async ({ actor, params }) => ({ ds: await readDs(context, actor(), params.id) }));
}
