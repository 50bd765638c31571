// Forms with a file in them (multipart/form-data, RFC 7578), as the fields of any other form: a file is its text. The
// parser is the platform's own.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../zones/refusal.ts';

/** A hundred thousand records of ordinary length, and a pasted text beside them. */
const LIMIT = 9 * 1024 * 1024;

/** For the routes of this scope. What is no text in UTF-8 is refused. */
export function acceptUploads(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: LIMIT },
    async (request: FastifyRequest, body: Buffer) => {
      const type = request.headers['content-type'] ?? '';
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
        .formData()
        .catch(() => {
          throw new Refusal('bad_request', 'The form is not well formed.');
        });
      const fields: Record<string, string> = {};
      for (const [name, value] of form) fields[name] = typeof value === 'string' ? value : await textOf(value);
      return fields;
    },
  );
}

async function textOf(file: Blob): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Refusal('bad_request', 'The file is no text in UTF-8.');
  }
}
