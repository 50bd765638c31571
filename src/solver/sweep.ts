// Removes challenge records that CleanUp will not remove: their Challenge is gone (a person removed its finalizer), or
// they have expired and no Challenge is known. The garbage collector also removes the former, if the cluster has a
// working one.

import { sleep } from '#base/wait.ts';
import { isConflict, isNotFound } from '#kube/api/errors.ts';
import { splitKey } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { CHALLENGE } from './challenge.ts';
import type { SolverContext } from './context.ts';
import { CHALLENGE_ANNOTATION, CHALLENGE_UID_ANNOTATION, EXPIRES_ANNOTATION } from './names.ts';
import { isOurs } from './record.ts';

/**
 * `expired`: past its time, and no Challenge waits. `orphan`: the cache has no Challenge, so ask the API server. Pure.
 */
export function sweepVerdict(
  record: DNSRecord,
  now: Date,
  challengeUid: (key: string) => string | undefined,
): 'keep' | 'expired' | 'orphan' {
  const { annotations = {}, deletionTimestamp, creationTimestamp } = record.metadata;
  if (!isOurs(record) || deletionTimestamp !== undefined) return 'keep';
  const key = annotations[CHALLENGE_ANNOTATION];
  // The record stays while its Challenge waits, even for days: cert-manager presents a value once and then only checks
  // it.
  if (key !== undefined && challengeUid(key) === annotations[CHALLENGE_UID_ANNOTATION]) return 'keep';
  const expires = Date.parse(annotations[EXPIRES_ANNOTATION] ?? '');
  if (Number.isFinite(expires) && expires <= now.getTime()) return 'expired';
  const isYoung = now.getTime() - Date.parse(creationTimestamp ?? '') < YOUNG_MS;
  return key === undefined || isYoung ? 'keep' : 'orphan';
}

const YOUNG_MS = 60_000;
const EVERY_MS = 60_000;

/**
 * Sweeps every minute until the signal aborts. Several replicas may sweep at once, because a deletion names the uid.
 */
export async function runSweep(context: SolverContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(context.clock, EVERY_MS, signal).catch(() => undefined);
    if (!signal.aborted) await sweepOnce(context, signal);
  }
}

/** One round; the next one retries failures. */
async function sweepOnce(context: SolverContext, signal: AbortSignal): Promise<void> {
  const { records, challenges } = context.caches;
  if (!records.hasSynced()) return;
  for (const record of records.list()) {
    const verdict = sweepVerdict(record, context.now(), (key) => challenges.get(key)?.metadata.uid);
    try {
      if (verdict === 'keep') continue;
      // Before the first list of Challenges, every Challenge seems to be gone.
      const isLinked = record.metadata.annotations?.[CHALLENGE_ANNOTATION] !== undefined;
      if (verdict === 'expired' && isLinked && !challenges.hasSynced()) continue;
      if (verdict === 'orphan' && !(await isGone(context, record, signal))) continue;
      const { metadata } = record;
      await context.api.delete(DNS_RECORD, metadata, { uid: metadata.uid }, signal);
      context.log.info(
        { record: `${metadata.namespace}/${metadata.name}`, verdict },
        'removed a leftover challenge record',
      );
    } catch (error) {
      if (!signal.aborted && !isConflict(error))
        context.log.warn({ err: error }, 'the sweep failed to remove a record');
    }
  }
}

/** The cache may be stale or empty: only the server's own "not found", or another uid, is proof. */
async function isGone(context: SolverContext, { metadata }: DNSRecord, signal: AbortSignal): Promise<boolean> {
  try {
    const key = metadata.annotations?.[CHALLENGE_ANNOTATION] ?? '';
    const challenge = await context.api.get(CHALLENGE, splitKey(key), signal);
    return challenge.metadata.uid !== metadata.annotations?.[CHALLENGE_UID_ANNOTATION];
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
