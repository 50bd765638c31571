// CleanUp: deletes the records of this value, and no others. A record that does not exist counts as deleted, because an
// error would keep the Challenge's finalizer, and with it a namespace, forever.
import { isConflict, isNotFound, KubeError } from '#kube/api/errors.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import type { SolverContext } from './context.ts';
import { CHALLENGE_HASH_LABEL, MANAGED_BY_LABEL, SOLVER_MANAGER } from './names.ts';
import type { ChallengeRequest, SolverOutcome } from './payload.ts';
import { challengeLabel } from './record.ts';

export async function cleanUp(
  context: SolverContext,
  request: ChallengeRequest,
  signal: AbortSignal,
): Promise<SolverOutcome> {
  const labelSelector = `${MANAGED_BY_LABEL}=${SOLVER_MANAGER},${CHALLENGE_HASH_LABEL}=${challengeLabel(request)}`;
  try {
    const { items } = await context.api.list<DNSRecord>(DNS_RECORD, { labelSelector }, signal);
    for (const { metadata, spec } of items) {
      if (spec.content === request.key) await remove(context, metadata, signal);
    }
    return { success: true };
  } catch (error) {
    // The kind does not exist any more: Zonestead was removed, and its records with it.
    if (isNotFound(error)) return { success: true };
    context.log.warn({ err: error, dnsName: request.dnsName }, 'a challenge could not be cleaned up');
    const reason = error instanceof KubeError ? error.reason : 'no answer in time';
    return { success: false, message: `The DNSRecords of ${request.dnsName} cannot be removed: ${reason}` };
  }
}

async function remove({ api }: SolverContext, metadata: DNSRecord['metadata'], signal: AbortSignal): Promise<void> {
  try {
    await api.delete(DNS_RECORD, metadata, { uid: metadata.uid }, signal);
  } catch (error) {
    // The object has another uid, so the listed one was deleted. Continue with the rest of the list.
    if (!isConflict(error)) throw error;
  }
}
