// The operator's metrics of its own work. No label contains a name: labels are kinds, condition types and the reasons
// of resources/reasons.ts.
//
//   object_conditions, objects_not_ready      see kube/condition-metrics.ts
//   propagation_duration_seconds              histogram: from a write at the service until every name server serves it
//   deletions_held{kind}                      deleted objects whose records or zones remain (record/held.ts,
//                                             zone/brake.ts)
//   statuses_waiting                          statuses of DNSRecords that wait because writes go first
//                                             (run/statuses.ts)
//   heartbeats_total{result}                  heartbeats of this cluster: accepted, refused and unavailable
//   heartbeat_failing_seconds                 how long the service has accepted none for some team, 0 if it accepts
//                                             them
//   drift_total{kind,result}                  differences at the service: found, and repaired
//   service_requests_total{method,code}       calls to the service by status; `none` without one, `other` for a rare
//                                             status
//   service_request_duration_seconds{method}  histogram: duration of one call

import type { RequestObserver } from '#client/http.ts';
import type { Cache } from '#kube/cache/store.ts';
import { countConditions } from '#kube/condition-metrics.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { NOT_READY_REASONS } from '#resources/reasons.ts';
import { countCalls } from '#telemetry/calls.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { HEARTBEAT_RESULTS, type HeartbeatResult } from '../cluster/heartbeats.ts';
import { isZoneHeld } from '../zone/brake.ts';
import type { Observer } from './observation.ts';

const CODES = ['200', '201', '204', '400', '401', '403', '404', '409', '429', '500', '502', '503'];
/** The name servers of this product poll every 25 ms; others may poll every few minutes. */
const PROPAGATION_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** Counts calls to the service. Pass the result to the client. */
export function countServiceRequests(metrics: Metrics): RequestObserver {
  return countCalls(metrics, { prefix: 'service', title: 'the service', codes: CODES });
}

/** Registers the number of deleted objects whose records or zones remain for now. */
export function countHeld(
  metrics: Metrics,
  heldOwners: { readonly held: number },
  zones: Pick<Cache<DNSZone>, 'list'>,
): void {
  metrics.gauge({
    name: 'deletions_held',
    help: 'Deleted objects whose records or zones remain in DNS, because too many objects or their CRD were deleted.',
    labels: ['kind'],
    collect: (gauge) => {
      gauge.set({ kind: 'DNSRecord' }, heldOwners.held);
      gauge.set({ kind: 'DNSZone' }, zones.list().filter(isZoneHeld).length);
    },
  });
}

/** Registers the number of statuses of DNSRecords that wait. */
export function countWaitingStatuses(metrics: Metrics, statuses: { readonly waiting: number }): void {
  metrics.gauge({
    name: 'statuses_waiting',
    help: 'Statuses of DNSRecords that wait for their turn, because changes in DNS go first.',
    collect: (gauge) => gauge.set(statuses.waiting),
  });
}

/**
 * Registers the metrics of heartbeats. Call the result after each one.
 * @param failingMs how long some heartbeat has failed, in ms; 0 if none does
 */
export function countHeartbeats(metrics: Metrics, failingMs: () => number): (result: HeartbeatResult) => void {
  const heartbeats = metrics.counter({
    name: 'heartbeats_total',
    help: 'Heartbeats of this cluster, by the answer of the service.',
    labels: ['result'],
  });
  for (const result of HEARTBEAT_RESULTS) heartbeats.inc({ result }, 0);
  metrics.gauge({
    name: 'heartbeat_failing_seconds',
    help: 'Seconds since the service accepted no heartbeat of this cluster for some team. 0: it accepts them.',
    collect: (gauge) => gauge.set(failingMs() / 1000),
  });
  return (result) => heartbeats.inc({ result });
}

export interface Observed {
  readonly zones: Cache<DNSZone>;
  readonly records: Cache<DNSRecord>;
}

/** Registers the metrics of objects. Call it once per registry. */
export function createObserver(metrics: Metrics, { zones, records }: Observed): Observer {
  const kinds = {
    DNSZone: { objects: zones, conditions: ['Accepted', 'Programmed', 'Delegated', 'Ready'] },
    DNSRecord: { objects: records, conditions: ['Accepted', 'Programmed', 'Propagated', 'Ready'] },
  };
  countConditions(metrics, kinds, NOT_READY_REASONS);
  const propagation = metrics.histogram({
    name: 'propagation_duration_seconds',
    help: 'Seconds from a write at the service until every name server serves it.',
    buckets: PROPAGATION_BUCKETS,
  });
  const drift = metrics.counter({
    name: 'drift_total',
    help: 'Differences at the service that the operator found, and those that it repaired.',
    labels: ['kind', 'result'],
  });
  for (const kind of ['DNSZone', 'DNSRecord'])
    for (const result of ['found', 'repaired']) drift.inc({ kind, result }, 0);
  // The times of writes that are not yet proven, by uid: at most one for each object.
  const writes = new Map<string, number>();
  records.onChange((_key, kind, _initial, object) => {
    if (kind === 'delete') writes.delete(object.metadata.uid ?? '');
  });
  return {
    observe: (kind, observation, uid = '') => {
      if (observation.kind === 'drift') drift.inc({ kind, result: observation.result });
      else if (observation.kind === 'written') writes.set(uid, observation.at);
      else {
        const since = writes.get(uid);
        if (since !== undefined) propagation.observe((observation.at - since) / 1000);
        writes.delete(uid);
      }
    },
  };
}
