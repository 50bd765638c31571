// The search of the PowerDNS API, over the zones, records and comments that the key may read.
import type { FastifyInstance } from 'fastify';
import { fqdn } from '#dns/names/name.ts';
import { requireActor } from '#http/hooks/auth.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import type { ServiceContext } from '#service/context.ts';
import { SEARCHED, search } from '#service/records/search.ts';
import { sendJson } from '../answers.ts';
import { type Fields, refused, shown } from '../read-fields.ts';
import { encodeZoneId } from '../zone-id.ts';

/** The time of a match grows with the wildcards, and a search matches every record of the key. */
const LIMITS = { preset: 100, most: 1_000, characters: 255, wildcards: 16 };
const KINDS = ['all', ...SEARCHED] as const;

export function searchRoute(app: FastifyInstance, context: ServiceContext): void {
  app.get<{ Querystring: Fields }>('/search-data', async (request, reply) => {
    const { text, limit, kind } = readQuery(request.query);
    const kinds = kind === 'all' ? SEARCHED : [kind];
    const matches = await search(context, requireActor(request), { text, limit, kinds }, whenClientLeaves(reply));
    const zones = matches.zones.map((name) => ({ name: `${name}.`, object_type: 'zone', zone_id: encodeZoneId(name) }));
    const records = matches.records.map(({ name, type, rdata, ttl, zone }) => ({
      content: rdata,
      disabled: false,
      name: `${fqdn(name, zone)}.`,
      object_type: 'record',
      ttl,
      type,
      zone: `${zone}.`,
      zone_id: encodeZoneId(zone),
    }));
    const comments = matches.comments.map(({ name, type, comment, zone }) => ({
      content: comment,
      name: `${fqdn(name, zone)}.`,
      object_type: 'comment',
      type,
      zone: `${zone}.`,
      zone_id: encodeZoneId(zone),
    }));
    return sendJson(reply, [...zones, ...records, ...comments]);
  });
}

/** @throws Refusal */
function readQuery({ q, max = String(LIMITS.preset), object_type: kind = 'all' }: Fields) {
  if (typeof q !== 'string' || q === '' || q.length > LIMITS.characters || q.includes('\0')) {
    throw refused(`The query "q" must be a text of 1 to ${LIMITS.characters} characters; "*" and "?" are wildcards.`);
  }
  if ((q.match(/[*?]/g)?.length ?? 0) > LIMITS.wildcards) {
    throw refused(`The query "q" may have at most ${LIMITS.wildcards} wildcards "*" and "?".`);
  }
  if (typeof max !== 'string' || !/^[1-9][0-9]{0,8}$/.test(max)) {
    throw refused(`The query "max" must be a whole number from 1, and not ${shown(max)}.`);
  }
  const objectKind = KINDS.find((each) => each === kind);
  if (objectKind === undefined) {
    throw refused(`The query "object_type" must be one of ${KINDS.join(', ')}, and not ${shown(kind)}.`);
  }
  return { text: q, limit: Math.min(Number(max), LIMITS.most), kind: objectKind };
}
