// The committed OpenAPI document and REST page are those of the code, and a person can act on each description.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { formatOpenApi, formatRest, OPENAPI_FILE, REST_FILE, readOpenApi } from '../../../docs/generate/openapi.ts';

const document = await readOpenApi();
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const operations = Object.values(document.paths ?? {}).flatMap((item) =>
  METHODS.flatMap((method) => (item?.[method] ? [item[method]] : [])),
);
const COMMAND = 'run: npm run generate';

test('the committed document is the document that the service answers', async () => {
  expect(await readFile(OPENAPI_FILE, 'utf8'), COMMAND).toBe(formatOpenApi(document));
});

test('the committed REST page is generated from the document', async () => {
  expect(await readFile(REST_FILE, 'utf8'), COMMAND).toBe(formatRest(document));
});

test('the document names its license and describes each tag', () => {
  expect(document.info.license?.identifier).toBe('Apache-2.0');
  const described = document.tags?.map(({ name }) => name);
  expect(new Set(operations.flatMap(({ tags = [] }) => tags))).toEqual(new Set(described));
});

test('each operation has a chosen name, a summary and a description', () => {
  expect(operations.length).toBeGreaterThan(30);
  for (const { operationId, summary, description } of operations) {
    expect(operationId, summary).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
    // A verb, not the method of HTTP.
    expect(operationId).not.toMatch(/^(post|put|patch)[A-Z]/);
    expect(summary, operationId).toMatch(/^[A-Z].*[^.]$/);
    expect(description, operationId).toMatch(SENTENCE);
  }
});

test('each schema, field, parameter, header and answer is described in sentences', () => {
  const found = [...described(document, '')];
  expect(found.length).toBeGreaterThan(200);
  expect(found.filter(({ description }) => !SENTENCE.test(description)).map(({ at }) => at)).toEqual([]);
});

const SENTENCE = /^[A-Z`].*\.$/s;

interface Described {
  at: string;
  description: string;
}

/** The descriptions below a part of the document, with an empty text where one is missing. */
function* described(part: unknown, at: string): Generator<Described> {
  if (typeof part !== 'object' || part === null) return;
  const fields = part as Record<string, unknown>;
  const owner = at.split('/').at(-2) ?? '';
  const must = ['schemas', 'properties', 'parameters', 'headers', 'responses', 'securitySchemes', 'tags'].includes(
    owner,
  );
  if (must && !('$ref' in fields) && !at.includes('/examples/'))
    yield { at, description: String(fields.description ?? '') };
  else if (typeof fields.description === 'string') yield { at, description: fields.description };
  for (const [name, value] of Object.entries(fields)) {
    if (name !== 'examples' && name !== 'example') yield* described(value, `${at}/${name}`);
  }
}
