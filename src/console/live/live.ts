// The live view: the serial and lag of every name server side by side, their answers for a name, and the chain of
// trust.
import type { FastifyInstance } from 'fastify';
import { compareServers, type LiveView } from '#dns/live.ts';
import { fqdn, parseOwnerName } from '#dns/names/name.ts';
import { isRecordType } from '#dns/types/index.ts';
import { typeName } from '#dns/wire/rdata-text.ts';
import { requireActor } from '#http/hooks/auth.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { ServiceContext } from '#service/context.ts';
import { readNodesOfZone } from '#service/nodes/living.ts';
import { readRecords } from '#service/records/records.ts';
import { toProblemRefusal } from '#service/refusal.ts';
import { isParentHosted } from '#service/zones/zones.ts';
import type { ConsoleParts } from '../parts.ts';
import { toFormErrors } from '../shell/forms.ts';
import { clipText } from '../shell/shown.ts';
import { NAMED_OR_NUMBER, splitType, typedType } from '../shell/types.ts';
import { showPage } from '../shell/views.ts';
import { type OfZone, readZoneHead } from '../zones/head.ts';
import { shownSecondaries } from '../zones/secondaries.ts';
import { listChainSteps } from './chain-steps.ts';
import { buildServerRows, summarizeRows } from './comparison.ts';

type Asked = Parameters<NonNullable<ConsoleParts['live']>>[0]['type'];

const STORED_SHOWN = 20;

interface Query extends OfZone {
  Querystring: { name?: string; type?: string; number?: string };
}

export function livePages(app: FastifyInstance, { context, live }: ConsoleParts): void {
  app.get<Query>('/zones/:zoneId/live', async (request, reply) => {
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    const typed = { name: request.query.name?.trim() || '@', type: parseType(typedType(request.query)) };
    const isAsked = request.query.name !== undefined;
    const nodes = await readNodesOfZone(context, requireActor(request), zone.id);
    const { rows: secondaries } = await shownSecondaries(context, request, zone.id);
    const compare = (servers: LiveView['servers']) => {
      const differences = compareServers(servers, zone.serial);
      const rows = buildServerRows({ servers, differences, nodes, secondaries, serial: zone.serial }, context.now());
      return { rows, summary: summarizeRows(rows), isLate: rows.some(({ state }) => state !== 'up to date') };
    };
    const page = {
      title: `Live: ${zone.zoneName}`,
      zone,
      home,
      typed: { ...typed, ...splitType(typed.type) },
      types: ['SOA', 'DNSKEY', ...NAMED_OR_NUMBER],
      isAsked,
      compared: compare([]),
      result: null,
      available: live !== null,
    };
    if (live === null) return showPage(request, reply, 'live/live', page);
    const name = parseOwnerName(typed.name, zone.zoneName, 'TXT');
    if (!name.ok) {
      const errors = toFormErrors(toProblemRefusal(name.problem), ['name']);
      return showPage(request, reply.code(400), 'live/live', { ...page, errors });
    }
    const controller = new AbortController();
    reply.raw.once('close', () => controller.abort(new Error('the browser closed the connection')));
    const parentHosted = await isParentHosted(context, zone.zoneName);
    const { nameservers } = zone;
    const liveQuestion = {
      zone: zone.zoneName,
      name: fqdn(name.value, zone.zoneName),
      type: typed.type,
      nameservers,
      parentHosted,
    };
    const [{ servers, chain }, storedRecords] = await Promise.all([
      live(liveQuestion, controller.signal),
      storedAt(context, requireActor(request), zone.id, name.value, typed.type),
    ]);
    return showPage(request, reply, 'live/live', {
      ...page,
      compared: compare(servers),
      result: {
        name: liveQuestion.name,
        type: liveQuestion.type,
        stored: storedRecords,
        chain: { zone: chain.zone, steps: listChainSteps(chain, typeName) },
      },
    });
  });
}

function parseType(type: string | undefined): Asked {
  const isKnown = type !== undefined && (isRecordType(type) || type === 'SOA' || type === 'DNSKEY');
  return isKnown ? (type as Asked) : 'SOA';
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
  const query = { name, type, limit: STORED_SHOWN };
  const { records = [] } = (await readRecords(context, actor, zoneId, query, () => false)) ?? {};
  return records.map(({ content, ttl, priority }) => ({
    content: `${priority === null ? '' : `${priority} `}${clipText(content)}`,
    ttl,
  }));
}
