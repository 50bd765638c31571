// Streams large answers: the next page is read from the database after the client has read the one before. Such an
// answer holds a database connection, so the connection of a client that reads nothing, or too slowly, is closed. The
// client notices the truncation, because the answer has no length and the last chunk is missing.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The longest time, in ms, in which a client may read nothing. */
const IDLE_MS = 10_000;
/** After this time, in ms, a client must have read at least this many octets a second on average. */
const GRACE_MS = 10_000;
const LEAST_RATE = 64 * 1024;

/**
 * @param chunks read one after the other. An error before the first chunk is answered like any other; a later error
 * closes the connection
 */
export function sendInChunks(reply: FastifyReply, type: string, chunks: AsyncIterable<string>): FastifyReply {
  const isHead = reply.request.method === 'HEAD';
  const source = isHead ? [] : paceChunks(reply, chunks);
  return reply.type(type).send(Readable.from(source, { objectMode: false }));
}

async function* paceChunks({ raw }: FastifyReply, chunks: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let startedAt: number | null = null;
  let octets = 0;
  for await (const text of chunks) {
    // The wait for a permit before the first chunk is not the client's.
    startedAt ??= performance.now();
    const chunk = Buffer.from(text);
    const idle = setTimeout(() => raw.destroy(), IDLE_MS);
    try {
      yield chunk;
    } finally {
      clearTimeout(idle);
    }
    octets += chunk.length;
    const elapsed = performance.now() - startedAt;
    if (elapsed > GRACE_MS && octets / (elapsed / 1_000) < LEAST_RATE) {
      raw.destroy();
      return;
    }
  }
}

/**
 * Streams `{"<name>": […]}` page by page. The items must have the shape of the contract: they are neither validated nor
 * filtered.
 */
export async function* streamJsonList(name: string, pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  let separator = `{${JSON.stringify(name)}:[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    // The page without its brackets.
    yield separator + JSON.stringify(page).slice(1, -1);
    separator = ',';
  }
  yield separator === ',' ? ']}' : `${separator}]}`;
}
