// The work queues of both kinds. Namespaces take turns, and within a namespace ACME challenges go first.

import type { Cache } from '#kube/cache/store.ts';
import type { QueueSettings } from '#kube/controller/manager.ts';
import { HIGH_PRIORITY, NORMAL_PRIORITY, type WorkQueue } from '#kube/controller/queue.ts';
import { splitKey } from '#kube/objects/resource.ts';
import { isChallenge } from '#resources/challenge.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { OperatorContext } from '../access/context.ts';

/** The number of workers; a single namespace may occupy half of them. */
export const ZONE_WORKERS = 8;
/**
 * Workers mostly wait for the API server, for the next batch, or for name servers. Writes that wait at the same time
 * share a batch, and statuses wait while others write (statuses.ts). A single namespace may occupy half of the workers.
 */
export const RECORD_WORKERS = 2_048;

export function zoneQueueOptions(): QueueSettings {
  return { name: 'zones', workers: ZONE_WORKERS, groupOf: namespaceOf };
}

/** @param records the cache that shows whether a key belongs to a challenge */
export function recordQueueOptions(records: Pick<Cache<DNSRecord>, 'get'>): QueueSettings {
  return {
    name: 'records',
    workers: RECORD_WORKERS,
    groupOf: namespaceOf,
    // The lanes of the dispatcher prioritize only the writes that have reached it: a worker must process a challenge
    // first.
    priorityOf: (key) => {
      const record = records.get(key);
      return record && isChallenge(record) ? HIGH_PRIORITY : NORMAL_PRIORITY;
    },
  };
}

type Queue = Pick<WorkQueue, 'forget' | 'add'>;

/**
 * Runs an object that waits for the service as soon as the service answers again, without the back-off of its failures.
 * @param watch tells when the service answers again
 */
export function runsOnRecovery(
  watch: { wait(key: string, wake: () => void): void },
  zones: Queue,
  records: Queue,
): Pick<OperatorContext, 'enqueueZoneOnRecovery' | 'enqueueRecordOnRecovery'> {
  const restart = (queue: Queue, key: string): void => {
    queue.forget(key);
    queue.add(key);
  };
  return {
    enqueueZoneOnRecovery: (key) => watch.wait(`zone ${key}`, () => restart(zones, key)),
    enqueueRecordOnRecovery: (key) => watch.wait(`record ${key}`, () => restart(records, key)),
  };
}

function namespaceOf(key: string): string {
  return splitKey(key).namespace ?? '';
}
