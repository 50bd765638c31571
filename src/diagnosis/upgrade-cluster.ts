// The parts of an upgrade that only the cluster of the command shows: the CRDs, and the edges, which have no connection
// to the api. Machines with an edge are in no list.
import { compareVersions } from '#base/versions.ts';
import { CRD } from '#kube/objects/crds.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '#kube/objects/resource.ts';
import { STATEFUL_SET } from '#kube/objects/workloads.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { type Gap, isGap, type KubeReader, type Listed } from './kube-reader.ts';
import { checkVersions } from './upgrade-checks.ts';

/** The version of the chart that wrote the schema: charts/zonestead/templates/crds.yaml. */
const SCHEMA_VERSION = 'zonestead.dev/schema-version';
const VERSION = 'app.kubernetes.io/version';
const EDGES = 'app.kubernetes.io/part-of=zonestead,app.kubernetes.io/component=edge';
const KINDS = [DNS_ZONE, DNS_RECORD] as const;

export interface Crd extends KubeObject {
  readonly spec: { readonly versions: readonly { readonly name: string; readonly served: boolean }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

export interface Edge extends KubeObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number };
}

export interface ClusterParts {
  /** For each kind, in the order of KINDS. */
  readonly crds: readonly (Crd | Gap)[];
  readonly edges: Listed<Edge>;
}

/** @throws KubeError if the cluster does not answer */
export async function readClusterParts(reader: KubeReader, signal: AbortSignal): Promise<ClusterParts> {
  const crds = KINDS.map(({ plural, group }) => reader.get<Crd>(CRD, { name: `${plural}.${group}` }, signal));
  const edges = reader.list<Edge>(STATEFUL_SET, undefined, signal, EDGES);
  return { crds: await Promise.all(crds), edges: await edges };
}

/** @param version the version of this program */
export function checkClusterParts({ crds, edges }: ClusterParts, version: string): Finding[] {
  return [
    ...KINDS.flatMap((kind, at) => checkCrd(kind, crds[at], version)),
    ...edges.items.flatMap((edge) => checkEdge(edge, version)),
    ...(edges.gap === undefined ? [] : [unchecked('edges', edges.gap.problem)]),
  ];
}

/** @param problem a sentence */
export function unchecked(what: 'CRDs' | 'edges' | 'CRDs and the edges', problem: string): Finding {
  return warn(
    'service',
    `the ${what} were not checked: ${problem}`,
    'Run the check where a kubeconfig of the cluster may read CustomResourceDefinitions and StatefulSets.',
  );
}

function checkCrd(kind: ResourceType, crd: Crd | Gap | undefined, version: string): Finding[] {
  if (crd === undefined || isGap(crd)) {
    if (crd?.gap === 'right') return [unchecked('CRDs', crd.problem)];
    return [warn('service', `the cluster has no CRD of ${kind.kind}`, 'The chart of this version installs it.')];
  }
  const schemaVersion = crd.metadata.annotations?.[SCHEMA_VERSION] ?? null;
  const served = crd.spec.versions.flatMap((each) => (each.served ? [each.name] : []));
  const unknownVersions = (crd.status?.storedVersions ?? []).filter((stored) => stored !== kind.version);
  const what = `CRD of ${kind.kind}: schema of version ${schemaVersion ?? 'unknown'}, served as ${served.join(', ')}`;
  const findings = [judgeSchema(what, schemaVersion, version)];
  if (!served.includes(kind.version))
    findings.push(
      fail(
        'service',
        `the cluster does not serve ${apiVersionOf(kind)} of ${kind.kind}, which this version reads`,
        'Apply the CRDs of this version before you upgrade operators and solvers.',
      ),
    );
  if (unknownVersions.length > 0)
    findings.push(
      fail(
        'service',
        `objects of ${kind.kind} may be stored as ${unknownVersions.join(', ')}, which this version does not have`,
        `Write every object again, and remove ${unknownVersions.join(', ')} from status.storedVersions of the CRD.`,
      ),
    );
  return findings;
}

function judgeSchema(what: string, schemaVersion: string | null, version: string): Finding {
  if (schemaVersion === null)
    return warn(
      'service',
      what,
      'The chart sets the version. Compare CRDs from other manifests with those of the release.',
    );
  const order = compareVersions(schemaVersion, version);
  if (order === 0) return ok('service', what);
  return order < 0
    ? warn('service', what, `It is older than ${version}: the chart of this version upgrades it, before the operator.`)
    : warn(
        'service',
        what,
        `It is newer than ${version}: the chart keeps it, because an older one drops newer fields.`,
      );
}

function checkEdge({ metadata, spec, status }: Edge, version: string): Finding[] {
  const name = `${metadata.namespace}/${metadata.name}`;
  const [ready, wanted] = [status?.readyReplicas ?? 0, spec.replicas ?? 1];
  const seenVersion = metadata.labels?.[VERSION] ?? null;
  const versionFindings = checkVersions('edge', 'node', [{ name, version: seenVersion }], version);
  if (ready >= wanted) return versionFindings;
  return [
    ...versionFindings,
    fail('node', `edge ${name}: ${ready} of ${wanted} pods are ready`, {
      words: 'Wait until all are ready, or repair them: an upgrade restarts them one after the other.',
      commands: [`kubectl get pods -n ${metadata.namespace} -l ${EDGES}`],
    }),
  ];
}
