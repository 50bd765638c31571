// Precedence among DNSRecords that conflict while none of them has its records yet (architecture A11): the oldest
// object is first, in any order of arrival. Once the oldest has its records, the service refuses the others.
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import { byAge, keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import { explainDenial } from '#resources/record-grant.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { labelsIn, type OperatorContext } from '../access/context.ts';
import { type Desired, judgeSpec } from './desired.ts';
import { findWithLabel } from './indexes.ts';

/** The time until the next check whether the older object has its records, in ms. */
export const TURN_RETRY_MS = 100;

/**
 * @returns an older object that conflicts with this one and whose request is still undecided; null if this one has
 * values
 */
export function precedingRecord(
  context: Pick<OperatorContext, 'records' | 'namespaces' | 'held'>,
  object: DNSRecord,
  zone: DNSZone,
  zoneName: string,
  desired: Desired,
): DNSRecord | null {
  if (isTrue(object.status?.conditions, 'Programmed') || context.held.at(keyOf(object)).length > 0) return null;
  const zoneKey = zoneKeyOf(object);
  // The apex has two spellings: "@" and the zone name.
  const names = desired.name === '@' ? ['@', zoneName] : [desired.name];
  for (const other of names.flatMap((name) => findWithLabel(context.records, zoneKey, name))) {
    if (other.metadata.uid === object.metadata.uid || byAge(other, object) >= 0 || !isOpen(other)) continue;
    const verdict = judgeSpec(other, zoneName);
    if (!verdict.ok || !contend(verdict.desired, desired)) continue;
    if (explainDenial(zone, other, desired.name, labelsIn(context)) === null) return other;
  }
  return null;
}

/** Reasons that end without action by a user, or that are not final yet. */
const UNDECIDED: ReadonlySet<string> = new Set<NotReadyReason>([
  'Pending',
  'ZoneNotReady',
  'RateLimited',
  'ZoneBusy',
  'APIUnavailable',
]);

/** Whether the object has no values yet and was not refused. */
function isOpen(object: DNSRecord): boolean {
  if (isDeleting(object)) return false;
  const programmedCondition = findCondition(object.status?.conditions, 'Programmed');
  return (
    programmedCondition === undefined ||
    programmedCondition.status === 'Unknown' ||
    UNDECIDED.has(programmedCondition.reason)
  );
}

/**
 * Whether two records conflict: the same value, or a type that must be alone at its name (RFC 1034 section 3.6.2) or
 * single (RFC 6672 section 2.4).
 */
function contend(a: Desired, b: Desired): boolean {
  if (a.name !== b.name) return false;
  const alone = [a, b].some(({ type }) => type === 'CNAME' || type === 'ALIAS');
  if (alone || (a.type === 'DNAME' && b.type === 'DNAME')) return true;
  return a.type === b.type && a.values.some(({ identity }) => b.values.some((v) => v.identity === identity));
}
