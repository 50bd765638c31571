// The connections that NetworkPolicies allow, as Kubernetes reads them (networking.k8s.io/v1): for tests of the
// rendered chart.
import type { Rendered } from './chart.ts';

/** Where a connection comes from. Labels of its pod, and of its namespace. */
export interface Source {
  pod: Readonly<Record<string, string>>;
  namespace: Readonly<Record<string, string>>;
}

interface Target {
  namespace: string;
  labels: Readonly<Record<string, string>>;
  /** Numbers by port name. */
  ports: ReadonlyMap<string, number>;
}

/** The pod of a Deployment, StatefulSet or Job. */
export function toTarget({ metadata, spec }: Rendered): Target {
  const { template } = spec;
  const named = template.spec.containers.flatMap(({ ports = [] }: Rendered) => ports);
  return {
    namespace: metadata.namespace ?? '',
    labels: template.metadata.labels,
    ports: new Map(named.map((port: { name: string; containerPort: number }) => [port.name, port.containerPort])),
  };
}

/**
 * Whether a connection is let in: by any policy that selects the pod, or because none does.
 * @param sameNamespace labels of the policies' own namespace, where a peer without namespaceSelector has to be
 */
export function letsIn(
  objects: readonly Rendered[],
  target: Target,
  port: { number: number; protocol?: 'TCP' | 'UDP' },
  source: Source,
  sameNamespace: Readonly<Record<string, string>>,
): boolean {
  const policies = objects.filter(
    ({ kind, metadata, spec }) =>
      kind === 'NetworkPolicy' &&
      metadata.namespace === target.namespace &&
      spec.policyTypes.includes('Ingress') &&
      fits(spec.podSelector, target.labels),
  );
  if (policies.length === 0) return true;
  const { protocol = 'TCP' } = port;
  return policies.some(({ spec }) =>
    (spec.ingress ?? []).some((rule: Rendered) => {
      const atPort = (each: { port: number | string; endPort?: number; protocol?: string }) => {
        const first = typeof each.port === 'string' ? target.ports.get(each.port) : each.port;
        if (first === undefined || (each.protocol ?? 'TCP') !== protocol) return false;
        return first <= port.number && port.number <= (each.endPort ?? first);
      };
      const isPeer = (each: Rendered) =>
        each.ipBlock === undefined &&
        fits(each.podSelector ?? {}, source.pod) &&
        (each.namespaceSelector ? fits(each.namespaceSelector, source.namespace) : source.namespace === sameNamespace);
      return (
        (rule.ports === undefined || rule.ports.some(atPort)) && (rule.from === undefined || rule.from.some(isPeer))
      );
    }),
  );
}

/** Only matchLabels, which is all that the chart writes. @throws for expressions */
function fits(selector: Rendered | Record<string, never>, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector as Rendered;
  for (const { key, operator } of matchExpressions) {
    if (operator !== 'DoesNotExist') throw new Error(`the operator ${operator} of matchExpressions is not read here`);
    if (key in labels) return false;
  }
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
}
