// Values that every component of the chart takes, as schemas. Their meaning is Kubernetes' own, so objects that are handed through
// stay open: whoever knows a newer field than we do may use it.
import { z } from 'zod';

/** Only these keys; each may be left out, because a value set to null is taken away (Helm, "Values Files"). */
export function values<Shape extends z.ZodRawShape>(shape: Shape) {
  const entries = Object.entries(shape).map(([key, schema]) => [key, (schema as z.ZodType).optional()]);
  return z.strictObject(Object.fromEntries(entries) as { [K in keyof Shape]: z.ZodType });
}

export const open = z.looseObject({});
export const texts = z.record(z.string(), z.string());
export const list = z.array(open);
export const name = z.string().regex(/^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$/);
export const port = z.int().min(1).max(65_535);
export const highPort = z.int().min(1_024).max(65_535);
export const replicas = z.int().min(0).max(100);
export const pullPolicy = z.enum(['Always', 'IfNotPresent', 'Never']);
/** A quantity of Kubernetes: 2Gi, 500m. */
export const quantity = z.string().regex(/^[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi)?$/);
/** Text or number: `--set` makes "18" a number. */
export const tag = z.union([z.string(), z.number()]);
export const resolvers = z.array(z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[0-9.]+):[0-9]{1,5}$/));

export const image = values({
  registry: z.string(),
  repository: z.string().min(1),
  tag,
  digest: z.string().regex(/^(sha256:[0-9a-f]{64})?$/),
  pullPolicy,
});

export const serviceAccount = values({
  create: z.boolean(),
  name,
  annotations: texts,
  labels: texts,
  automount: z.boolean(),
});

/** What a component takes beside its own values, with a word on each for the README. */
export const POD_VALUES: Readonly<Record<string, readonly [z.ZodType, string]>> = {
  resources: [open, 'requests and limits of its container'],
  nodeSelector: [texts, 'in place of `global.nodeSelector`'],
  tolerations: [list, 'in place of `global.tolerations`'],
  affinity: [open, 'in place of `global.affinity`, and of the wish that pods of one component be on different nodes'],
  topologySpreadConstraints: [list, 'in place of `global.topologySpreadConstraints`'],
  priorityClassName: [z.string(), 'in place of `global.priorityClassName`'],
  runtimeClassName: [z.string(), ''],
  hostUsers: [z.boolean(), '`false` for a user namespace of its own'],
  dnsPolicy: [z.enum(['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']), ''],
  dnsConfig: [open, ''],
  hostAliases: [list, ''],
  terminationGracePeriodSeconds: [z.int().min(0), ''],
  podLabels: [texts, ''],
  podAnnotations: [texts, 'e.g. for a reloader'],
  podSecurityContext: [open, 'merged over what the Pod Security level "restricted" asks for'],
  securityContext: [open, 'the same, of its containers'],
  extraEnv: [list, ''],
  extraEnvFrom: [list, ''],
  extraArgs: [z.array(z.string()), ''],
  extraVolumes: [list, ''],
  extraVolumeMounts: [list, ''],
  extraContainers: [list, ''],
  initContainers: [list, ''],
  serviceAccount: [serviceAccount, '`create`, `name`, `annotations`, `labels`, `automount`'],
  networkPolicy: [values({ extraIngress: list, extraEgress: list }), '`extraIngress`, `extraEgress`: further rules'],
};

/** A component: its own values and those of its pod. */
export function component<Shape extends z.ZodRawShape>(own: Shape) {
  const pod = Object.fromEntries(Object.entries(POD_VALUES).map(([key, [schema]]) => [key, schema]));
  return values({ ...pod, ...own });
}

export const pdb = values({
  enabled: z.boolean(),
  maxUnavailable: z.union([z.int().min(0), z.string().regex(/^[0-9]+%$/), z.null()]),
  minAvailable: z.union([z.int().min(0), z.string().regex(/^[0-9]+%$/)]),
  unhealthyPodEvictionPolicy: z.enum(['AlwaysAllow', 'IfHealthyBudget', '']),
});

/** Something that may be put into another namespace. */
export function elsewhere<Shape extends z.ZodRawShape>(own: Shape) {
  return values({ enabled: z.boolean(), namespace: name, labels: texts, annotations: texts, ...own });
}
