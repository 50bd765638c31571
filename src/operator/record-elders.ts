// Who comes first of the DNSRecords that want the same and of which none has it yet: the oldest, in whatever order they are
// seen. It must not know what happens to the later ones once the first has it: the service says that.
import { findCondition } from '../kube/conditions.ts';
import { isDeleting } from '../kube/finalizer.ts';
import { byAge } from '../kube/resource.ts';
import { refusal } from './grants.ts';
import { type House, labelsIn } from './house.ts';
import { ledgerOf } from './record-birth.ts';
import { type Desired, desiredOf } from './record-desired.ts';
import { zoneKeyOf } from './record-zone.ts';
import type { DNSRecord } from './resources/dnsrecord.ts';
import type { DNSZone } from './resources/dnszone.ts';
import type { NotReadyReason } from './resources/reasons.ts';

/** By the key of the DNSZone and the first label as it is spelled: all spellings of a name but that of the apex share it. */
export const BY_LABEL = 'label';

export function labelIndex(record: DNSRecord): string[] {
  return [placeOf(zoneKeyOf(record), record.spec.name)];
}

function placeOf(zoneKey: string, name: string): string {
  return `${zoneKey} ${name.split('.', 1)[0]?.toLowerCase()}`;
}

/** How soon to look again whether the older one has it, in ms. */
export const TURN_RETRY_MS = 100;

/** @returns an older object that wants what this one wants and is still at it, or null */
export function elderOf(
  house: Pick<House, 'records' | 'namespaces' | 'seal'>,
  object: DNSRecord,
  zone: DNSZone,
  zoneName: string,
  desired: Desired,
): DNSRecord | null {
  const zoneKey = zoneKeyOf(object);
  // The apex has two spellings: "@" and the name of the zone.
  const labels = desired.name === '@' ? ['@', zoneName] : [desired.name];
  for (const other of labels.flatMap((label) => house.records.byIndex(BY_LABEL, placeOf(zoneKey, label)))) {
    if (other.metadata.uid === object.metadata.uid || byAge(other, object) >= 0 || !isOpen(house, other)) continue;
    const verdict = desiredOf(other, zoneName);
    if (!verdict.ok || !contend(verdict.desired, desired)) continue;
    if (refusal(zone, other, desired.name, labelsIn(house)) === null) return other;
  }
  return null;
}

/** What passes by itself, or has not been said yet. */
const PASSING: ReadonlySet<string> = new Set<NotReadyReason>([
  'Pending',
  'ZoneNotReady',
  'RateLimited',
  'ZoneBusy',
  'APIUnavailable',
]);

/** Whether it has nothing yet and was not refused. */
function isOpen({ seal }: Pick<House, 'seal'>, object: DNSRecord): boolean {
  if (isDeleting(object) || ledgerOf(object, seal).entries.some(({ id }) => id !== undefined)) return false;
  const programmed = findCondition(object.status?.conditions, 'Programmed');
  return programmed === undefined || programmed.status === 'Unknown' || PASSING.has(programmed.reason);
}

/** Whether both cannot have all that they want: one value, or what suffers nothing beside itself (RFC 1034 section 3.6.2). */
function contend(a: Desired, b: Desired): boolean {
  if (a.name !== b.name) return false;
  const alone = [a, b].some(({ type }) => type === 'CNAME' || type === 'ALIAS');
  return alone || (a.type === b.type && a.values.some(({ identity }) => b.values.some((v) => v.identity === identity)));
}
