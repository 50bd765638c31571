// The discovery documents. They are constants, so that the solver can serve them while everything else is down: an
// unavailable APIService blocks the deletion of every namespace of the cluster (kubernetes/kubernetes#119662).
import { createHash } from 'node:crypto';
import { PAYLOAD_GROUP, PAYLOAD_KIND, SOLVER_GROUP, SOLVER_NAME, SOLVER_VERSION } from './names.ts';
import { type HttpAnswer, json } from './status.ts';

const GROUP_VERSION = `${SOLVER_GROUP}/${SOLVER_VERSION}`;
const RESPONSE_KIND = { group: PAYLOAD_GROUP, version: SOLVER_VERSION, kind: PAYLOAD_KIND };
/** cert-manager's own library also uses the kind as the singular name. */
const SINGULAR = PAYLOAD_KIND;
/**
 * Create alone: the garbage collector and the namespace controller skip a resource that can be neither listed nor
 * deleted.
 */
const VERBS = ['create'];

const version = { groupVersion: GROUP_VERSION, version: SOLVER_VERSION };

export const API_RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: GROUP_VERSION,
  resources: [{ name: SOLVER_NAME, singularName: SINGULAR, namespaced: false, ...RESPONSE_KIND, verbs: VERBS }],
};

const groupBody = { name: SOLVER_GROUP, versions: [version], preferredVersion: version };
export const API_GROUP = { kind: 'APIGroup', apiVersion: 'v1', ...groupBody };
const API_GROUPS = { kind: 'APIGroupList', apiVersion: 'v1', groups: [groupBody] };

function aggregated(apiVersion: string) {
  const resource = {
    resource: SOLVER_NAME,
    responseKind: RESPONSE_KIND,
    scope: 'Cluster',
    singularResource: SINGULAR,
    verbs: VERBS,
  };
  const versions = [{ version: SOLVER_VERSION, resources: [resource], freshness: 'Current' }];
  const items = [{ metadata: { name: SOLVER_GROUP }, versions }];
  return { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${apiVersion}`, metadata: {}, items };
}

const DOCUMENTS = { v2: aggregated('v2'), v2beta1: aggregated('v2beta1') };

/**
 * GET /apis: the first version of aggregated discovery that the Accept header lists and the solver knows, otherwise
 * APIGroupList.
 */
export function discoverGroups(accept: string | undefined, ifNoneMatch: string | undefined): HttpAnswer {
  const discoveryVersion = aggregatedVersion(accept);
  if (discoveryVersion === undefined) return json(200, API_GROUPS, { vary: 'Accept' });
  const type = `application/json;g=apidiscovery.k8s.io;v=${discoveryVersion};as=APIGroupDiscoveryList`;
  const answer = json(200, DOCUMENTS[discoveryVersion], { 'content-type': type, vary: 'Accept' });
  const etag = `"${createHash('sha256').update(answer.body).digest('hex').toUpperCase()}"`;
  const headers = { ...answer.headers, etag };
  if (ifNoneMatch === etag) return { status: 304, headers: { etag, vary: 'Accept' }, body: '' };
  return { ...answer, headers };
}

function aggregatedVersion(accept: string | undefined): keyof typeof DOCUMENTS | undefined {
  for (const part of (accept ?? '').split(',')) {
    const [type, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (type !== 'application/json') continue;
    const parameterByName = new Map(parameters.map((text) => text.split('=') as [string, string]));
    if (parameterByName.get('g') !== 'apidiscovery.k8s.io' || parameterByName.get('as') !== 'apigroupdiscoverylist')
      continue;
    const discoveryVersion = parameterByName.get('v');
    if (discoveryVersion === 'v2' || discoveryVersion === 'v2beta1') return discoveryVersion;
  }
  return undefined;
}
