// Parts of the answers of the PowerDNS API: its JSON is compact, and long lists are sent in chunks.
import type { FastifyReply } from 'fastify';
import { sendInChunks } from '#http/hooks/large-answer.ts';

/** Exactly that of PowerDNS, because clients of go-powerdns compare it before they read the sentence of an error. */
export const POWERDNS_JSON_TYPE = 'application/json';

/** Sends a value as compact JSON. */
export function sendJson(reply: FastifyReply, value: unknown, status = 200): FastifyReply {
  return reply.code(status).type(POWERDNS_JSON_TYPE).serializer(JSON.stringify).send(value);
}

/**
 * Sends JSON whose last part is an array that is read page by page: `before` and `after` are the text around its items.
 */
export function sendList(
  reply: FastifyReply,
  pages: AsyncIterable<readonly object[]>,
  { before, after }: { before: string; after: string } = { before: '[', after: ']' },
): FastifyReply {
  return sendInChunks(reply, POWERDNS_JSON_TYPE, listText(pages, before, after));
}

async function* listText(pages: AsyncIterable<readonly object[]>, before: string, after: string) {
  let start = before;
  for await (const page of pages) {
    if (page.length === 0) continue;
    // The page without its brackets.
    yield start + JSON.stringify(page).slice(1, -1);
    start = ',';
  }
  yield (start === ',' ? '' : start) + after;
}
