// How a body becomes JSON, under whatever content type it came. It must not know a route.
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../zones/refusal.ts';
import { utf8 } from './utf8.ts';

/** Reads bodies of this type as JSON; an empty one is none. */
export function takeJson(app: FastifyInstance, contentType: string): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser(contentType, { parseAs: 'buffer' }, (request, body, done) => {
    const text = utf8(body as Buffer);
    if (text === null) done(new Refusal('bad_request', 'The body is not in UTF-8, as JSON has to be.'));
    else if (text === '') done(null, undefined);
    else void parseJson(request, text, done);
  });
}
