// The records of the DNSRecords of a cluster, as these DNSRecords again: for objects that Kubernetes lost. Pure.
import type { OwnedSet } from '#contract/owners.ts';
import { API_VERSION } from '#resources/common.ts';
import { recordSpec } from '#resources/dnsrecord.ts';
import { type CheckDefinitions, checkField, FOLLOWS_SERVICE } from '#resources/manifest-check.ts';
import type { Manifest } from '#resources/manifests.ts';
import { COMMENT } from '#resources/names.ts';

/** `k8s:<cluster>/<namespace>/<name>`, as operator/record/owner.ts makes it. */
const OBJECT_OWNER = /^k8s:([^/]+)\/([^/\s]+)\/([^/\s]+)$/;

export interface OwnedManifests {
  objects: Manifest[];
  /** The owners of sets that no DNSRecord can express, each with the reason. */
  leftOut: string[];
}

/**
 * One DNSRecord for each set of the cluster. Its name is that of the lost object, so that it owns the records at once.
 * @param zoneRef the DNSZone of the zone
 * @param definitions the checks of the owner of the zone, by name
 */
export function planOwnedManifests(
  sets: readonly OwnedSet[],
  cluster: string,
  zoneRef: { namespace: string; name: string },
  definitions: CheckDefinitions,
): OwnedManifests {
  const objects: Manifest[] = [];
  const leftOut: string[] = [];
  for (const set of sets) {
    const [, ofCluster, namespace = '', name = ''] = OBJECT_OWNER.exec(set.owner) ?? [];
    // The DNSRecord of a challenge ends automatically.
    if (ofCluster !== cluster || set.records.length === 0 || set.expires !== null) continue;
    const check = set.records[0]?.check;
    const healthCheck = check === undefined ? undefined : checkField(check, definitions);
    if (healthCheck === null) {
      leftOut.push(`${set.owner}: ${FOLLOWS_SERVICE}`);
      continue;
    }
    const spec = specOf(set, zoneRef.namespace === namespace ? { name: zoneRef.name } : zoneRef, healthCheck);
    const verdict = recordSpec.safeParse(spec);
    const [issue] = verdict.error?.issues ?? [];
    if (issue !== undefined) leftOut.push(`${set.owner}: spec.${issue.path.join('.')}: ${issue.message}`);
    else {
      const annotations = set.comment === null ? {} : { annotations: { [COMMENT]: set.comment } };
      const metadata = { name, namespace, ...annotations };
      objects.push({ apiVersion: API_VERSION, kind: 'DNSRecord', metadata, spec });
    }
  }
  return { objects, leftOut };
}

function specOf(
  set: OwnedSet,
  zoneRef: { namespace?: string; name: string },
  healthCheck: Record<string, unknown> | undefined,
): Record<string, unknown> {
  const { name, type, ttl, records, share, retain, drift, whenClusterLost } = set;
  const values = records.map(({ content, priority, tier, weight }) => ({
    content,
    ...(priority === null ? {} : { priority }),
    ...(tier === undefined ? {} : { tier }),
    ...(weight === undefined ? {} : { weight }),
  }));
  const [first] = records;
  return {
    zoneRef,
    name,
    type,
    ...(ttl === null ? {} : { ttl }),
    // Only a list of values has tiers.
    ...(values.length === 1 && values[0]?.tier === undefined && values[0]?.weight === undefined
      ? values[0]
      : { values }),
    ...(healthCheck === undefined ? {} : { healthCheck }),
    ...(first?.whenAllFail === undefined ? {} : { whenAllFail: first.whenAllFail }),
    ...(records.some(({ reverse }) => reverse === true) ? { reverse: true } : {}),
    ...(share ? { sharing: 'Shared' } : {}),
    ...(retain ? { deletionPolicy: 'Retain' } : {}),
    ...(drift === 'Enforce' ? {} : { driftPolicy: drift }),
    ...(whenClusterLost === 'Keep' ? {} : { whenClusterLost }),
  };
}
