// Keeps the solver's own certificate in a Secret that all replicas share, and tells kube-apiserver its authority. No replica is
// special: each looks, whoever finds something to renew writes it, and the others plan again on what was written.
//
//   Secret → caBundle of the APIService → served: nobody serves what kube-apiserver does not believe yet
import type { KubeApi } from '../kube/api.ts';
import type { KubeObject, ObjectName, ResourceType } from '../kube/resource.ts';
import { changeSecret, type SecretTexts } from '../kube/secrets.ts';
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

export interface OwnServing {
  readonly api: KubeApi;
  /** The Secret. */
  readonly at: ObjectName;
  /** Names of the Service, the one that kube-apiserver checks (`<service>.<namespace>.svc`) first. */
  readonly hosts: readonly string[];
  readonly now: () => Date;
}

/** The names of a Service inside a cluster. */
export function serviceHosts(service: string, namespace: string): string[] {
  return [`${service}.${namespace}.svc`, `${service}.${namespace}`, service];
}

/**
 * What to serve with, made or renewed when it has to be.
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
