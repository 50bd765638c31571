// The live view: what every name server answers now for a name, and the chain of trust.
import type { FastifyInstance } from 'fastify';
import { actorOf } from '../api/auth.ts';
import { compareServers } from '../dns/live.ts';
import { fqdn, parseOwnerName } from '../dns/name.ts';
import { typeName } from '../dns/rdata-text.ts';
import { isRecordType, RECORD_TYPES } from '../dns/types/index.ts';
import type { Actor } from '../zones/actor.ts';
import type { House } from '../zones/change.ts';
import { parentOf } from '../zones/parent.ts';
import { readRecords } from '../zones/records.ts';
import { refuseProblem } from '../zones/refusal.ts';
import { drawChain } from './chain-picture.ts';
import { errorsOf } from './forms.ts';
import type { ConsoleParts } from './parts.ts';
import { clip } from './shown.ts';
import { show } from './views.ts';
import { headOf, type OfZone } from './zone-head.ts';

type Asked = Parameters<NonNullable<ConsoleParts['live']>>[0]['type'];

const TYPES: readonly Asked[] = ['SOA', 'DNSKEY', ...RECORD_TYPES];
const ANSWERS_SHOWN = 40;
const STORED_SHOWN = 20;

interface Query extends OfZone {
  Querystring: { name?: string; type?: string };
}

export function livePages(app: FastifyInstance, { house, live }: ConsoleParts): void {
  app.get<Query>('/zones/:zoneId/live', async (request, reply) => {
    const { row, zone, home } = await headOf(house, request, request.params.zoneId);
    const typed = { name: request.query.name?.trim() || '@', type: typeOf(request.query.type) };
    const page = {
      title: `Live: ${zone.zoneName}`,
      zone,
      home,
      typed,
      types: TYPES,
      look: null,
      available: live !== null,
    };
    if (live === null) return show(request, reply, 'zone/live', page);
    const name = parseOwnerName(typed.name, row.name, 'TXT');
    if (!name.ok) {
      const errors = errorsOf(refuseProblem(name.problem), ['name']);
      return show(request, reply.code(400), 'zone/live', { ...page, errors });
    }
    const left = new AbortController();
    reply.raw.once('close', () => left.abort(new Error('the browser is gone')));
    const parentHosted = (await parentOf(house.db, row.name)) !== null;
    const nameservers = house.nameservers;
    const asked = { zone: row.name, name: fqdn(name.value, row.name), type: typed.type, nameservers, parentHosted };
    const [{ servers, chain }, stored] = await Promise.all([
      live(asked, left.signal),
      storedAt(house, actorOf(request), row.id, name.value, typed.type),
    ]);
    const differences = compareServers(servers, row.serial);
    return show(request, reply, 'zone/live', {
      ...page,
      look: {
        name: asked.name,
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

/** What the service has at just this name; null for what it makes itself. */
async function storedAt(
  house: House,
  actor: Actor,
  zoneId: string,
  name: string,
  type: Asked,
): Promise<{ content: string; ttl: number }[] | null> {
  if (type === 'SOA' || type === 'DNSKEY') return null;
  const { records } = await readRecords(house, actor, zoneId, { name, type, limit: STORED_SHOWN });
  return records.map(({ content, ttl, priority }) => ({
    content: `${priority === null ? '' : `${priority} `}${clip(content)}`,
    ttl,
  }));
}
