// What a rendered chart must hold to: the checks that kube-linter makes by default (stackrox/kube-linter docs/generated/checks.md),
// said again here because its Go module cannot be had everywhere, and a few of Polaris'. Each finding is one line.
import type { Rendered } from './chart.ts';

interface Pod {
  at: string;
  labels: Record<string, string>;
  spec: Rendered;
}

/** What is wrong with these objects, as they would be in one cluster. */
export function findings(objects: readonly Rendered[]): string[] {
  const pods = objects.flatMap(podOf);
  const accounts = new Set(
    objects.flatMap((object) => (object.kind === 'ServiceAccount' ? [object.metadata.name] : [])),
  );
  return [
    ...pods.flatMap((pod) => podFindings(pod, accounts)),
    ...objects.flatMap((object) => objectFindings(object, pods)),
    ...duplicates(objects),
  ];
}

function podOf(object: Rendered): Pod[] {
  const at = `${object.kind} ${object.metadata.name}`;
  if (object.kind === 'Pod') return [{ at, labels: object.metadata.labels ?? {}, spec: object.spec }];
  const template = object.spec?.template;
  if (template?.spec?.containers === undefined) return [];
  const claims = (object.spec.volumeClaimTemplates ?? []).map(({ metadata }: Rendered) => metadata);
  const spec = { ...template.spec, volumes: [...claims, ...(template.spec.volumes ?? [])] };
  return [{ at, labels: template.metadata?.labels ?? {}, spec }];
}

function podFindings({ at, spec }: Pod, accounts: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const say = (what: string) => found.push(`${at}: ${what}`);
  const { securityContext: pod = {}, serviceAccountName = 'default' } = spec;
  if (serviceAccountName !== 'default' && !accounts.has(serviceAccountName))
    say(`no ServiceAccount ${serviceAccountName}`);
  if (spec.automountServiceAccountToken === undefined) say('automountServiceAccountToken is not said');
  if (spec.hostNetwork || spec.hostPID || spec.hostIPC) say('shares a namespace of the host');
  if (pod.seccompProfile?.type !== 'RuntimeDefault') say('no seccomp profile');
  if (pod.sysctls) say('sysctls');
  const volumes = new Set<string>((spec.volumes ?? []).map((volume: { name: string }) => volume.name));
  for (const volume of spec.volumes ?? []) {
    if (volume.hostPath) say(`hostPath ${volume.name}`);
    const mode = volume.secret?.defaultMode;
    if (mode !== undefined && (mode & 0o037) !== 0) say(`others can read or change Secret ${volume.name}`);
  }
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    for (const what of containerFindings(container, pod, volumes)) say(`${container.name}: ${what}`);
  }
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: a container as YAML holds it.
function containerFindings(container: any, pod: any, volumes: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const { securityContext: own = {}, resources = {}, image = '', env = [] } = container;
  if (!/@sha256:|:[^/]+$/.test(image) || image.endsWith(':latest')) found.push(`image ${image} without a version`);
  if (own.allowPrivilegeEscalation !== false) found.push('may escalate');
  if (own.privileged) found.push('privileged');
  if (own.readOnlyRootFilesystem !== true) found.push('root can be written');
  if ((own.runAsNonRoot ?? pod.runAsNonRoot) !== true) found.push('may run as root');
  if (!own.capabilities?.drop?.includes('ALL')) found.push('keeps capabilities');
  if (!resources.requests?.cpu) found.push('no cpu request');
  if (!resources.requests?.memory || !resources.limits?.memory) found.push('no memory request or limit');
  const ports = new Set(
    container.ports?.flatMap((port: { name: string; containerPort: number }) => [port.name, port.containerPort]),
  );
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const port = container[probe]?.httpGet?.port ?? container[probe]?.tcpSocket?.port;
    if (port !== undefined && !ports.has(port)) found.push(`${probe} asks port ${port}, which it has not`);
  }
  const names = env.map((each: { name: string }) => each.name);
  for (const name of new Set(names.filter((each: string, at: number) => names.indexOf(each) !== at))) {
    found.push(`${name} is set twice`);
  }
  for (const { name, value } of env) {
    if (/secret|password|api_?key$|token/i.test(name) && value && !name.endsWith('_FILE'))
      found.push(`${name} in clear text`);
  }
  for (const { name } of container.volumeMounts ?? []) if (!volumes.has(name)) found.push(`no volume ${name}`);
  return found;
}

function objectFindings(object: Rendered, pods: readonly Pod[]): string[] {
  const at = `${object.kind} ${object.metadata.name}`;
  const { kind, spec } = object;
  const selects = (selector: Record<string, string>) =>
    pods.filter(({ labels }) => Object.entries(selector).every(([key, value]) => labels[key] === value));
  const found: string[] = [];
  if (kind === 'Deployment' || kind === 'StatefulSet') {
    if (!selects(spec.selector.matchLabels).some((pod) => pod.at === at)) found.push('selects not its own pods');
    if (selects(spec.selector.matchLabels).length > 1) found.push("selects another's pods as well");
    if (spec.replicas > 1 && !spec.template.spec.affinity && !spec.template.spec.topologySpreadConstraints)
      found.push('its pods may all be on one node');
  }
  if (kind === 'Job' && spec.ttlSecondsAfterFinished === undefined) found.push('stays for ever');
  if (kind === 'PodDisruptionBudget') {
    if (spec.maxUnavailable === 0 || spec.minAvailable === '100%') found.push('keeps nodes from being drained');
    if (spec.unhealthyPodEvictionPolicy === undefined) found.push('unhealthyPodEvictionPolicy is not said');
    const [pod] = selects(spec.selector.matchLabels);
    if (!pod) found.push('selects nothing');
  }
  if (kind === 'Service') {
    const [pod] = selects(spec.selector);
    if (!pod) found.push('selects nothing');
    const names = (pod?.spec.containers ?? []).flatMap((container: Rendered) => container.ports ?? []);
    for (const { targetPort } of spec.ports) {
      if (!names.some((port: { name: string }) => port.name === targetPort))
        found.push(`leads to no port ${targetPort}`);
    }
  }
  return found.map((what) => `${at}: ${what}`);
}

function duplicates(objects: readonly Rendered[]): string[] {
  const keys = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
  return keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `${key} is there twice`);
}
