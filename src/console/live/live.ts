// The live view: the current answer of every name server for a name, and the chain of trust.
import type { FastifyInstance } from 'fastify';
import { actorOf } from '#api/hooks/auth.ts';
import { compareServers } from '#dns/live.ts';
import { fqdn, parseOwnerName } from '#dns/names/name.ts';
import { isRecordType } from '#dns/types/index.ts';
import { typeName } from '#dns/wire/rdata-text.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { ServiceContext } from '#service/context.ts';
import { readNodesOfZone } from '#service/nodes/living.ts';
import { readRecords } from '#service/records/records.ts';
import { refuseProblem } from '#service/refusal.ts';
import { isParentHosted } from '#service/zones/zones.ts';
import type { ConsoleParts } from '../parts.ts';
import { errorsOf } from '../shell/forms.ts';
import { clip } from '../shell/shown.ts';
import { fieldsOfType, NAMED_OR_NUMBER, typedType } from '../shell/types.ts';
import { show } from '../shell/views.ts';
import { headOf, type OfZone } from '../zones/head.ts';
import { shownSecondaries } from '../zones/secondaries.ts';
import { drawChain } from './chain-picture.ts';

type Asked = Parameters<NonNullable<ConsoleParts['live']>>[0]['type'];

const ANSWERS_SHOWN = 40;
const STORED_SHOWN = 20;

interface Query extends OfZone {
  Querystring: { name?: string; type?: string; number?: string };
}

export function livePages(app: FastifyInstance, { context, live }: ConsoleParts): void {
  app.get<Query>('/zones/:zoneId/live', async (request, reply) => {
    const { zone, home } = await headOf(context, request, request.params.zoneId);
    const typed = { name: request.query.name?.trim() || '@', type: typeOf(typedType(request.query)) };
    const nodes = (await readNodesOfZone(context, actorOf(request), zone.id)).map((node) => ({
      ...node,
      state: node.starting ? 'starting' : node.current ? 'up to date' : 'behind',
    }));
    const { rows: secondaries } = await shownSecondaries(context, request, zone.id);
    const page = {
      title: `Live: ${zone.zoneName}`,
      zone,
      home,
      typed: { ...typed, ...fieldsOfType(typed.type) },
      types: ['SOA', 'DNSKEY', ...NAMED_OR_NUMBER],
      nodes,
      secondaries,
      result: null,
      available: live !== null,
    };
    if (live === null) return show(request, reply, 'live/live', page);
    const name = parseOwnerName(typed.name, zone.zoneName, 'TXT');
    if (!name.ok) {
      const errors = errorsOf(refuseProblem(name.problem), ['name']);
      return show(request, reply.code(400), 'live/live', { ...page, errors });
    }
    const left = new AbortController();
    reply.raw.once('close', () => left.abort(new Error('the browser closed the connection')));
    const parentHosted = await isParentHosted(context, zone.zoneName);
    const { nameservers } = zone;
    const asked = {
      zone: zone.zoneName,
      name: fqdn(name.value, zone.zoneName),
      type: typed.type,
      nameservers,
      parentHosted,
    };
    const [{ servers, chain }, stored] = await Promise.all([
      live(asked, left.signal),
      storedAt(context, actorOf(request), zone.id, name.value, typed.type),
    ]);
    const differences = compareServers(servers, zone.serial);
    return show(request, reply, 'live/live', {
      ...page,
      result: {
        name: asked.name,
        type: asked.type,
        servers: servers.map((server, at) => ({
          ...server,
          ...differences[at],
          servedSerial: server.serial,
          serialIs: differences[at]?.serial,
          answers: server.answers.slice(0, ANSWERS_SHOWN).map((answer) => ({ ...answer, text: clip(answer.text) })),
          more: Math.max(0, server.answers.length - ANSWERS_SHOWN),
        })),
        stored,
        chain,
        picture: drawChain(chain, typeName),
      },
    });
  });
}

function typeOf(type: string | undefined): Asked {
  const known = type !== undefined && (isRecordType(type) || type === 'SOA' || type === 'DNSKEY');
  return known ? (type as Asked) : 'SOA';
}

/** The stored records of exactly this name. Null for types that the service creates itself. */
async function storedAt(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  name: string,
  type: Asked,
): Promise<{ content: string; ttl: number }[] | null> {
  if (type === 'SOA' || type === 'DNSKEY') return null;
  const { records } = await readRecords(context, actor, zoneId, { name, type, limit: STORED_SHOWN });
  return records.map(({ content, ttl, priority }) => ({
    content: `${priority === null ? '' : `${priority} `}${clip(content)}`,
    ttl,
  }));
}
