// cert-manager's side of the webhook protocol, with the rights of its account and through kube-apiserver: for questions
// at a pace that cert-manager itself does not have.
import type { KubeApi } from '#kube/api/api.ts';
import { connectCluster } from '#kube/api/cluster.ts';
import type { ResourceType } from '#kube/objects/resource.ts';
import { PAYLOAD_KIND, SOLVER_GROUP, SOLVER_NAME, SOLVER_VERSION } from '#solver/names.ts';

const PAYLOAD: ResourceType = {
  group: SOLVER_GROUP,
  version: SOLVER_VERSION,
  plural: SOLVER_NAME,
  kind: PAYLOAD_KIND,
  namespaced: false,
};

export interface ChallengeClient {
  /** The class of an Issuer in namespace `default`. @throws with the message of the solver or of kube-apiserver */
  send(action: 'Present' | 'CleanUp', dnsName: string, key: string): Promise<void>;
  close(): Promise<void>;
}

export async function connectChallenges(kubeconfig: string, maxConnections: number): Promise<ChallengeClient> {
  const cluster = await connectCluster({ kubeconfig, maxConnections });
  return {
    send: (action, dnsName, key) => send(cluster.api, action, dnsName, key),
    close: () => cluster.close(),
  };
}

async function send(api: KubeApi, action: string, dnsName: string, key: string): Promise<void> {
  const resolvedFQDN = `_acme-challenge.${dnsName}.`;
  const from = { resourceNamespace: 'default', allowAmbientCredentials: false };
  const request = { uid: '', action, type: 'dns-01', dnsName, key, resolvedFQDN, ...from };
  const { response } = (await api.create(PAYLOAD, { metadata: {}, request })) as unknown as {
    response: { success: boolean; status?: { message: string } };
  };
  if (!response.success) throw new Error(response.status?.message ?? 'it does not say why');
}
