// The OpenAPI 3.1 document, made from the zod schemas of the routes, and the page that shows it. What holds for every
// operation (security, headers, refusals of the HTTP layer) is added here once; it must not know any single route.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import packageJson from '../../package.json' with { type: 'json' };

export const DOCUMENT_PATH = '/v1/dns/openapi.json';
export const PAGE_PATH = '/docs';

const DESCRIPTION = `DNS zones and records; a change is answered by the name servers when its answer arrives.

Every error is \`{"error": code, "message": text}\`. Codes are stable. 429 (\`rate_limited\`) and 503 (\`busy\`) carry
Retry-After in whole seconds; the identical request may be sent again then. A POST with an Idempotency-Key is done once,
however often it is sent within 24 hours.`;

/** Collects the routes that are registered after it. */
export function describeApi(app: FastifyInstance): void {
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Zonestead', version: packageJson.version, description: DESCRIPTION },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer', description: 'An API key: yk_…' },
          basic: { type: 'http', scheme: 'basic', description: 'The password is an API key: yk_…' },
          acmeDns: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: "With X-Api-User: an account's." },
        },
      },
      security: [{ key: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: (made) => complete(jsonSchemaTransformObject(made) as OpenApi.Document),
  });
}

/** Serves the document and the page, both without a key: they tell nothing that the project's sources do not. */
export function serveDescription(app: FastifyInstance): void {
  let document: string | undefined;
  app.get(DOCUMENT_PATH, { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(document);
  });
  // Its assets are its own files: nothing is loaded from elsewhere.
  void app.register(swaggerUi, {
    routePrefix: PAGE_PATH,
    uiConfig: { docExpansion: 'list', deepLinking: true, validatorUrl: null },
    staticCSP: PAGE_POLICY,
    // The bar at the top is the page's own: a foreign mark, and a field for other documents.
    theme: { title: 'Zonestead API', css: [{ filename: 'zonestead.css', content: '.topbar { display: none; }' }] },
  });
}

/** Nothing from elsewhere, also not by mistake; and no upgrade to HTTPS, which a service behind plain HTTP could not give. */
const PAGE_POLICY =
  "default-src 'self'; base-uri 'self'; object-src 'none'; frame-ancestors 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'";

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** What a status means, for those who read the document. */
const MEANINGS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  204: 'Done; there is no body.',
  400: '`bad_request`: the message says which field, what was found and what would be accepted.',
  401: '`unauthorized`: the API key is missing or not valid.',
  403: '`forbidden`: the key lacks the permission.',
  404: '`no_zone` or `not_found`: it does not exist, or the key may not see it.',
  408: '`bad_request`: the request did not arrive in time.',
  409: '`conflict`: a duplicate, or a change that a rule of the DNS forbids beside what is there.',
  413: '`bad_request`: the body is larger than is read.',
  414: '`bad_request`: a part of the path is longer than any id.',
  415: '`bad_request`: the body has another content type than the operation takes.',
  431: '`bad_request`: address and headers together are larger than is read.',
  429: '`rate_limited`: too many writes within 60 seconds; try again after Retry-After.',
  500: '`internal`: nothing can be mended on your side.',
  502: '`dns_server`: the name server could not be reached.',
  503: '`busy`: the zone is busy with another change and nothing was written; try again after Retry-After.',
};

const RETRY_AFTER: OpenApi.HeaderObject = {
  description: 'Whole seconds after which the identical request has a chance.',
  required: true,
  schema: { type: 'integer', minimum: 1 },
};
const REQUEST_ID: OpenApi.HeaderObject = {
  description: 'Names the request in the history and in logs: the one that was sent, or a new one.',
  required: true,
  schema: { type: 'string' },
};
const AUTHENTICATE: OpenApi.HeaderObject = {
  description: 'Bearer, or Basic where that is taken.',
  schema: { type: 'string' },
};

const IDEMPOTENCY_KEY: OpenApi.ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'One text per intended change: repeating the request answers the same and changes nothing more.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

const MANAGED_BY: OpenApi.ParameterObject = {
  name: 'Zonestead-Managed-By',
  in: 'header',
  required: false,
  description:
    'The object elsewhere that what is written belongs to, as its kind and its name there. It is kept beside it, so that the console can say so and warn before a foreign edit. No right follows from it.',
  schema: { type: 'string', maxLength: 384 },
  example: 'DNSRecord default/www',
};
const MANAGEABLE: ReadonlySet<string> = new Set([
  'post /v1/dns/zones',
  'post /v1/dns/zones/{id}/records',
  'put /v1/dns/zones/{id}/records/{recordId}',
]);

/** Adds to each operation what the HTTP layer does for all of them. Changes the document that it is given. */
export function complete(document: OpenApi.Document): OpenApi.Document {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item?.[method];
      if (operation) completeOperation(operation, method, path);
    }
  }
  dropUnused(document);
  return document;
}

/** Every registered schema comes twice, as input and as output; only what is referred to stays. */
function dropUnused(document: OpenApi.Document): void {
  const schemas = document.components?.schemas ?? {};
  const used = new Set<string>();
  const collect = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name) || schemas[name] === undefined) continue;
      used.add(name);
      collect(schemas[name]);
    }
  };
  collect(document.paths);
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
}

function completeOperation(operation: OpenApi.OperationObject, method: string, path: string): void {
  operation.operationId ??= `${method}${path
    .replace(/^\/v1(\/dns)?/, '')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;
  if (method === 'post') operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
  if (MANAGEABLE.has(`${method} ${path}`)) operation.parameters = [...(operation.parameters ?? []), MANAGED_BY];
  operation.responses ??= {};
  const responses = operation.responses;
  // Any request can be malformed before a route looks at it; a body that nobody wants is read all the same.
  const implied = ['400', '408', '431', ...(method === 'get' ? [] : ['413', '415'])];
  if (path.includes('{')) implied.push('414');
  // An Idempotency-Key that was used for another request.
  if (method === 'post') implied.push('409');
  for (const status of implied) responses[status] ??= structuredClone(responses['500']) as OpenApi.ResponseObject;
  for (const [status, response] of Object.entries(responses)) {
    const answer = response as OpenApi.ResponseObject;
    answer.description = MEANINGS[status] ?? answer.description;
    // Errors are JSON, also where the answer itself is something else.
    const [error] = Number(status) < 400 ? [] : Object.values(answer.content ?? {});
    if (error) answer.content = { 'application/json': error };
    answer.headers = {
      ...answer.headers,
      'x-request-id': REQUEST_ID,
      ...(status === '429' || status === '503' ? { 'retry-after': RETRY_AFTER } : {}),
      ...(status === '401' ? { 'www-authenticate': AUTHENTICATE } : {}),
    };
  }
}
