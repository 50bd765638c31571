// The operator's metrics of its own work. No label contains a name of an object: labels are kinds, condition types, the
// reasons of resources/reasons.ts, and addresses of name servers.
//
//   object_conditions, objects_not_ready      see kube/condition-metrics.ts
//   zones_not_delegated{reason}               zones that their parent does not delegate as it should
//   propagation_duration_seconds              histogram: from a write at the service until every name server serves it
//   deletions_held{kind}                      deleted objects whose records or zones remain (record/held.ts,
//                                             zone/brake.ts)
//   name_server_unreachable{address}          whether the address of a name server answers nothing
//   name_server_cordoned{name}                1: no proof waits for the name server, on purpose
//                                             (nameserver/probe/reach.ts)
//   statuses_waiting                          statuses of DNSRecords that wait because writes go first
//                                             (run/statuses.ts)
//   heartbeats_total{result}                  heartbeats of this cluster: accepted, refused and unavailable
//   heartbeat_failing_seconds                 how long the service has accepted none for some team, 0 if it accepts
//                                             them
//   etcd_restored                             1: etcd was restored, and some owner has not accepted the older objects
//   control_plane_unreachable_seconds         how long kube-apiserver has answered no call, 0 if it answers
//   drift_total{kind,result}                  differences at the service: found, and repaired
//   service_requests_total{method,code}       calls to the service by status; `none` without one, `other` for a rare
//                                             status
//   service_request_duration_seconds{method}  histogram: duration of one call

import type { RequestObserver } from '#client/http.ts';
import type { Cache } from '#kube/cache/store.ts';
import { countConditions } from '#kube/condition-metrics.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import type { Reach } from '#nameserver/probe/reach.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { NOT_DELEGATED_REASONS, NOT_READY_REASONS } from '#resources/reasons.ts';
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

/** So many addresses are shown: the NS records of an adopted zone may name any number. */
const MAX_ADDRESSES = 64;

/** Registers the addresses of name servers, and which of them have answered no query for long. */
export function countUnreachable(metrics: Metrics, reach: Pick<Reach, 'unreachable' | 'answered'>): void {
  metrics.gauge({
    name: 'name_server_unreachable',
    help: 'Whether the address of a name server has answered no query of the operator for two minutes (1) or answers (0).',
    labels: ['address'],
    collect: (gauge) => {
      gauge.reset();
      const unreachable = new Set(reach.unreachable().map(({ server }) => server.address));
      const addresses = new Set([...unreachable, ...reach.answered()]);
      for (const address of [...addresses].slice(0, MAX_ADDRESSES))
        gauge.set({ address }, unreachable.has(address) ? 1 : 0);
    },
  });
}

/** Registers the name servers that an administrator has cordoned. */
export function countCordoned(metrics: Metrics, cordons: () => readonly { readonly name: string }[]): void {
  metrics.gauge({
    name: 'name_server_cordoned',
    help: 'Name servers that an administrator has cordoned, so that no proof waits for them (1). The others have no series.',
    labels: ['name'],
    collect: (gauge) => {
      gauge.reset();
      for (const { name } of cordons()) gauge.set({ name }, 1);
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
 * @param isRestored whether the service has told that etcd was restored
 */
export function countHeartbeats(
  metrics: Metrics,
  { failingMs, isRestored }: { failingMs: () => number; isRestored: () => boolean },
): (result: HeartbeatResult) => void {
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
  metrics.gauge({
    name: 'etcd_restored',
    help: '1 if etcd was restored from a backup and some owner has not accepted the older objects, so that the operator deletes nothing. 0 if not.',
    collect: (gauge) => gauge.set(isRestored() ? 1 : 0),
  });
  return (result) => heartbeats.inc({ result });
}

/** Registers the time for which kube-apiserver has not answered. Replicas that wait for the lease have it too. */
export function countControlPlane(metrics: Metrics, controlPlane: { failingMs(): number }): void {
  metrics.gauge({
    name: 'control_plane_unreachable_seconds',
    help: 'Seconds for which kube-apiserver has answered no call of this process. 0: it answers.',
    collect: (gauge) => gauge.set(controlPlane.failingMs() / 1000),
  });
}

export interface Observed {
  readonly zones: Cache<DNSZone>;
  readonly records: Cache<DNSRecord>;
}

/** Parked or private zones are among those without a delegation, so their number says little; a wrong DS does. */
function countDelegations(metrics: Metrics, zones: Pick<Cache<DNSZone>, 'list'>): void {
  metrics.gauge({
    name: 'zones_not_delegated',
    help: 'DNSZones whose condition Delegated is not True, by reason. DSMismatch: validating resolvers refuse the answers of the zone.',
    labels: ['reason'],
    collect: (gauge) => {
      const counts = new Map<string, number>(NOT_DELEGATED_REASONS.map((reason) => [reason, 0]));
      for (const { status } of zones.list()) {
        const delegated = findCondition(status?.conditions ?? [], 'Delegated');
        const count = delegated?.status === 'True' ? undefined : counts.get(delegated?.reason ?? 'NotChecked');
        if (count !== undefined) counts.set(delegated?.reason ?? 'NotChecked', count + 1);
      }
      for (const [reason, count] of counts) gauge.set({ reason }, count);
    },
  });
}

/** Registers the metrics of objects. Call it once per registry. */
export function createObserver(metrics: Metrics, { zones, records }: Observed): Observer {
  const kinds = {
    DNSZone: { objects: zones, conditions: ['Accepted', 'Programmed', 'Delegated', 'Ready'] },
    DNSRecord: { objects: records, conditions: ['Accepted', 'Programmed', 'Propagated', 'Ready'] },
  };
  countConditions(metrics, kinds, NOT_READY_REASONS);
  countDelegations(metrics, zones);
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
