// Decides which DNSZone of a cluster may claim a zone name: only one may. A namespace can neither split the zone of
// another namespace nor take over or observe existing zones. Objects and labels come in as data. Messages name the
// conflicting object, and never the content of its zone.

import { listSuffixes } from '#dns/names/name.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { hasFinalizer } from '#kube/objects/finalizer.ts';
import { byAge, keyOf } from '#kube/objects/resource.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { LabelsOf } from '#resources/grant-match.ts';
import { EXISTING_ZONES, FINALIZER } from '#resources/names.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import { permitsDelegation } from '#resources/record-grant.ts';
import { zoneNameIndex } from '#resources/zone-ref.ts';
import { type NotReady, no } from '../run/conditions.ts';

/** The other DNSZones by the canonical name of their zone. */
export interface Neighbours {
  named(name: string): readonly DNSZone[];
  /** Returns the DNSZones whose zones are below the name. */
  below(name: string): readonly DNSZone[];
}

/** An index of the cache: every name above the zone. */
export function zonesAboveIndex(object: DNSZone): string[] {
  return zoneNameIndex(object).flatMap((name) => listSuffixes(name).slice(1));
}

/**
 * @param name the canonical name of the object's zone
 * @returns why the object may not have this name, or null
 */
export function claimRefused(object: DNSZone, name: string, around: Neighbours, labelsOf: LabelsOf): NotReady | null {
  const others = around.named(name).filter((other) => other.metadata.uid !== object.metadata.uid);
  if (object.spec.managementPolicy === 'Observe') {
    const foreign = others.find((other) => isInOtherNamespace(other, object) && isManaged(other));
    return foreign
      ? no(
          'Conflict',
          `DNSZone ${keyOf(foreign)} in another namespace manages ${name}. Delete this object, and refer to that DNSZone in the zoneRef of your records.`,
        )
      : null;
  }
  const first = others.find((other) => takesPrecedence(other, object));
  if (first) return no('Conflict', `DNSZone ${keyOf(first)} already has ${name}. Delete one of the two objects.`);
  // The object already manages its zone, which was permitted at that time: the end of a grant does not remove a child
  // zone.
  if (isManaged(object)) return null;
  return cutRefused(object, name, around, labelsOf) ?? coverRefused(object, name, around);
}

/** A zone below the zone of another namespace would take a part of that zone away. */
function cutRefused(object: DNSZone, name: string, around: Neighbours, labelsOf: LabelsOf): NotReady | null {
  const above = enclosing(object, name, around);
  if (!above || !isInOtherNamespace(above.zone, object)) return null;
  if (permitsDelegation(above.zone, object.metadata.namespace ?? '', above.relative, labelsOf)) return null;
  return no(
    'NotPermitted',
    `${name} is inside the zone of DNSZone ${keyOf(above.zone)} in another namespace. The owner of that DNSZone can allow NS records named ${above.relative} from namespace ${object.metadata.namespace} in spec.allowedRecords.`,
  );
}

/** A zone above the zone of another namespace is refused when the other zone has precedence. */
function coverRefused(object: DNSZone, name: string, around: Neighbours): NotReady | null {
  const coveredZone = around
    .below(name)
    .find((other) => isInOtherNamespace(other, object) && (hasZone(other) || isOlder(other, object)));
  if (!coveredZone) return null;
  return no(
    'NotPermitted',
    `DNSZone ${keyOf(coveredZone)} in another namespace has a zone below ${name} and takes precedence. Create this DNSZone in that namespace instead.`,
  );
}

/** Returns the nearest DNSZone above, and the name of the object's zone relative to it. */
export function enclosing(
  object: DNSZone,
  name: string,
  around: Neighbours,
): { zone: DNSZone; relative: string } | null {
  for (const above of listSuffixes(name).slice(1)) {
    const enclosingZones = around.named(above).filter((zone) => hasZone(zone) || isOlder(zone, object));
    // Several objects may name one zone: the one that manages it decides.
    const zone = enclosingZones.find(isManaged) ?? enclosingZones[0];
    if (zone) return { zone, relative: name.slice(0, -above.length - 1) };
  }
  return null;
}

/**
 * Whether the object may use a zone that already exists at the DNS service. It may with an API key of its own, which
 * proves the right if it may manage zones (zone/find.ts), or in a namespace that the administrator has labelled.
 * Otherwise every user of the operator's key could take over every zone of that key.
 */
export function mayTakeExisting(object: DNSZone, labelsOf: LabelsOf): boolean {
  if (object.spec.credentialsSecretRef !== undefined) return true;
  return labelsOf(object.metadata.namespace ?? '')?.[EXISTING_ZONES] === 'allow';
}

export function existingRefused(object: DNSZone, name: string): NotReady {
  return no(
    'NotPermitted',
    `Zone ${name} already exists at the DNS service, and this DNSZone would take over, observe or split it. Set spec.credentialsSecretRef to an API key of your own, or ask an administrator to label the namespace: kubectl label namespace ${object.metadata.namespace} ${EXISTING_ZONES}=allow.`,
  );
}

/** @param secret the name of the Secret with the key */
export function weakKey(name: string, secret: string): NotReady {
  return no(
    'NotPermitted',
    `Zone ${name} already exists at the DNS service, and the API key in Secret ${secret} may not manage zones, so it may not take over this one. Put a key there whose right on zones is write (manageZones), or set spec.managementPolicy: Observe to add records only.`,
  );
}

/** Whether this object created or took over its zone at the service. */
export function isManaged({ metadata, status }: DNSZone): boolean {
  if (status?.zoneId === undefined) return false;
  // A status may lack the origin. An object that only observes its zone has no finalizer.
  return status.origin === undefined ? hasFinalizer({ metadata } as DNSZone, FINALIZER) : status.origin !== 'Observed';
}

/** Whether the zone at the service remains when the object is deleted. */
export function isKept({ spec }: DNSZone): boolean {
  return spec.deletionPolicy === 'Retain' || spec.managementPolicy === 'Observe';
}

function hasZone({ status }: DNSZone): boolean {
  return status?.zoneId !== undefined;
}

function isInOtherNamespace(a: DNSZone, b: DNSZone): boolean {
  return a.metadata.namespace !== b.metadata.namespace;
}

/** The object that manages the zone takes precedence; otherwise the oldest object does. */
function takesPrecedence(a: DNSZone, b: DNSZone): boolean {
  if (a.spec.managementPolicy !== 'Full') return false;
  if (isManaged(a) !== isManaged(b)) return isManaged(a);
  // Object b has already sent its request: the service decides.
  if (!isManaged(b) && b.status?.intent !== undefined) return false;
  return isOlder(a, b);
}

/**
 * An object that is refused for one of these reasons, and has no zone, claims no name: it could block the name forever
 * without having it. They come from the object itself, from its Secret, or from a grant that it lacks, so its namespace
 * or an administrator must act. Any other refusal ends automatically, for example when the operator has the name of its
 * cluster again, and the object keeps its turn.
 */
const ENDS_CLAIM: ReadonlySet<string> = new Set<NotReadyReason>([
  'InvalidSpec',
  'NotPermitted',
  'CredentialsMissing',
  'CredentialsNotReadable',
  'CredentialsRejected',
  'CredentialsWrongTeam',
]);

function isOlder(a: DNSZone, b: DNSZone): boolean {
  const acceptedCondition = findCondition(a.status?.conditions, 'Accepted');
  if (!hasZone(a) && acceptedCondition?.status === 'False' && ENDS_CLAIM.has(acceptedCondition.reason)) return false;
  return byAge(a, b) < 0;
}
