// The OpenAPI documents that kube-apiserver requests every minute. A 404 for version 2 would fill its log with failures
// (kube-aggregator's downloader). They describe the one resource for `kubectl explain`.
import { PAYLOAD_GROUP, PAYLOAD_KIND, SOLVER_GROUP, SOLVER_NAME, SOLVER_PATH, SOLVER_VERSION } from './names.ts';

const text = (description: string) => ({ type: 'string', description });

const requestSchema = {
  type: 'object',
  description: 'The request of cert-manager.',
  properties: {
    uid: text('Echoed; cert-manager leaves it empty.'),
    action: text('Present or CleanUp.'),
    type: text('dns-01.'),
    dnsName: text('The name to be certified, without "*.".'),
    key: text('The value of the TXT record.'),
    resourceNamespace: text('Namespace of the Issuer, or the cluster resource namespace.'),
    resolvedFQDN: text('The name of the TXT record, after CNAMEs are followed.'),
    resolvedZone: text('The zone that a resolver found; the solver does not use it.'),
    allowAmbientCredentials: { type: 'boolean', description: 'False for an Issuer, true for a ClusterIssuer.' },
    config: {
      type: 'object',
      description: "The Issuer's webhook.config.",
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
};

const responseSchema = {
  type: 'object',
  description: 'The result.',
  properties: {
    uid: text('As in the request.'),
    success: { type: 'boolean', description: 'Whether the challenge was presented or cleaned up.' },
    status: {
      type: 'object',
      description: 'Why not.',
      properties: { message: text('A message for people. It stays the same while the situation does.') },
    },
  },
};

const payloadSchema = {
  type: 'object',
  description: 'One DNS-01 challenge of cert-manager.',
  properties: { apiVersion: text('Version.'), kind: text('Kind.'), request: requestSchema, response: responseSchema },
  'x-kubernetes-group-version-kind': [{ group: PAYLOAD_GROUP, version: SOLVER_VERSION, kind: PAYLOAD_KIND }],
};

const NAME = `dev.zonestead.acme.${SOLVER_VERSION}.${PAYLOAD_KIND}`;
const info = { title: 'Zonestead DNS-01 solver', version: SOLVER_VERSION };
const operation = {
  description: 'Present or clean up a challenge',
  operationId: 'createChallengePayload',
  tags: [SOLVER_GROUP],
  'x-kubernetes-action': 'post',
  'x-kubernetes-group-version-kind': { group: PAYLOAD_GROUP, version: SOLVER_VERSION, kind: PAYLOAD_KIND },
};
const PATH = `${SOLVER_PATH}/${SOLVER_NAME}`;

const ref2 = { $ref: `#/definitions/${NAME}` };
export const OPENAPI_V2 = {
  swagger: '2.0',
  info,
  paths: {
    [PATH]: {
      post: {
        ...operation,
        consumes: ['application/json'],
        produces: ['application/json'],
        parameters: [{ name: 'body', in: 'body', required: true, schema: ref2 }],
        responses: { 201: { description: 'Answered', schema: ref2 } },
      },
    },
  },
  definitions: { [NAME]: payloadSchema },
};

const content = { 'application/json': { schema: { $ref: `#/components/schemas/${NAME}` } } };
export const OPENAPI_V3_GROUP = {
  openapi: '3.0.0',
  info,
  paths: {
    [PATH]: {
      post: {
        ...operation,
        requestBody: { required: true, content },
        responses: { 201: { description: 'Answered', content } },
      },
    },
  },
  components: { schemas: { [NAME]: payloadSchema } },
};

export const OPENAPI_V3_PATH = `/openapi/v3${SOLVER_PATH}`;
/** No other path may be listed: kube-apiserver merges the keys into the cluster's own list without a filter. */
export const OPENAPI_V3_ROOT = {
  paths: { [SOLVER_PATH.slice(1)]: { serverRelativeURL: OPENAPI_V3_PATH } },
};
