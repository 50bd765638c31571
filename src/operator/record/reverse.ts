// Which zone may have the PTR record of an address, by the grants of its DNSZone. The service compares the teams of
// zones only, and namespaces of one team differ by grants, so the operator asks for a PTR record in the one zone alone
// whose DNSZone permits it to the namespace: a deeper zone, or one behind a CNAME, gets none.
import { listSuffixes } from '#dns/names/name.ts';
import { reverseName } from '#dns/reverse.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { permitsReverse } from '#resources/record-grant.ts';
import { isManaged } from '../access/claims.ts';
import { createNeighbours, labelsIn, type OperatorContext } from '../access/context.ts';
import type { Desired, ReadyZone } from './desired.ts';

/** The zone in which the PTR record of a value may be; null: in none. */
export interface JudgedReverse {
  readonly zoneId: string | null;
  /** The name of the PTR record. */
  readonly name: string;
}

/** One entry for each value, in their order. Pure, but for the caches. */
export function judgeReverse(
  context: OperatorContext,
  object: DNSRecord,
  { owner }: ReadyZone,
  { values }: Desired,
): JudgedReverse[] {
  const namespace = object.metadata.namespace ?? '';
  return values.map(({ wire }) => {
    const name = reverseName(wire);
    const place = findPlace(context, name);
    const isPermitted =
      place !== null &&
      place.zone.status?.owner === owner &&
      permitsReverse(place.zone, namespace, place.relative, labelsIn(context));
    return { name, zoneId: isPermitted ? (place.zone.status?.zoneId ?? null) : null };
  });
}

/** Whether a PTR record that was written would go. @param judged one entry for each value */
export function losesReverse({ status }: DNSRecord, { values }: Desired, judged: readonly JudgedReverse[]): boolean {
  const isWritten = (content: string | undefined) =>
    (status?.reverse ?? []).some((entry) => entry.content === content && entry.state === 'Written');
  return judged.some(({ zoneId }, at) => zoneId === null && isWritten(values[at]?.content));
}

/**
 * The deepest DNSZone that contains the name. If several have one name, the one that manages the zone decides. One that
 * observes its zone with a key of its own decides nothing: the key may be one that only reads.
 */
function findPlace(context: OperatorContext, name: string): { zone: DNSZone; relative: string } | null {
  for (const suffix of listSuffixes(name)) {
    const zones = createNeighbours(context).named(suffix).filter(isAtService);
    const zone = zones.find(isManaged) ?? zones.find(({ spec }) => spec.credentialsSecretRef === undefined);
    if (zone !== undefined) return { zone, relative: suffix === name ? '@' : name.slice(0, -suffix.length - 1) };
    if (zones.length > 0) return null;
  }
  return null;
}

function isAtService({ status }: DNSZone): boolean {
  return status?.zoneId !== undefined && findCondition(status.conditions, 'Accepted')?.status !== 'False';
}
