// Reads bodies as JSON, independent of their content type.
import type { FastifyInstance } from 'fastify';
import { exceedsJson, type JsonBounds } from '#base/json-bounds.ts';
import { refusal } from '#service/refusal.ts';
import { utf8 } from './utf8.ts';

/**
 * Reads bodies of this content type as JSON. An empty body counts as no body.
 * @param bounds (Default: those of src/base/json-bounds.ts.)
 */
export function takeJson(app: FastifyInstance, contentType: string, bounds?: JsonBounds): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser(contentType, { parseAs: 'buffer' }, (request, body, done) => {
    const problem = exceedsJson(body as Buffer, bounds);
    if (problem !== null) return done(refusal('body-too-complex', { problem }));
    const text = utf8(body as Buffer);
    if (text === null) done(refusal('body-not-utf8'));
    else if (text === '') done(null, undefined);
    else void parseJson(request, text, done);
  });
}
