// CleanUp: the records of this value go, and no others. What is not there, was never there or cannot be there any more is
// done: an error would hold the Challenge's finalizer, and with it a namespace, for ever.
import { isConflict, isNotFound, KubeError } from '../kube/errors.ts';
import { DNS_RECORD, type DNSRecord } from '../operator/resources/dnsrecord.ts';
import type { House } from './house.ts';
import { CHALLENGE_LABEL, MANAGED_BY, SOLVER_MANAGER } from './names.ts';
import type { ChallengeRequest, Outcome } from './payload.ts';
import { challengeLabel } from './record.ts';

export async function cleanUp(house: House, request: ChallengeRequest, signal: AbortSignal): Promise<Outcome> {
  const labelSelector = `${MANAGED_BY}=${SOLVER_MANAGER},${CHALLENGE_LABEL}=${challengeLabel(request)}`;
  try {
    const { items } = await house.api.list<DNSRecord>(DNS_RECORD, { labelSelector }, signal);
    for (const { metadata, spec } of items) {
      if (spec.content === request.key) await remove(house, metadata, signal);
    }
    return { success: true };
  } catch (error) {
    // No such kind any more: the product is gone, and its records with it.
    if (isNotFound(error)) return { success: true };
    house.log.warn({ err: error, dnsName: request.dnsName }, 'a challenge could not be cleaned up');
    const reason = error instanceof KubeError ? error.reason : 'no answer in time';
    return { success: false, message: `The DNSRecords of ${request.dnsName} cannot be removed: ${reason}` };
  }
}

async function remove({ api }: House, metadata: DNSRecord['metadata'], signal: AbortSignal): Promise<void> {
  try {
    await api.delete(DNS_RECORD, metadata, { uid: metadata.uid }, signal);
  } catch (error) {
    // Another uid: that one was deleted. What comes after it in the list must go all the same.
    if (!isConflict(error)) throw error;
  }
}
