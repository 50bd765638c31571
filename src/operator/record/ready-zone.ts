// The facts about a zone that the run of a DNSRecord needs. Pure.
import { parseZoneName } from '#dns/names/name.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { OperatorContext } from '../access/context.ts';
import { isWithdrawn } from '../cluster/reports.ts';
import { countedNames, type ReadyWhen } from '../proof/propagation.ts';

import type { Policies } from './owner.ts';

export interface ReadyZone {
  /** The namespace of the record. */
  namespace: string;
  zoneId: string;
  zoneName: string;
  defaultTtl: number;
  parked: boolean;
  nameservers: string[];
  readyWhen: ReadyWhen;
  /** The names of the name servers that count, as the DNSZone last saw its secondaries. */
  counted: readonly string[];
  policies: Policies;
  /** Whether the cluster is drained for the owner of the zone. */
  isDrained: boolean;
}

/** Null: the zone is not ready for records. */
export function zoneOf(context: OperatorContext, dnsZone: DNSZone, record: DNSRecord): ReadyZone | null {
  const { spec, status } = dnsZone;
  if (status?.zoneId === undefined || status.defaultTtl === undefined) return null;
  // A zone that is refused now accepts no writes of its records either.
  if (findCondition(status.conditions, 'Accepted')?.status === 'False') return null;
  const name = parseZoneName(spec.zoneName);
  if (!name.ok) return null;
  const { nameservers = [], secondaries = [] } = status;
  const added = secondaries.map(({ nameservers: names = [] }) => ({ nameservers: names }));
  return {
    namespace: record.metadata.namespace ?? '',
    zoneId: status.zoneId,
    zoneName: name.value,
    defaultTtl: status.defaultTtl,
    parked: status.state === 'parked',
    nameservers,
    readyWhen: spec.readyWhen,
    counted: countedNames(nameservers, spec.readyWhen, added),
    policies: {
      drift: record.spec.driftPolicy ?? spec.driftPolicy,
      whenClusterLost: record.spec.whenClusterLost ?? spec.whenClusterLost,
    },
    // After a start, the status is right until the service has answered.
    isDrained: context.isDrained(dnsZone) ?? isWithdrawn(record),
  };
}
