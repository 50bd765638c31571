// Waits until a DNSRecord is Ready, that is, answered by every name server of its zone; says what is missing when it is
// not. It must not know why somebody waits.
import type { KubeApi } from '../kube/api.ts';
import type { Clock } from '../kube/clock.ts';
import { findCondition, isTrue } from '../kube/conditions.ts';
import { isNotFound } from '../kube/errors.ts';
import { keyOf } from '../kube/resource.ts';
import type { Cache } from '../kube/store.ts';
import { DNS_RECORD, type DNSRecord } from '../operator/resources/dnsrecord.ts';

/** `waiting`: not yet. `refused`: not without somebody mending it. `gone`: the object is not there any more. */
export type Progress =
  | { readonly state: 'ready' }
  | { readonly state: 'gone' }
  | { readonly state: 'waiting' | 'refused'; readonly missing: string };

/** What the object's conditions say. The texts stay the same while the situation does: conditions promise that. */
export function progressOf(record: DNSRecord): Progress {
  const { conditions } = record.status ?? {};
  const generation = record.metadata.generation ?? 0;
  if (isTrue(conditions, 'Ready', generation)) return { state: 'ready' };
  const accepted = findCondition(conditions, 'Accepted');
  const open = accepted?.status === 'False' ? accepted : findCondition(conditions, 'Ready');
  const missing = open ? `${open.reason}: ${open.message}` : 'Pending: Waiting for the operator';
  const judged = (accepted?.observedGeneration ?? 0) >= generation;
  // Somebody else's value in the way may go; a name or a grant that does not fit stays as it is.
  const refused = judged && accepted?.status === 'False' && FINAL.has(accepted.reason);
  return { state: refused ? 'refused' : 'waiting', missing };
}

const FINAL: ReadonlySet<string> = new Set(['InvalidSpec', 'NotPermitted', 'Conflict']);
/** The watch tells within milliseconds; a look by oneself is for when the watch is broken. */
const LOOK_EVERY_MS = 2_000;

/** Follows the object until it is ready, refused or gone, or until the signal aborts; gives the last that was seen. */
export async function awaitReady(
  api: Pick<KubeApi, 'get'>,
  records: Cache<DNSRecord>,
  first: DNSRecord,
  clock: Clock,
  signal: AbortSignal,
): Promise<Progress> {
  const key = keyOf(first);
  const { uid, name, namespace } = first.metadata;
  let progress = progressOf(first);
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
        if (!signal.aborted) see(record.metadata.uid === uid ? progressOf(record) : { state: 'gone' });
      } catch (error) {
        if (isNotFound(error)) see({ state: 'gone' });
      }
      if (!signal.aborted && progress.state === 'waiting') again();
    };
    const again = (): void => void enders.push(clock.setTimeout(() => void look(), LOOK_EVERY_MS));
    if (signal.aborted || progress.state !== 'waiting') return end();
    signal.addEventListener('abort', end, { once: true });
    enders.push(() => signal.removeEventListener('abort', end));
    enders.push(
      records.onChange((changed, kind, _initial, record) => {
        if (changed !== key || record.metadata.uid !== uid) return;
        see(kind === 'delete' ? { state: 'gone' } : progressOf(record));
      }),
    );
    again();
  });
}
