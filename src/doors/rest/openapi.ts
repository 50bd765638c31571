// The OpenAPI 3.1 document, made from the zod schemas of the routes, and the page that shows it. This file adds the
// parts that all operations share: security, headers and the refusals of the HTTP layer.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import type { Operation } from '#contract/operation.ts';
import { createZone } from '#contract/operations/zones.ts';
import { MANAGED_BY } from '#contract/shared.ts';
import { describeStatus } from '#http/error-codes.ts';
import { TAGS_PATTERN } from '#http/hooks/conditions.ts';
import packageJson from '../../../package.json' with { type: 'json' };

export const DOCUMENT_PATH = '/v1/dns/openapi.json';
const PAGE_PATH = '/docs';

const DESCRIPTION = `Manage DNS zones and records. When a write is answered, the name servers answer with the change.

**Authentication.** Send an API key, or a token of an issuer that a team trusts, as \`Authorization: Bearer <key>\`. The
security requirement of an operation names the permission that the key needs: \`manageZones:write\`, \`records:read\`, \`records:write\`, \`clusters:write\`, \`signals\`, or for personal keys \`person\`
(any person), \`member\` or \`owner\` (of the team in the path). An operation without a permission accepts every valid key.

**Bodies.** Bodies are JSON in UTF-8, except zone files. Unknown fields are refused.

**Errors.** Every error body is \`{"error": code, "message": text}\`. The codes are stable. 429 (\`rate_limited\`) and
503 (\`busy\`) carry Retry-After in whole seconds: retry the identical request after that time.

**Repeated requests.** A POST with an Idempotency-Key is carried out once, even if it is sent several times within 24
hours.

**Conditional requests.** Send the ETag of the state that you read as If-Match with your change. If another client
changed it meanwhile, the answer is 412 (\`precondition_failed\`), has the present ETag, and nothing is written. A zone,
a record, and the records of a zone as a list or a zone file each have an ETag. A GET with If-None-Match is answered 304
without a body as long as nothing changed.`;

const TAGS = [
  { name: 'zones', description: 'Zones, their delegation data and their history.' },
  { name: 'records', description: 'The records of a zone: single changes, batches and zone files.' },
  {
    name: 'account',
    description: 'The holder of the key. With a personal key also teams, members, invitations and app keys.',
  },
  { name: 'checks', description: 'Health checks of addresses, which answers omit while they do not work.' },
  { name: 'clusters', description: 'The installations that write records, and which of them are served.' },
  {
    name: 'acme',
    description: "The HTTP protocols of lego's httpreq provider and of acme-dns, for ACME clients without Kubernetes.",
  },
  {
    name: 'name servers',
    description:
      'The feed that name servers of the service follow, and their reports. Only the key of a name server may use it, and it may use nothing else.',
  },
];

/** Collects the routes that are registered after this call. */
export function describeApi(app: FastifyInstance): void {
  const operations = new Map<string, Operation>();
  app.addHook('onRoute', ({ config }) => {
    if (config?.operation !== undefined) operations.set(config.operation.id, config.operation);
  });
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Zonestead',
        version: packageJson.version,
        description: DESCRIPTION,
        license: { name: 'Apache License 2.0', identifier: packageJson.license },
      },
      tags: TAGS,
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An API key: `yk_…` of a team, or `yu_…` of a person. A token of an issuer that a team trusts takes the place of `yk_…`.',
          },
          basic: {
            type: 'http',
            scheme: 'basic',
            description: 'The password is an API key. The user name is ignored unless the operation describes it.',
          },
          nodeKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'The key of a name server: `yn_…`.',
          },
          acmeDns: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Api-Key',
            description: 'The password of an account of acme-dns. Send its user name as `X-Api-User`.',
          },
        },
      },
      security: [{ key: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: (apiDocument) => complete(jsonSchemaTransformObject(apiDocument) as OpenApi.Document, operations),
  });
}

/** Serves the document and the page. Both need no key: they contain nothing that is not in the published sources. */
export function serveDescription(app: FastifyInstance): void {
  let document: string | undefined;
  app.get(DOCUMENT_PATH, { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(document);
  });
  // The page loads its assets from this service only.
  void app.register(swaggerUi, {
    routePrefix: PAGE_PATH,
    uiConfig: { docExpansion: 'list', deepLinking: true, validatorUrl: null },
    staticCSP: PAGE_POLICY,
    // Hides the bar of Swagger UI, which has its logo and a field to load other documents.
    theme: { title: 'Zonestead API', css: [{ filename: 'zonestead.css', content: '.topbar { display: none; }' }] },
  });
}

/**
 * Allows assets of this service only. It does not upgrade to HTTPS, because the service may be reached over plain HTTP.
 */
const PAGE_POLICY =
  "default-src 'self'; base-uri 'self'; object-src 'none'; frame-ancestors 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'";

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The description of each status of a success. */
const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'The request succeeded.',
  201: 'The object was created.',
  204: 'The request succeeded. The answer has no body.',
  304: 'The state has one of the ETags of If-None-Match. The answer has no body.',
};

const RETRY_AFTER: OpenApi.HeaderObject = {
  description: 'The time in whole seconds after which you can retry the identical request.',
  required: true,
  schema: { type: 'integer', minimum: 1 },
};
const REQUEST_ID: OpenApi.HeaderObject = {
  description: 'The id of the request in the history and in the logs: the id that you sent, or a new one.',
  required: true,
  schema: { type: 'string' },
};
const AUTHENTICATE: OpenApi.HeaderObject = {
  description: 'The authentication scheme that the operation accepts: `Bearer`, or `Basic` for ACME clients.',
  schema: { type: 'string' },
};

const IDEMPOTENCY_KEY: OpenApi.ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text that is unique for each intended change. If you repeat a request with the same text, the service answers the same again and makes no further change.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

const MANAGED_BY_HEADER: OpenApi.ParameterObject = {
  name: 'Zonestead-Managed-By',
  in: 'header',
  required: false,
  description:
    'Marks the zone as managed by an external object, given by its kind and its name. The console displays it and asks for confirmation before a manual edit. It grants no permissions.',
  schema: { type: 'string', maxLength: 404, pattern: MANAGED_BY.source },
  example: 'DNSZone default/site',
};

const ETAG: OpenApi.HeaderObject = {
  description: 'The ETag of the state that the answer shows, for If-Match and If-None-Match (RFC 9110 section 8.8.3).',
  schema: { type: 'string' },
};
const TAG_LIST = { type: 'string' as const, pattern: TAGS_PATTERN };
const IF_MATCH: OpenApi.ParameterObject = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'One or more ETags with commas between them, or `*`. If the present state has none of them, the answer is 412 and nothing is written. A weak tag (`W/"…"`) never matches.',
  schema: TAG_LIST,
};
const IF_NONE_MATCH: OpenApi.ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'One or more ETags with commas between them, or `*`. If the present state has one of them, the answer is 304.',
  schema: TAG_LIST,
};
/** It refuses an Idempotency-Key as the operations with a secret do, and belongs to a foreign protocol. */
const SECRET_ACCOUNT = 'registerAcmeDnsAccount';

/** Adds the parameters, headers and answers of the HTTP layer to each operation, and tidies the components. */
function complete(document: OpenApi.Document, operations: ReadonlyMap<string, Operation>): OpenApi.Document {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item?.[method];
      if (operation) completeOperation(operation, method, path, operations.get(operation.operationId ?? ''));
    }
  }
  dropUnused(document);
  return shareErrors(dropSuffixes(document));
}

/** Drops the schemas without a reference: the generator registers each schema twice, as input and as output. */
function dropUnused(document: OpenApi.Document): void {
  const schemas = document.components?.schemas ?? {};
  const usedNames = new Set<string>();
  const collect = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (usedNames.has(name) || schemas[name] === undefined) continue;
      usedNames.add(name);
      collect(schemas[name]);
    }
  };
  collect(document.paths);
  for (const name of Object.keys(schemas)) if (!usedNames.has(name)) delete schemas[name];
}

/** Renames `<name>Input` to `<name>`, the id in the contract, unless the document uses both. */
function dropSuffixes(document: OpenApi.Document): OpenApi.Document {
  const names = new Set(Object.keys(document.components?.schemas ?? {}));
  const text = JSON.stringify(document).replaceAll(
    /"(#\/components\/schemas\/)?(\w+)Input"/g,
    (whole, at = '', name) => (names.has(`${name}Input`) && !names.has(name) ? `"${at}${name}"` : whole),
  );
  return JSON.parse(text);
}

/** Moves the error answers to the components: the answers of one status are equal in all operations. */
function shareErrors(document: OpenApi.Document): OpenApi.Document {
  const shared: Record<string, OpenApi.ResponseObject> = {};
  for (const item of Object.values(document.paths ?? {})) {
    for (const method of METHODS) {
      const responses = item?.[method]?.responses ?? {};
      for (const status of Object.keys(responses).filter((each) => Number(each) >= 400)) {
        shared[`Error${status}`] = responses[status] as OpenApi.ResponseObject;
        responses[status] = { $ref: `#/components/responses/Error${status}` };
      }
    }
  }
  document.components = { ...document.components, responses: shared };
  return document;
}

/** @param of undefined for a route of a foreign protocol */
function completeOperation(
  operation: OpenApi.OperationObject,
  method: string,
  path: string,
  of: Operation | undefined,
): void {
  const { operationId } = operation;
  const isSecret = of?.secret ?? operationId === SECRET_ACCOUNT;
  // A report of a name server changes nothing when it is repeated.
  if (method === 'post' && of?.needs !== 'node' && !isSecret)
    operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
  if (operationId === createZone.id) operation.parameters = [...(operation.parameters ?? []), MANAGED_BY_HEADER];
  operation.responses ??= {};
  const responses = operation.responses;
  const conditions = [...(responses['412'] ? [IF_MATCH] : []), ...(responses['304'] ? [IF_NONE_MATCH] : [])];
  if (conditions.length > 0) operation.parameters = [...(operation.parameters ?? []), ...conditions];
  // Any request can be malformed before it reaches a route, and every body is read, even if the route takes none.
  const implied = ['400', '408', '431', ...(method === 'get' ? [] : ['413', '415'])];
  if (path.includes('{')) implied.push('414');
  // The answer if the Idempotency-Key was used for another request.
  if (method === 'post') implied.push('409');
  for (const status of implied) responses[status] ??= structuredClone(responses['500']) as OpenApi.ResponseObject;
  for (const [status, response] of Object.entries(responses)) {
    const answer = response as OpenApi.ResponseObject;
    answer.description = describeStatus(Number(status)) ?? SUCCESSES[status] ?? answer.description;
    // Errors are JSON, even for an operation that answers with another content type.
    const [error] = Number(status) < 400 ? [] : Object.values(answer.content ?? {});
    if (error) answer.content = { 'application/json': error };
    answer.headers = {
      ...answer.headers,
      'x-request-id': REQUEST_ID,
      ...((of?.tagged && Number(status) < 400) || status === '412' ? { etag: ETAG } : {}),
      ...(status === '429' || status === '503' ? { 'retry-after': RETRY_AFTER } : {}),
      ...(status === '401' ? { 'www-authenticate': AUTHENTICATE } : {}),
    };
  }
}
