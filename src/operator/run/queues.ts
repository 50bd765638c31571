// The work queues of both kinds. Namespaces take turns, and within a namespace ACME challenges go first.

import type { Cache } from '#kube/cache/store.ts';
import type { QueueSettings } from '#kube/controller/manager.ts';
import { HIGH_PRIORITY, NORMAL_PRIORITY } from '#kube/controller/queue.ts';
import { splitKey } from '#kube/objects/resource.ts';
import { isChallenge } from '#resources/challenge.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';

/** The number of workers; a single namespace may occupy half of them. */
export const ZONE_WORKERS = 8;
/**
 * Workers mostly wait for the API server, for the next batch, or for name servers. Writes that wait at the same time share a
 * batch. A single namespace may occupy half of the workers.
 */
export const RECORD_WORKERS = 256;

export function zoneQueueOptions(): QueueSettings {
  return { name: 'zones', workers: ZONE_WORKERS, groupOf: namespaceOf };
}

/** @param records the cache that shows whether a key belongs to a challenge */
export function recordQueueOptions(records: Pick<Cache<DNSRecord>, 'get'>): QueueSettings {
  return {
    name: 'records',
    workers: RECORD_WORKERS,
    groupOf: namespaceOf,
    // The lanes of the dispatcher prioritize only the writes that have reached it: a worker must process a challenge first.
    priorityOf: (key) => {
      const record = records.get(key);
      return record && isChallenge(record) ? HIGH_PRIORITY : NORMAL_PRIORITY;
    },
  };
}

function namespaceOf(key: string): string {
  return splitKey(key).namespace ?? '';
}
