// A long list as the text of its JSON, made while it is read: neither all items nor a second copy of the text are ever in
// memory. Reading does not wait for the client, so that a slow one holds some bytes, but no database connection.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export interface JsonList {
  /** Items in the shape of the contract: nothing is checked or left out here. */
  add(items: readonly object[]): void;
  /** `{"<name>": […]}`. */
  answer(reply: FastifyReply): FastifyReply;
}

export function createJsonList(name: string): JsonList {
  const parts: Buffer[] = [];
  let separator = `{${JSON.stringify(name)}:[`;
  return {
    add(items) {
      if (items.length === 0) return;
      // Without the brackets around it.
      parts.push(Buffer.from(separator + JSON.stringify(items).slice(1, -1)));
      separator = ',';
    },
    answer(reply) {
      parts.push(Buffer.from(parts.length === 0 ? `${separator}]}` : ']}'));
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      return reply
        .type('application/json; charset=utf-8')
        .header('content-length', length)
        .send(Readable.from(parts, { objectMode: false }));
    },
  };
}
