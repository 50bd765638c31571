// cert-manager's Challenge, reduced to the fields that tell which tenant a request belongs to: the payload names
// neither the Challenge nor, for a ClusterIssuer, the tenant. Pure.
import type { KubeObject, OwnerReference, ResourceType } from '#kube/objects/resource.ts';
import { challengeName } from './challenge-name.ts';
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
  /** The Challenge, if one was found. It owns the record, so that both are deleted together. */
  readonly challenge?: Challenge;
}

export type TenantVerdict = { readonly tenant: Tenant } | { readonly refused: string };

/**
 * Only Orders create Challenges. One made by hand would carry an Issuer's rights without a grant (GHSA-8rvj-mm4h-c258).
 */
function belongsToOrder({ metadata }: Challenge): boolean {
  return (metadata.ownerReferences ?? []).some(isOrder);
}

function isOrder({ apiVersion, kind, controller }: OwnerReference): boolean {
  return apiVersion.startsWith(`${CHALLENGE.group}/`) && kind === 'Order' && controller === true;
}

/** The Challenges that may be the cause of a request. Keys are unique per ACME account and token. */
export function matching(candidates: readonly Challenge[], request: ChallengeRequest): Challenge[] {
  return candidates.filter(
    (challenge) =>
      challenge.spec.key === request.key &&
      challengeName(challenge.spec.dnsName) === request.dnsName &&
      belongsToOrder(challenge) &&
      // An Issuer and its Challenges are in one namespace, so a Challenge of another namespace is not its own.
      (request.allowAmbientCredentials || challenge.metadata.namespace === request.resourceNamespace),
  );
}

/**
 * The tenant of a request is the namespace of its Challenge.
 *
 * Without a Challenge it is resourceNamespace if that is the tenant's own, as for an Issuer: the Challenge may not be
 * visible yet, or the client is not cert-manager. For a ClusterIssuer resourceNamespace is cert-manager's, which may
 * have rights that the tenant does not have, so the request is refused. It is also refused if a Challenge has the key
 * and does not match.
 * @param candidates the Challenges with the key
 */
export function pickTenant(candidates: readonly Challenge[], request: ChallengeRequest): TenantVerdict {
  const [challenge, ...others] = matching(candidates, request);
  if (challenge === undefined) {
    const [other] = candidates;
    if (other !== undefined) return { refused: whyNotThis(other, request) };
    if (!request.allowAmbientCredentials) return { tenant: { namespace: request.resourceNamespace } };
    return {
      refused: `No Challenge of this cluster has this key and the name ${request.dnsName}, so the tenant is not known; the solver needs cert-manager's Challenges in its own cluster and the right to read them`,
    };
  }
  const namespace = challenge.metadata.namespace ?? '';
  if (others.some((other) => other.metadata.namespace !== namespace)) {
    return { refused: 'Challenges of several namespaces have this key; the tenant cannot be told' };
  }
  if (challenge.spec.issuerRef?.kind !== 'ClusterIssuer' && namespace !== request.resourceNamespace) {
    return { refused: `The Challenge in namespace ${namespace} names an Issuer of another namespace` };
  }
  return { tenant: { namespace, challenge } };
}

function whyNotThis(challenge: Challenge, request: ChallengeRequest): string {
  const { namespace, name } = challenge.metadata;
  const title = `Challenge ${namespace}/${name}`;
  if (challengeName(challenge.spec.dnsName) !== request.dnsName) {
    return `${title} has this key and is about ${challenge.spec.dnsName}, not ${request.dnsName}`;
  }
  if (!belongsToOrder(challenge))
    return `${title} has this key and is not controlled by an Order; only Orders make Challenges`;
  return `${title} has this key and is not in namespace ${request.resourceNamespace}, where the Issuer is`;
}
