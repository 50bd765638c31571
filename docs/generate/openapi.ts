// The OpenAPI document as it is committed, and the page that lists its operations. `npm run generate` writes both.
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { buildApp } from '#api/app.ts';
import { DOCUMENT_PATH } from '#doors/rest/openapi.ts';
import type { ServiceContext } from '#service/context.ts';
import { createLogger } from '#telemetry/log.ts';

export const OPENAPI_FILE = 'docs/reference/openapi.json';
export const REST_FILE = 'docs/reference/rest.md';

/** The document as the service answers it. Needs no database, because building the application opens nothing. */
export async function readOpenApi(): Promise<OpenApi.Document> {
  const app = buildApp({
    context: {} as ServiceContext,
    log: createLogger({ name: 'docs', level: 'silent' }),
    limits: true,
  });
  try {
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    return (await (await fetch(address + DOCUMENT_PATH)).json()) as OpenApi.Document;
  } finally {
    await app.close();
  }
}

/** Sorts the schemas by name, because their own order depends on the order in which modules are loaded. */
export function formatOpenApi(document: OpenApi.Document): string {
  const { schemas = {}, ...others } = document.components ?? {};
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)));
  return `${JSON.stringify({ ...document, components: { ...others, schemas: sorted } }, null, 2)}\n`;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const INTRODUCTION = `# REST API

This page lists the operations of the REST API. The complete contract, with every field, status and example, is the OpenAPI
document [openapi.json](openapi.json). The api serves it at \`/v1/dns/openapi.json\` and shows it as a page at \`/docs\`.
[REST in ten minutes](../tutorials/rest-in-ten-minutes.md) is a tutorial. [Record types](record-types.md), [Errors](errors.md),
[Limits](limits.md) and [Permissions](permissions.md) have pages of their own.

Generators make clients from the document, whose methods have the names of the operations. Tests use those that oapi-codegen (Go)
and @hey-api/openapi-ts (TypeScript) make.

This page and the document are generated from the code: \`npm run generate\`.
`;

/** The page: a table for each tag, with the permission that the key needs, the body and the answers. */
export function formatRest(document: OpenApi.Document): string {
  const always = sharedStatuses(document);
  const sections = (document.tags ?? []).map(({ name, description }) =>
    [`## ${name}`, description, [...HEAD, ...listRows(document, name, always)].join('\n')].join('\n\n'),
  );
  const [, ...paragraphs] = (document.info.description ?? '').split('\n\n');
  return `${[INTRODUCTION.trim(), ...paragraphs, buildAnswersTable(document, always), ...sections, buildHeadersTable(document), HTTP_RULES].join('\n\n')}\n`;
}

const HTTP_RULES = `## Answer headers

| header | meaning |
|---|---|
| \`x-request-id\` | The id of the request in the logs and in the history. Send 1 to 128 letters, digits or \`._:/-\` to choose it. |
| \`RateLimit\` | The number of writes that are left in the window. |
| \`Retry-After\` | The time in seconds after which the same request can succeed. Sent with 429 and 503. |
| \`Allow\` | The methods of the address. Sent with 405. |

A method that an address does not have is answered 405 with the code \`bad_request\`. An operation without a body refuses a
body with fields: \`DELETE /v1/dns/zones/{id}\` with \`{"name": "www"}\` is an error, because the client meant another
operation.`;

const HEAD = ['| operation | request | permission | body | answers |', '|---|---|---|---|---|'];

function listRows(document: OpenApi.Document, tag: string, always: ReadonlySet<string>): string[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item?.[method];
      return operation?.tags?.includes(tag) ? [buildRow(operation, method, path, always)] : [];
    }),
  );
}

function buildRow(
  operation: OpenApi.OperationObject,
  method: string,
  path: string,
  always: ReadonlySet<string>,
): string {
  const { operationId, summary = '', security = [], requestBody, responses = {} } = operation;
  const query = (operation.parameters ?? []).flatMap((each) =>
    'in' in each && each.in === 'query' ? [each.name] : [],
  );
  const permissions = [...new Set(security.flatMap((each) => Object.values(each).flat()))];
  const cells = [
    `\`${operationId}\`: ${summary}`,
    [`\`${method.toUpperCase()} ${path}\``, ...query.map((name) => `\`?${name}=\``)].join(' '),
    permissions.map((each) => `\`${each}\``).join(', '),
    bodyName(requestBody as OpenApi.RequestBodyObject | undefined),
    Object.keys(responses)
      .filter((status) => !always.has(status))
      .join(' '),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The meaning of each status. */
function buildAnswersTable(document: OpenApi.Document, always: ReadonlySet<string>): string {
  const rows = Object.entries(document.components?.responses ?? {})
    .map(([name, response]) => [name.replace('Error', ''), 'description' in response ? response.description : ''])
    .sort(([one = ''], [other = '']) => one.localeCompare(other))
    .map(([status, description]) => `| ${status} | ${description} |`);
  return [
    '## Errors',
    `Each operation can answer ${[...always].join(', ')}. The tables below list the other answers of each operation.`,
    ['| status | meaning |', '|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

/** The statuses that each operation can answer. */
function sharedStatuses(document: OpenApi.Document): Set<string> {
  const answers = Object.values(document.paths ?? {}).flatMap((item) =>
    METHODS.flatMap((method) => (item?.[method] ? [new Set(Object.keys(item[method].responses ?? {}))] : [])),
  );
  const [first = new Set<string>(), ...others] = answers;
  return others.reduce((shared, each) => shared.intersection(each), first);
}

function bodyName(body: OpenApi.RequestBodyObject | undefined): string {
  const [[type, content] = ['', undefined]] = Object.entries(body?.content ?? {});
  const schema = content?.schema;
  if (schema === undefined) return '';
  return `\`${'$ref' in schema ? schema.$ref.replace(/^.*\//, '') : type}\``;
}

/** The request headers that operations describe, each once. */
function buildHeadersTable(document: OpenApi.Document): string {
  const headers = new Map<string, string>();
  for (const item of Object.values(document.paths ?? {})) {
    for (const method of METHODS) {
      for (const each of item?.[method]?.parameters ?? []) {
        if ('in' in each && each.in === 'header') headers.set(each.name, each.description ?? '');
      }
    }
  }
  const rows = [...headers].map(([name, description]) => `| \`${name}\` | ${description} |`);
  return ['## Request headers', ['| header | meaning |', '|---|---|', ...rows].join('\n')].join('\n\n');
}
