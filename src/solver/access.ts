// Whether a user may create ChallengePayloads: who may, can have a certificate for every name in our zones, so the API
// server is asked itself, although it asked before it let the request through. It must not know who the user is.
import type { KubeApi } from '../kube/api.ts';
import type { Clock } from '../kube/clock.ts';
import { deadline } from '../kube/clock.ts';
import type { KubeObject, ResourceType } from '../kube/resource.ts';
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

/** What a POST to the solver needs in RBAC. */
export const NEEDED_ACCESS = {
  group: SOLVER_GROUP,
  version: SOLVER_VERSION,
  resource: SOLVER_NAME,
  verb: 'create',
};

/** Go's own defaults for aggregated API servers (k8s.io/apiserver pkg/server/options). */
const KEPT_MS = 10_000;
const LIMIT_MS = 10_000;
const MOST_KEPT = 1_000;
const SUPERUSERS = 'system:masters';

export type MayCreate = (user: User, signal: AbortSignal) => Promise<boolean>;

/** Asks with SubjectAccessReviews and remembers each answer for 10 s. @throws KubeError when nobody answers */
export function createAccess(api: KubeApi, clock: Clock): MayCreate {
  const kept = new Map<string, { allowed: boolean; until: number }>();
  return async (user, signal) => {
    if (user.groups.includes(SUPERUSERS)) return true;
    const key = JSON.stringify(user);
    const before = kept.get(key);
    if (before !== undefined && before.until > clock.now()) return before.allowed;
    const limit = deadline(clock, LIMIT_MS, signal);
    try {
      const { username, groups, extra, uid } = user;
      const spec = { user: username, groups, extra, uid, resourceAttributes: NEEDED_ACCESS };
      const review = await api.create<Review>(SUBJECT_ACCESS_REVIEW, { metadata: {}, spec }, limit.signal);
      const allowed = review.status?.allowed === true;
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(key, { allowed, until: clock.now() + KEPT_MS });
      return allowed;
    } finally {
      limit.clear();
    }
  };
}
