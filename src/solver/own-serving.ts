// Keeps the solver's own certificate in a Secret that all replicas share, and writes its authority into the APIService. All
// replicas are equal: each checks the Secret, the first one that finds something to renew writes it, and the others plan again
// with the result.
//
//   Secret → caBundle of the APIService → served: no replica serves a certificate that kube-apiserver does not trust yet
import type { KubeApi } from '#kube/api/api.ts';
import type { KubeObject, ObjectName, ResourceType } from '#kube/objects/resource.ts';
import { changeSecret, type SecretTexts } from '#kube/objects/secrets.ts';
import { SOLVER_GROUP, SOLVER_MANAGER, SOLVER_VERSION } from './names.ts';
import { type OwnCertificate, renewed } from './own-certificate.ts';
import type { ServingCertificate } from './serving-certificate.ts';

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
}

/** The names of a Service inside a cluster. */
export function serviceHosts(service: string, namespace: string): string[] {
  return [`${service}.${namespace}.svc`, `${service}.${namespace}`, service];
}

/**
 * The certificate to serve with; makes or renews it if necessary.
 * @throws KubeError when the Secret or the APIService cannot be written
 */
export async function ownCertificate(
  { api, at, hosts, now }: OwnServing,
  signal: AbortSignal,
): Promise<ServingCertificate> {
  const texts = await changeSecret(
    api,
    at,
    async (found) => {
      const kept = found && fromTexts(found.texts);
      const next = await renewed(kept, hosts, now());
      return next === kept ? null : { texts: textsOf(next), type: 'kubernetes.io/tls' };
    },
    signal,
  );
  const { authorities, certificate, key } = fromTexts(texts);
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

function fromTexts(texts: SecretTexts): OwnCertificate {
  return {
    authorities: texts['ca.crt'] ?? '',
    authorityKey: texts['ca.key'] ?? '',
    certificate: texts['tls.crt'] ?? '',
    key: texts['tls.key'] ?? '',
  };
}

function textsOf({ authorities, authorityKey, certificate, key }: OwnCertificate): SecretTexts {
  return { 'ca.crt': authorities, 'ca.key': authorityKey, 'tls.crt': certificate, 'tls.key': key };
}
