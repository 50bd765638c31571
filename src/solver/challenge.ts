// cert-manager's Challenge, as far as it says whose a request is: the payload names neither the Challenge nor, for a
// ClusterIssuer, the tenant. Pure; how Challenges come here is for caches.ts.
import type { KubeObject, OwnerReference, ResourceType } from '../kube/resource.ts';
import type { ChallengeRequest } from './payload.ts';

export const CHALLENGE: ResourceType = {
  group: 'acme.cert-manager.io',
  version: 'v1',
  plural: 'challenges',
  kind: 'Challenge',
  namespaced: true,
};

export interface Challenge extends KubeObject {
  readonly spec: {
    readonly key: string;
    readonly dnsName: string;
    readonly issuerRef?: { readonly kind?: string; readonly name?: string };
  };
}

export interface Tenant {
  readonly namespace: string;
  /** Where one is known: its record is linked to it and goes with it. */
  readonly challenge?: Challenge;
}

export type TenantVerdict = { readonly tenant: Tenant } | { readonly refused: string };

/** Only Orders make Challenges; one by hand carries an Issuer's rights that nobody gave (GHSA-8rvj-mm4h-c258). */
export function belongsToOrder({ metadata }: Challenge): boolean {
  return (metadata.ownerReferences ?? []).some(isOrder);
}

function isOrder({ apiVersion, kind, controller }: OwnerReference): boolean {
  return apiVersion.startsWith(`${CHALLENGE.group}/`) && kind === 'Order' && controller === true;
}

/** The Challenges that a request may be about. Keys are unique per ACME account and token. */
export function matching(candidates: readonly Challenge[], request: ChallengeRequest): Challenge[] {
  return candidates.filter(
    (challenge) =>
      challenge.spec.key === request.key &&
      challenge.spec.dnsName.toLowerCase() === request.dnsName &&
      belongsToOrder(challenge) &&
      // For an Issuer the two namespaces are one; another one is somebody else's Challenge.
      (request.allowAmbientCredentials || challenge.metadata.namespace === request.resourceNamespace),
  );
}

/**
 * Whose the request is: the namespace of its Challenge, or resourceNamespace where there is none (an Issuer whose
 * Challenge is not to be seen, a client that is not cert-manager).
 */
export function tenantOf(challenges: readonly Challenge[], request: ChallengeRequest): TenantVerdict {
  const [challenge, ...others] = challenges;
  if (challenge === undefined) return { tenant: { namespace: request.resourceNamespace } };
  const namespace = challenge.metadata.namespace ?? '';
  if (others.some((other) => other.metadata.namespace !== namespace)) {
    return { refused: 'Challenges of several namespaces have this key; the tenant cannot be told' };
  }
  if (challenge.spec.issuerRef?.kind !== 'ClusterIssuer' && namespace !== request.resourceNamespace) {
    return { refused: `The Challenge in namespace ${namespace} names an Issuer of another namespace` };
  }
  return { tenant: { namespace, challenge } };
}
