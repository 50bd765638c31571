// What the operator counts of its own work. It must not decide anything, and no label ever holds a name: kinds, condition
// types and the reasons of resources/reasons.ts are all there is; another reason counts as `Other`.
//
//   object_conditions{kind,condition,status}   objects by the status of each condition
//   objects_not_ready{kind,reason}             objects that are not Ready, by reason
//   propagation_seconds                        histogram: from a write at the service to the proof by DNS
//   drift_total{kind,what}                     differences found at the service, and those repaired
//   service_requests_total{method,code}        calls to the service by answer; `none` without one, `other` for a rare code
//   service_request_duration_seconds{method}   histogram: time of one call
//   leader, leader_terms                       whether this process leads, and how often it came to
import type { RequestObserver } from '../client/http.ts';
import type { Clock } from '../kube/clock.ts';
import type { Election } from '../kube/election.ts';
import type { Cache } from '../kube/store.ts';
import { countCalls } from '../telemetry/calls.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Condition } from './resources/common.ts';
import type { DNSRecord } from './resources/dnsrecord.ts';
import type { DNSZone } from './resources/dnszone.ts';
import { NOT_READY_REASONS } from './resources/reasons.ts';

/** What the reconcilers tell as they work. */
export interface Observer {
  /** Values of the object were written at the service. */
  written(uid: string | undefined): void;
  /** Every name server answers what the object wants. */
  propagated(uid: string | undefined): void;
  drift(kind: Kind, what: 'found' | 'repaired'): void;
}

type Kind = 'DNSZone' | 'DNSRecord';

const CONDITIONS: Readonly<Record<Kind, readonly string[]>> = {
  DNSZone: ['Accepted', 'Programmed', 'Delegated', 'Ready'],
  DNSRecord: ['Accepted', 'Programmed', 'Propagated', 'Ready'],
};
const STATUSES = ['True', 'False', 'Unknown'] as const;
/** `Other`: what an operator of another version wrote, until this one has judged the object. */
const REASONS = [...NOT_READY_REASONS, 'Other'] as const;
const KNOWN_REASONS: ReadonlySet<string> = new Set(REASONS);
const CODES = ['200', '201', '204', '400', '401', '403', '404', '409', '429', '500', '502', '503'];
/** Name servers poll every 25 ms here, and minutes elsewhere. */
const PROPAGATION_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** Counts calls to the service; for the client's options. */
export function countRequests(metrics: Metrics): RequestObserver {
  return countCalls(metrics, { prefix: 'service', title: 'the service', codes: CODES });
}

/** Registers who leads; without an election this process does. */
export function countLeadership(metrics: Metrics, election: Election | undefined): void {
  metrics.gauge({
    name: 'leader',
    help: 'Whether this process writes: 1 or 0',
    collect: (gauge) => gauge.set(election === undefined || election.leads() ? 1 : 0),
  });
  metrics.gauge({
    name: 'leader_terms',
    help: 'How often this process became the leader',
    collect: (gauge) => gauge.set(election?.terms() ?? 1),
  });
}

export interface Observed {
  readonly zones: Cache<DNSZone>;
  readonly records: Cache<DNSRecord>;
}

/** Registers the metrics of objects; once a registry. */
export function createObserver(metrics: Metrics, { zones, records }: Observed, clock: Clock): Observer {
  countConditions(metrics, { zones, records });
  const propagation = metrics.histogram({
    name: 'propagation_seconds',
    help: 'From a write at the service until every name server answers it',
    buckets: PROPAGATION_BUCKETS,
  });
  const drift = metrics.counter({
    name: 'drift_total',
    help: 'Differences found at the service, and those repaired',
    labels: ['kind', 'what'],
  });
  for (const kind of ['DNSZone', 'DNSRecord']) for (const what of ['found', 'repaired']) drift.inc({ kind, what }, 0);
  // By uid, of objects that were written and not yet proven: no more than there are objects.
  const writes = new Map<string, number>();
  records.onChange((_key, kind, _initial, object) => {
    if (kind === 'delete') writes.delete(object.metadata.uid ?? '');
  });
  return {
    written: (uid = '') => void writes.set(uid, clock.now()),
    propagated: (uid = '') => {
      const since = writes.get(uid);
      if (since !== undefined) propagation.observe((clock.now() - since) / 1000);
      writes.delete(uid);
    },
    drift: (kind, what) => drift.inc({ kind, what }),
  };
}

function countConditions(metrics: Metrics, caches: Observed): void {
  const conditionsOf = (kind: Kind): (readonly Condition[])[] =>
    (kind === 'DNSZone' ? caches.zones : caches.records).list().map(({ status }) => status?.conditions ?? []);
  metrics.gauge({
    name: 'object_conditions',
    help: 'Objects by the status of each condition',
    labels: ['kind', 'condition', 'status'],
    collect: (gauge) => {
      for (const kind of ['DNSZone', 'DNSRecord'] as const) {
        const all = conditionsOf(kind);
        for (const condition of CONDITIONS[kind]) {
          const found = all.map((conditions) => conditions.find(({ type }) => type === condition)?.status ?? 'Unknown');
          for (const status of STATUSES)
            gauge.set({ kind, condition, status }, found.filter((each) => each === status).length);
        }
      }
    },
  });
  metrics.gauge({
    name: 'objects_not_ready',
    help: 'Objects that are not Ready, by reason',
    labels: ['kind', 'reason'],
    collect: (gauge) => {
      for (const kind of ['DNSZone', 'DNSRecord'] as const) {
        const counts = new Map<string, number>(REASONS.map((reason) => [reason, 0]));
        for (const conditions of conditionsOf(kind)) {
          const ready = conditions.find(({ type }) => type === 'Ready');
          if (ready?.status === 'True') continue;
          const given = ready?.reason ?? 'Pending';
          const reason = KNOWN_REASONS.has(given) ? given : 'Other';
          counts.set(reason, (counts.get(reason) ?? 0) + 1);
        }
        for (const [reason, count] of counts) gauge.set({ kind, reason }, count);
      }
    },
  });
}
