// Finds the Challenge that a request is about, and with it whose the request is.
import { sleep } from '../kube/clock.ts';
import { BY_KEY } from './caches.ts';
import { CHALLENGE, type Challenge, matching, type TenantVerdict, tenantOf } from './challenge.ts';
import type { House } from './house.ts';
import type { ChallengeRequest } from './payload.ts';

/** cert-manager reads its Challenges from a watch as we do; ours may be a moment behind. */
const LOOK_FOR_MS = 1_000;
const LOOK_EVERY_MS = 50;

/** Waits up to a second for the Challenge where the tenant depends on it. @throws the signal's reason */
export async function findTenant(house: House, request: ChallengeRequest, signal: AbortSignal): Promise<TenantVerdict> {
  const { challenges } = house.caches;
  const known = () => matching(challenges.byIndex(BY_KEY, request.key), request);
  let found = known();
  const end = house.clock.now() + LOOK_FOR_MS;
  // Of an Issuer's request the namespace is known without.
  while (found.length === 0 && request.allowAmbientCredentials && house.clock.now() < end) {
    if (!challenges.hasSynced()) {
      found = matching(await listChallenges(house, signal), request);
      break;
    }
    await sleep(house.clock, LOOK_EVERY_MS, signal);
    found = known();
  }
  return tenantOf(found, request);
}

/** Before the first list is in, as right after a start. None where they may not be read, or do not exist. */
async function listChallenges(house: House, signal: AbortSignal): Promise<Challenge[]> {
  try {
    return (await house.api.list<Challenge>(CHALLENGE, {}, signal)).items;
  } catch (error) {
    if (signal.aborted) throw error;
    house.log.warn({ err: error }, 'Challenges cannot be read: the tenant is taken from resourceNamespace');
    return [];
  }
}
