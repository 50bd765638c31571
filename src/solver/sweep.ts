// Removes challenge records that nobody will clean up: their Challenge is gone (a finalizer was taken off by hand), or their
// time is over and no Challenge is known. The first is also the garbage collector's work; this is for clusters and moments without one.

import { sleep } from '../kube/clock.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { splitKey } from '../kube/resource.ts';
import { DNS_RECORD, type DNSRecord } from '../operator/resources/dnsrecord.ts';
import { CHALLENGE } from './challenge.ts';
import type { House } from './house.ts';
import { CHALLENGE_ANNOTATION, CHALLENGE_UID_ANNOTATION, EXPIRES_ANNOTATION } from './names.ts';
import { isOurs } from './record.ts';

/** `expired`: past its time, and no Challenge is waiting. `orphan`: its Challenge is not in the cache, to be looked up. Pure. */
export function sweepVerdict(
  record: DNSRecord,
  now: Date,
  challengeUid: (key: string) => string | undefined,
): 'keep' | 'expired' | 'orphan' {
  const { annotations = {}, deletionTimestamp, creationTimestamp } = record.metadata;
  if (!isOurs(record) || deletionTimestamp !== undefined) return 'keep';
  const key = annotations[CHALLENGE_ANNOTATION];
  // Asked for as long as its Challenge waits, be it for days: cert-manager presents a value once and then only looks for it.
  if (key !== undefined && challengeUid(key) === annotations[CHALLENGE_UID_ANNOTATION]) return 'keep';
  const expires = Date.parse(annotations[EXPIRES_ANNOTATION] ?? '');
  if (Number.isFinite(expires) && expires <= now.getTime()) return 'expired';
  const isYoung = now.getTime() - Date.parse(creationTimestamp ?? '') < YOUNG_MS;
  return key === undefined || isYoung ? 'keep' : 'orphan';
}

const YOUNG_MS = 60_000;
const EVERY_MS = 60_000;

/** Sweeps every minute until the signal aborts. Several replicas may: a deletion names its object by uid. */
export async function runSweep(house: House, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(house.clock, EVERY_MS, signal).catch(() => undefined);
    if (!signal.aborted) await sweepOnce(house, signal);
  }
}

/** One round; a failure is for the next one. */
export async function sweepOnce(house: House, signal: AbortSignal): Promise<void> {
  const { records, challenges } = house.caches;
  if (!records.hasSynced()) return;
  for (const record of records.list()) {
    const verdict = sweepVerdict(record, house.now(), (key) => challenges.get(key)?.metadata.uid);
    try {
      if (verdict === 'keep') continue;
      // Before the first list of Challenges each looks gone.
      const isLinked = record.metadata.annotations?.[CHALLENGE_ANNOTATION] !== undefined;
      if (verdict === 'expired' && isLinked && !challenges.hasSynced()) continue;
      if (verdict === 'orphan' && !(await isGone(house, record, signal))) continue;
      const { metadata } = record;
      await house.api.delete(DNS_RECORD, metadata, { uid: metadata.uid }, signal);
      house.log.info(
        { record: `${metadata.namespace}/${metadata.name}`, verdict },
        'a leftover challenge record was removed',
      );
    } catch (error) {
      if (!signal.aborted && !isConflict(error)) house.log.warn({ err: error }, 'the sweep could not remove a record');
    }
  }
}

/** The cache may be behind or empty: only the server's own "not found", or another uid, is proof. */
async function isGone(house: House, { metadata }: DNSRecord, signal: AbortSignal): Promise<boolean> {
  try {
    const key = metadata.annotations?.[CHALLENGE_ANNOTATION] ?? '';
    const challenge = await house.api.get(CHALLENGE, splitKey(key), signal);
    return challenge.metadata.uid !== metadata.annotations?.[CHALLENGE_UID_ANNOTATION];
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
