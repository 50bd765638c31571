// Parses forms with a file (multipart/form-data, RFC 7578) into the same fields as other forms: a file becomes its
// text. The parser is the platform's own.
import { MIMEType } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refusal } from '#service/refusal.ts';

/** Enough for a file of 100,000 records of ordinary length and a pasted text. */
const LIMIT = 9 * 1024 * 1024;

/** More fields than the form has. The parser needs a third of a second for a body that consists of fields. */
const FIELDS = 16;

/** Applies to the routes of this scope. A file that is not UTF-8 text is refused. */
export function acceptUploads(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: LIMIT },
    async (request: FastifyRequest, body: Buffer) => {
      const type = request.headers['content-type'] ?? '';
      if (countFields(type, body) > FIELDS) throw refusal('form-fields', { limit: FIELDS });
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
        .formData()
        .catch(() => {
          throw refusal('form-malformed');
        });
      const fields: Record<string, string> = {};
      for (const [name, value] of form) fields[name] = typeof value === 'string' ? value : await decodeFile(value);
      return fields;
    },
  );
}

/**
 * Counts the delimiters at the beginning of a line (RFC 2046 section 5.1.1) up to the limit; the last one ends the
 * form. The boundary is read as the parser reads it, so that another parameter of the content type is not taken for it.
 */
function countFields(type: string, body: Buffer): number {
  const boundary = readBoundary(type);
  if (boundary === null) return 0;
  const delimiter = `\n--${boundary}`;
  let count = 0;
  for (let at = body.indexOf(delimiter); at >= 0 && count <= FIELDS; at = body.indexOf(delimiter, at + 1)) count += 1;
  return count;
}

function readBoundary(type: string): string | null {
  try {
    return new MIMEType(type).params.get('boundary');
  } catch {
    return null;
  }
}

async function decodeFile(file: Blob): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw refusal('form-file-not-utf8');
  }
}
