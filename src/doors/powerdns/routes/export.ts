// The export of a zone in the PowerDNS API: a zone file with absolute names, one line for each record; as a text, or in
// JSON for a client that accepts JSON.
import type { FastifyInstance } from 'fastify';
import { fqdn } from '#dns/names/name.ts';
import { NS_TTL, SOA_TTL } from '#dns/own-records.ts';
import { requireActor } from '#http/hooks/auth.ts';
import { sendInChunks } from '#http/hooks/large-answer.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { mustReadWholeZone } from '#service/accounts/actor.ts';
import type { ServiceContext } from '#service/context.ts';
import { type ListedRrset, readAllRrsets } from '#service/records/list-rrsets.ts';
import { readSoa } from '#service/zones/lookup.ts';
import { ownRrsets } from '../answer-views.ts';
import { POWERDNS_JSON_TYPE, sendJson } from '../answers.ts';
import { findRequestedZone } from './zones.ts';

const TEXT_TYPE = 'text/plain; charset=utf-8';

export function exportRoute(app: FastifyInstance, context: ServiceContext): void {
  app.get('/zones/:zone/export', async (request, reply) => {
    const zone = await findRequestedZone(context, request);
    const actor = requireActor(request);
    mustReadWholeZone(actor, zone.id);
    const list = await readAllRrsets(context, actor, zone.id, {}, whenClientLeaves(reply));
    const ownLines = ownRrsets(zone, await readSoa(context, zone)).map(({ type, values }) =>
      formatLines(zone.zoneName, '@', type, type === 'SOA' ? SOA_TTL : NS_TTL, values),
    );
    const text = (rrsets: readonly ListedRrset[]) =>
      rrsets.map(({ name, type, ttl, values }) => formatLines(zone.zoneName, name, type, ttl, values)).join('');
    const isJson = request.headers.accept?.includes('application/json') ?? false;
    if ('whole' in list) {
      const file = ownLines.join('') + text(list.whole);
      return isJson ? sendJson(reply, { zone: file }) : reply.type(TEXT_TYPE).send(file);
    }
    const sets = list.pages;
    async function* pieces() {
      // With the first page, because the refusal of a permit for it must come before the head of the answer.
      let before = ownLines.join('');
      for await (const page of sets) {
        yield before + text(page);
        before = '';
      }
    }
    return isJson
      ? sendInChunks(reply, POWERDNS_JSON_TYPE, inJson(pieces()))
      : sendInChunks(reply, TEXT_TYPE, pieces());
  });
}

/** `{"zone": text}`, whose text comes in pieces. */
async function* inJson(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let before = '{"zone":"';
  for await (const piece of pieces) {
    yield before + JSON.stringify(piece).slice(1, -1);
    before = '';
  }
  yield '"}';
}

function formatLines(zone: string, name: string, type: string, ttl: number, values: readonly string[]): string {
  return values.map((value) => `${[`${fqdn(name, zone)}.`, ttl, 'IN', type, value].join('\t')}\n`).join('');
}
