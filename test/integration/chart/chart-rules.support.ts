// The rules of a rendered chart in addition to kube-linter (test/support/chart/kube-linter.yaml) and the Pod Security
// level "restricted", which a server checks (integration/chart/server.test.ts): a few of Polaris' checks, and rules
// about a release as a whole. Each finding is one line.
import type { Rendered } from '../../support/chart/chart.ts';

/** The controller of StatefulSets adds it. */
const POD_NAME = 'statefulset.kubernetes.io/pod-name';

interface Pod {
  at: string;
  labels: Record<string, string>;
  spec: Rendered;
}

/** The findings about these objects, as they would be in one cluster. */
export function findings(objects: readonly Rendered[]): string[] {
  const pods = objects.flatMap(toPods);
  return [
    ...pods.flatMap(podFindings),
    ...objects.flatMap((object) => objectFindings(object, pods)),
    ...duplicates(objects),
  ];
}

function toPods(object: Rendered): Pod[] {
  const at = `${object.kind} ${object.metadata.name}`;
  if (object.kind === 'CronJob') return toPods({ ...object, kind: 'Job', spec: object.spec.jobTemplate.spec });
  if (object.kind === 'Pod') return [{ at, labels: object.metadata.labels ?? {}, spec: object.spec }];
  const template = object.spec?.template;
  if (template?.spec?.containers === undefined) return [];
  const claims = (object.spec.volumeClaimTemplates ?? []).map(({ metadata }: Rendered) => metadata);
  const spec = { ...template.spec, volumes: [...claims, ...(template.spec.volumes ?? [])] };
  return [{ at, labels: template.metadata?.labels ?? {}, spec }];
}

function podFindings({ at, spec }: Pod): string[] {
  const found: string[] = [];
  if (spec.automountServiceAccountToken === undefined) found.push('automountServiceAccountToken is not said');
  const volumes = new Set<string>((spec.volumes ?? []).map((volume: { name: string }) => volume.name));
  for (const { name, secret } of spec.volumes ?? []) {
    const mode = secret?.defaultMode;
    if (mode !== undefined && (mode & 0o037) !== 0) found.push(`others can read or change Secret ${name}`);
  }
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    // A server takes a StatefulSet with such a mount, and no pod of it is ever made.
    for (const { name } of container.volumeMounts ?? [])
      if (!volumes.has(name)) found.push(`${container.name}: no volume ${name}`);
  }
  return found.map((what) => `${at}: ${what}`);
}

function objectFindings(object: Rendered, pods: readonly Pod[]): string[] {
  const { kind, spec } = object;
  const selects = (selector: Record<string, string>) =>
    pods.filter(({ labels }) =>
      Object.entries(selector).every(([key, value]) => key === POD_NAME || labels[key] === value),
    );
  const found: string[] = [];
  if (kind === 'Deployment' || kind === 'StatefulSet') {
    if (selects(spec.selector.matchLabels).length > 1) found.push("selects another's pods as well");
  }
  if (kind === 'PodDisruptionBudget') {
    const [pod] = selects(spec.selector.matchLabels);
    if (!pod) found.push('selects nothing');
  }
  if (kind === 'Service') {
    const [pod] = selects(spec.selector);
    const names = (pod?.spec.containers ?? []).flatMap((container: Rendered) => container.ports ?? []);
    for (const { targetPort } of spec.ports) {
      if (!names.some((port: { name: string }) => port.name === targetPort))
        found.push(`leads to no port ${targetPort}`);
    }
  }
  return found.map((what) => `${kind} ${object.metadata.name}: ${what}`);
}

function duplicates(objects: readonly Rendered[]): string[] {
  const keys = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
  return keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `${key} is there twice`);
}
