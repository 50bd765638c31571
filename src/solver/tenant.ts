// Finds the Challenge of a request, and with it the tenant.
import { sleep } from '#base/wait.ts';
import { BY_KEY } from './caches.ts';
import { CHALLENGE, type Challenge, matching, pickTenant, type TenantVerdict } from './challenge.ts';
import type { SolverContext } from './context.ts';
import type { ChallengeRequest } from './payload.ts';

/** cert-manager and the solver both read Challenges from a watch; the solver's watch may be a moment behind. */
const WAIT_MS = 1_000;
const POLL_EVERY_MS = 50;

/** Waits up to a second for the Challenge if the tenant depends on it. @throws the signal's reason */
export async function findTenant(
  context: SolverContext,
  request: ChallengeRequest,
  signal: AbortSignal,
): Promise<TenantVerdict> {
  const { challenges } = context.caches;
  const findCandidates = () => challenges.byIndex(BY_KEY, request.key);
  let candidates = findCandidates();
  const end = context.clock.now() + WAIT_MS;
  // The namespace of an Issuer's request is known without a Challenge.
  const isOpen = () => request.allowAmbientCredentials && matching(candidates, request).length === 0;
  while (isOpen() && context.clock.now() < end) {
    if (!challenges.hasSynced()) {
      const all = await listChallenges(context, signal);
      candidates = all.filter(({ spec }) => spec.key === request.key);
      break;
    }
    await sleep(context.clock, POLL_EVERY_MS, signal);
    candidates = findCandidates();
  }
  return pickTenant(candidates, request);
}

/**
 * For the time before the first list is complete. Empty if the solver may not read Challenges or the kind does not
 * exist.
 */
async function listChallenges(context: SolverContext, signal: AbortSignal): Promise<Challenge[]> {
  try {
    return (await context.api.list<Challenge>(CHALLENGE, {}, signal)).items;
  } catch (error) {
    if (signal.aborted) throw error;
    context.log.warn({ err: error }, 'failed to list Challenges; requests of ClusterIssuers are refused');
    return [];
  }
}
