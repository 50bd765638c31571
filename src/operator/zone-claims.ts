// Who may have a zone of which name, among the DNSZones of one cluster: one object has it, and a namespace can neither cut a
// piece out of another's zone nor take over or watch what is there already. Pure: objects and labels come in as data.
// Messages name the object that stands against it, never what its zone holds.
import { parseZoneName, suffixesOf } from '../dns/name.ts';
import { findCondition } from '../kube/conditions.ts';
import { hasFinalizer } from '../kube/finalizer.ts';
import { byAge, keyOf } from '../kube/resource.ts';
import { type LabelsOf, permitsDelegation } from './grants.ts';
import { EXISTING_ZONES, FINALIZER } from './names.ts';
import type { DNSZone } from './resources/dnszone.ts';
import { no, type Open } from './verdicts.ts';

/** Other objects, by the canonical name of their zone. */
export interface Neighbours {
  named(name: string): readonly DNSZone[];
  /** Of zones below the name. */
  below(name: string): readonly DNSZone[];
}

/** For the cache's index: the canonical name, so that two spellings are one. */
export function zoneNameIndex(object: DNSZone): string[] {
  const name = parseZoneName(object.spec.zoneName);
  return name.ok ? [name.value] : [];
}

/** For the cache's index: every name above. */
export function zonesAboveIndex(object: DNSZone): string[] {
  return zoneNameIndex(object).flatMap((name) => suffixesOf(name).slice(1));
}

/** @param name the canonical name of the object's zone @returns why the object may not have it, or null */
export function claimRefused(object: DNSZone, name: string, around: Neighbours, labelsOf: LabelsOf): Open | null {
  const others = around.named(name).filter((other) => other.metadata.uid !== object.metadata.uid);
  if (object.spec.managementPolicy === 'Observe') {
    const foreign = others.find((other) => isElsewhere(other, object) && isManaged(other));
    return foreign
      ? no(
          'Conflict',
          `DNSZone ${keyOf(foreign)} of another namespace has ${name}; refer to it in the zoneRef of records.`,
        )
      : null;
  }
  const first = others.find((other) => goesBefore(other, object));
  if (first) return no('Conflict', `DNSZone ${keyOf(first)} holds ${name} already; delete one of the two.`);
  // What it has already was permitted then; a child zone is not taken away by a grant that ends.
  if (isManaged(object)) return null;
  return cutRefused(object, name, around, labelsOf) ?? coverRefused(object, name, around);
}

/** A zone below another namespace's zone would take a piece of it away. */
function cutRefused(object: DNSZone, name: string, around: Neighbours, labelsOf: LabelsOf): Open | null {
  const above = enclosing(object, name, around);
  if (!above || !isElsewhere(above.zone, object)) return null;
  if (permitsDelegation(above.zone, object.metadata.namespace ?? '', above.relative, labelsOf)) return null;
  return no(
    'NotPermitted',
    `${name} lies in the zone of DNSZone ${keyOf(above.zone)} of another namespace; its owner can permit NS records named ${above.relative} from namespace ${object.metadata.namespace} in spec.allowedRecords.`,
  );
}

/** A zone above another namespace's zone: whoever comes first has the say. */
function coverRefused(object: DNSZone, name: string, around: Neighbours): Open | null {
  const covered = around
    .below(name)
    .find((other) => isElsewhere(other, object) && (isKnown(other) || isElder(other, object)));
  if (!covered) return null;
  return no(
    'NotPermitted',
    `DNSZone ${keyOf(covered)} of another namespace has a zone below ${name}, and was there first; create this zone in that namespace.`,
  );
}

/** The nearest DNSZone above, and the name of the object's zone in it. */
export function enclosing(
  object: DNSZone,
  name: string,
  around: Neighbours,
): { zone: DNSZone; relative: string } | null {
  for (const above of suffixesOf(name).slice(1)) {
    const found = around.named(above).filter((zone) => isKnown(zone) || isElder(zone, object));
    // Of several objects for one zone the one that manages it speaks.
    const zone = found.find(isManaged) ?? found[0];
    if (zone) return { zone, relative: name.slice(0, -above.length - 1) };
  }
  return null;
}

/**
 * Whether the object may come to a zone that the DNS service has already: with a key of its own, which proves the right, or
 * from a namespace that the administrator has labelled. Everybody who shares the operator's key could take everything else.
 */
export function mayTakeExisting(object: DNSZone, labelsOf: LabelsOf): boolean {
  if (object.spec.credentialsSecretRef !== undefined) return true;
  return labelsOf(object.metadata.namespace ?? '')?.[EXISTING_ZONES] === 'allow';
}

export function existingRefused(object: DNSZone, name: string): Open {
  return no(
    'NotPermitted',
    `The DNS service has a zone that this one would take over, watch or cut: ${name}. Namespace ${object.metadata.namespace} may do so with an API key of its own (spec.credentialsSecretRef), or when an administrator labels it: kubectl label namespace ${object.metadata.namespace} ${EXISTING_ZONES}=allow.`,
  );
}

/** Whether a zone at the service was made or taken over by this object. */
export function isManaged({ metadata, status }: DNSZone): boolean {
  if (status?.zoneId === undefined) return false;
  // Without origin: an object of before there was one. Who only watches has no finalizer.
  return status.origin === undefined ? hasFinalizer({ metadata } as DNSZone, FINALIZER) : status.origin !== 'Observed';
}

/** Whether the zone at the service outlives the object. */
export function isKept({ spec }: DNSZone): boolean {
  return spec.deletionPolicy === 'Retain' || spec.managementPolicy === 'Observe';
}

function isKnown({ status }: DNSZone): boolean {
  return status?.zoneId !== undefined;
}

function isElsewhere(a: DNSZone, b: DNSZone): boolean {
  return a.metadata.namespace !== b.metadata.namespace;
}

/** Who has made the zone keeps it; otherwise the oldest comes first. */
function goesBefore(a: DNSZone, b: DNSZone): boolean {
  if (a.spec.managementPolicy !== 'Full') return false;
  if (isManaged(a) !== isManaged(b)) return isManaged(a);
  // What b has asked for already, the service decides.
  if (!isManaged(b) && b.status?.intent !== undefined) return false;
  return isElder(a, b);
}

/** An object that is refused for its own sake claims nothing: it could block a name for ever without having it. */
function isElder(a: DNSZone, b: DNSZone): boolean {
  const accepted = findCondition(a.status?.conditions, 'Accepted');
  if (!isKnown(a) && accepted?.status === 'False' && accepted.reason !== 'Conflict') return false;
  return byAge(a, b) < 0;
}
