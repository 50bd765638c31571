// Writes the authority of the solver's own certificate into the APIService before the certificate is served. All
// replicas are equal: the first one that finds something to renew does it, and the others read the result.
//
//   Secret → caBundle of the APIService → served: no replica serves a certificate that kube-apiserver does not
//   trust yet

import type { ServingCertificate } from '#http/connections/serving-certificate.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { keepOwnCertificate } from '#kube/certificates/own-secret.ts';
import type { KubeObject, ObjectName, ResourceType } from '#kube/objects/resource.ts';
import { SOLVER_GROUP, SOLVER_MANAGER, SOLVER_VERSION } from './names.ts';

const API_SERVICE: ResourceType = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  plural: 'apiservices',
  kind: 'APIService',
  namespaced: false,
};

interface ApiService extends KubeObject {
  readonly spec?: { readonly caBundle?: string };
}

interface OwnServing {
  readonly api: KubeApi;
  /** Name of the Secret. */
  readonly at: ObjectName;
  /** Names of the Service; the first one is the name that kube-apiserver verifies (`<service>.<namespace>.svc`). */
  readonly hosts: readonly string[];
  readonly now: () => Date;
  /** As in keepOwnCertificate. */
  readonly clockDifference?: () => number | null;
}

/** Every replica reads the Secret once a minute, and kube-apiserver learns of a new authority within seconds. */
const ANNOUNCE_MS = 5 * 60_000;

/**
 * The certificate to serve with; makes or renews it if necessary.
 * @throws KubeError when the Secret or the APIService cannot be written; Error if the clock is off
 */
export async function ownCertificate(
  { api, at, hosts, now, clockDifference }: OwnServing,
  signal: AbortSignal,
): Promise<ServingCertificate> {
  const renewal = { hosts, now: now(), announceMs: ANNOUNCE_MS, clockDifference };
  const { authorities, certificate, key } = await keepOwnCertificate(api, at, renewal, signal);
  await believe(api, authorities, signal);
  return { certificate, key };
}

async function believe(api: KubeApi, authorities: string, signal: AbortSignal): Promise<void> {
  const name = { name: `${SOLVER_VERSION}.${SOLVER_GROUP}` };
  const caBundle = Buffer.from(authorities).toString('base64');
  const { spec } = await api.get<ApiService>(API_SERVICE, name, signal);
  if (spec?.caBundle === caBundle) return;
  await api.merge(API_SERVICE, name, { spec: { caBundle } }, { fieldManager: SOLVER_MANAGER }, signal);
}
