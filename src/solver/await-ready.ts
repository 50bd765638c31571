// Waits until a DNSRecord is Ready, that is, until every name server of its zone serves it. If it does not become
// ready, the result says what is missing.

import type { Clock } from '#base/clock.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { isNotFound } from '#kube/api/errors.ts';
import type { Cache } from '#kube/cache/store.ts';
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';

/** `waiting`: not yet. `refused`: it stays refused until a person changes something. `gone`: the object was deleted. */
export type Progress =
  | { readonly state: 'ready' }
  | { readonly state: 'gone' }
  | { readonly state: 'waiting' | 'refused'; readonly missing: string };

/**
 * Reads the object's conditions. Conditions keep their texts while the situation stays the same, and so does the
 * result.
 */
function judgeProgress(record: DNSRecord): Progress {
  const { conditions } = record.status ?? {};
  const generation = record.metadata.generation ?? 0;
  if (isTrue(conditions, 'Ready', generation)) return { state: 'ready' };
  const acceptedCondition = findCondition(conditions, 'Accepted');
  const open = acceptedCondition?.status === 'False' ? acceptedCondition : findCondition(conditions, 'Ready');
  const missingText = open ? `${open.reason}: ${open.message}` : 'Pending: Waiting for the operator';
  const isJudged = (acceptedCondition?.observedGeneration ?? 0) >= generation;
  // A conflicting record of another owner may be deleted at any time; a wrong name or a missing grant stays as it is.
  const isRefused = isJudged && acceptedCondition?.status === 'False' && FINAL.has(acceptedCondition.reason);
  return { state: isRefused ? 'refused' : 'waiting', missing: missingText };
}

const FINAL: ReadonlySet<string> = new Set(['InvalidSpec', 'NotPermitted', 'Conflict']);
/** The watch reports changes within milliseconds; polling is for the time when the watch is broken. */
const POLL_EVERY_MS = 2_000;

/** Follows the object until it is ready, refused or gone, or until the signal aborts; returns the last progress. */
export async function awaitReady(
  api: Pick<KubeApi, 'get'>,
  records: Cache<DNSRecord>,
  first: DNSRecord,
  clock: Clock,
  signal: AbortSignal,
): Promise<Progress> {
  const key = keyOf(first);
  const { uid, name, namespace } = first.metadata;
  let progress = judgeProgress(first);
  return new Promise((resolve) => {
    const enders: (() => void)[] = [];
    const end = (): void => {
      for (const each of enders.splice(0)) each();
      resolve(progress);
    };
    const see = (next: Progress): void => {
      progress = next;
      if (next.state !== 'waiting') end();
    };
    const look = async (): Promise<void> => {
      try {
        const record = await api.get<DNSRecord>(DNS_RECORD, { namespace, name }, signal);
        if (!signal.aborted) see(record.metadata.uid === uid ? judgeProgress(record) : { state: 'gone' });
      } catch (error) {
        if (isNotFound(error)) see({ state: 'gone' });
      }
      if (!signal.aborted && progress.state === 'waiting') again();
    };
    const again = (): void => void enders.push(clock.setTimeout(() => void look(), POLL_EVERY_MS));
    if (signal.aborted || progress.state !== 'waiting') return end();
    signal.addEventListener('abort', end, { once: true });
    enders.push(() => signal.removeEventListener('abort', end));
    enders.push(
      records.onChange((changedKey, kind, _initial, record) => {
        if (changedKey !== key || record.metadata.uid !== uid) return;
        see(kind === 'delete' ? { state: 'gone' } : judgeProgress(record));
      }),
    );
    again();
  });
}
