// Reads a DNSRecord and its DNSZone, and returns the values to serve, or what is wrong with the spec. The rules are
// those of the service, so the operator reports a mistake without a request. Pure.
import type { WhenAllFail } from '#dns/members.ts';
import { fqdn, parseZoneName } from '#dns/names/name.ts';
import { type ParsedRecord, parseRecord } from '#dns/record.ts';
import type { RecordType } from '#dns/types/index.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { readObjectComment } from '#resources/comment.ts';
import { type DNSRecord, recordSpec } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { listRecordValues } from '#resources/summary.ts';
import type { OperatorContext } from '../access/context.ts';
import { type DesiredCheck, judgeCheck } from '../checks/desired.ts';
import { countedNames, type ReadyWhen } from '../proof/propagation.ts';

export type DriftPolicy = 'Enforce' | 'Report' | 'Ignore';

/** The policies of the object, or of its zone. */
export interface Policies {
  readonly drift: DriftPolicy;
  readonly whenClusterLost: 'Keep' | 'Withdraw';
}

export interface ReadyZone {
  /** The namespace of the record. */
  namespace: string;
  zoneId: string;
  /** The team or person of the zone, and of its checks; undefined while the status does not have it. */
  owner: string | undefined;
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
export function findReadyZone(context: OperatorContext, dnsZone: DNSZone, record: DNSRecord): ReadyZone | null {
  const { spec, status } = dnsZone;
  if (status?.zoneId === undefined || status.defaultTtl === undefined) return null;
  // A zone that is refused now accepts no writes of its records either.
  if (findCondition(status.conditions, 'Accepted')?.status === 'False') return null;
  const name = parseZoneName(spec.zoneName);
  if (!name.ok) return null;
  const { nameservers = [], secondaries = [] } = status;
  const addedServers = secondaries.map(({ nameservers: names = [] }) => ({ nameservers: names }));
  return {
    namespace: record.metadata.namespace ?? '',
    zoneId: status.zoneId,
    owner: status.owner,
    zoneName: name.value,
    defaultTtl: status.defaultTtl,
    parked: status.state === 'parked',
    nameservers,
    readyWhen: spec.readyWhen,
    counted: countedNames(nameservers, spec.readyWhen, addedServers),
    policies: {
      drift: record.spec.driftPolicy ?? spec.driftPolicy,
      whenClusterLost: record.spec.whenClusterLost ?? spec.whenClusterLost,
    },
    // After a start, the status is right until the service has answered.
    isDrained: context.isDrained(dnsZone) ?? isWithdrawn(record),
  };
}

/** Whether the status says that the values are withdrawn, because the cluster is drained. */
export function isWithdrawn({ status }: DNSRecord): boolean {
  return findCondition(status?.conditions, 'Propagated')?.reason === 'ClusterDrained';
}

export interface DesiredValue {
  content: string;
  priority: number | null;
  /** Null for the default of the zone. */
  ttl: number | null;
  /** The canonical wire form in hexadecimal digits, which is equal for two spellings of one value. */
  identity: string;
  wire: Uint8Array;
  tier: number;
  /** Null: none. */
  weight: number | null;
}

export interface Desired {
  /** Canonical and relative to the zone. */
  name: string;
  fqdn: string;
  type: RecordType;
  values: DesiredValue[];
  /** From the annotation; null: none. */
  comment: string | null;
  /** Null: none. */
  check: DesiredCheck | null;
  whenAllFail: WhenAllFail;
  /** Whether the object asks for PTR records of its addresses. */
  wantsReverse: boolean;
}

type DesiredVerdict = { ok: true; desired: Desired } | { ok: false; message: string };

/** @param zoneName as the service spells it */
export function judgeSpec(record: DNSRecord, zoneName: string): DesiredVerdict {
  const spec = recordSpec.safeParse(record.spec);
  if (!spec.success) {
    return {
      ok: false,
      message: spec.error.issues.map((issue) => `spec.${issue.path.join('.')}: ${issue.message}`).join('; '),
    };
  }
  const parsedRecords: ParsedRecord[] = [];
  for (const { content, priority } of listRecordValues(spec.data)) {
    const verdict = parseRecord(
      { name: spec.data.name, type: spec.data.type, content, ttl: spec.data.ttl, priority },
      zoneName,
    );
    if (!verdict.ok) return { ok: false, message: `spec.${verdict.problem.field}: ${verdict.problem.message}` };
    parsedRecords.push(verdict.value);
  }
  const first = parsedRecords[0];
  if (!first) return { ok: false, message: 'spec.content: set content, or set values with at least one entry.' };
  const values = parsedRecords.map(({ content, priority, ttl, wire }, at) => ({
    tier: spec.data.values?.[at]?.tier ?? 0,
    weight: spec.data.values?.[at]?.weight ?? null,
    content,
    priority,
    ttl,
    wire,
    identity: identityOf(wire),
  }));
  const twice = values.find((value, at) => values.findIndex((other) => other.identity === value.identity) < at);
  if (twice) return { ok: false, message: `spec.values: ${twice.content} is a duplicate; remove one of the two.` };
  const comment = readObjectComment(record);
  if (!comment.ok) return { ok: false, message: comment.problem.message };
  const check = judgeCheck(spec.data);
  if (!check.ok) return { ok: false, message: `spec.${check.problem.field}: ${check.problem.message}` };
  const { name, type } = first;
  const { whenAllFail = 'ServeAll', reverse: wantsReverse = false } = spec.data;
  const parts = { values, comment: comment.value, check: check.value, whenAllFail, wantsReverse };
  return { ok: true, desired: { name, type, fqdn: fqdn(name, zoneName), ...parts } };
}

export function identityOf(wire: Uint8Array): string {
  return Buffer.from(wire).toString('hex');
}
