// Checks whether a user may create ChallengePayloads. A user with this right can get a certificate for every name in
// our zones. The solver therefore asks the API server itself, although the API server has checked the request before.

import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import type { KubeApi } from '#kube/api/api.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import type { User } from './front-proxy.ts';
import { SOLVER_GROUP, SOLVER_NAME, SOLVER_VERSION } from './names.ts';

export const SUBJECT_ACCESS_REVIEW: ResourceType = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
};

interface Review extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly allowed?: boolean };
}

/** The right that a POST to the solver needs in RBAC. */
export const NEEDED_ACCESS = {
  group: SOLVER_GROUP,
  version: SOLVER_VERSION,
  resource: SOLVER_NAME,
  verb: 'create',
};

/** Go's own defaults for aggregated API servers (k8s.io/apiserver pkg/server/options). */
const KEPT_MS = 10_000;
const LIMIT_MS = 10_000;
const MAX_KEPT = 1_000;
const SUPERUSERS = 'system:masters';

export type MayCreate = (user: User, signal: AbortSignal) => Promise<boolean>;

/**
 * Asks with SubjectAccessReviews and caches each answer for 10 s.
 * @throws KubeError when the API server does not answer
 */
export function createAccess(api: KubeApi, clock: Clock): MayCreate {
  const answerCache = new Map<string, { allowed: boolean; until: number }>();
  return async (user, signal) => {
    if (user.groups.includes(SUPERUSERS)) return true;
    const key = JSON.stringify(user);
    const before = answerCache.get(key);
    if (before !== undefined && before.until > clock.now()) return before.allowed;
    const limit = deadline(clock, LIMIT_MS, signal);
    try {
      const { username, groups, extra, uid } = user;
      const spec = { user: username, groups, extra, uid, resourceAttributes: NEEDED_ACCESS };
      const review = await api.create<Review>(SUBJECT_ACCESS_REVIEW, { metadata: {}, spec }, limit.signal);
      const isAllowed = review.status?.allowed === true;
      if (answerCache.size >= MAX_KEPT) answerCache.clear();
      answerCache.set(key, { allowed: isAllowed, until: clock.now() + KEPT_MS });
      return isAllowed;
    } finally {
      limit.clear();
    }
  };
}
