// Schemas of the values that every component of the chart has. Objects that the chart passes on to Kubernetes are open,
// so that newer fields of Kubernetes work too.
import { z } from 'zod';

/**
 * An object with these keys only. Each is optional, because Helm removes a value that is set to null (Helm, "Values
 * Files").
 */
export function values<Shape extends z.ZodRawShape>(shape: Shape) {
  const entries = Object.entries(shape).map(([key, schema]) => [key, (schema as z.ZodType).optional()]);
  return z.strictObject(Object.fromEntries(entries) as { [K in keyof Shape]: z.ZodType });
}

export const open = z.looseObject({}).meta({ id: 'open' });
export const texts = z.record(z.string(), z.string()).meta({ id: 'texts' });
export const list = z.array(open).meta({ id: 'list' });
export const name = z
  .string()
  .regex(/^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$/)
  .meta({ id: 'name' });
export const port = z.int().min(1).max(65_535).meta({ id: 'port' });
export const highPort = z.int().min(1_024).max(65_535).meta({ id: 'highPort' });
export const replicaCount = z.int().min(0).max(100).meta({ id: 'replicaCount' });
export const pullPolicy = z.enum(['Always', 'IfNotPresent', 'Never']).meta({ id: 'pullPolicy' });
/** A Kubernetes quantity, for instance 2Gi or 500m. */
export const quantity = z
  .string()
  .regex(/^[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi)?$/)
  .meta({ id: 'quantity' });
/** Text or number, because `--set` turns "18" into a number. */
export const tag = z.union([z.string(), z.number()]).meta({ id: 'tag' });
export const resolvers = z
  .array(z.string().regex(/^(\[[0-9a-fA-F:.]+(%[^\]]*)?\]|[0-9.]+):[0-9]{1,5}$/))
  .meta({ id: 'resolvers' });

export const image = values({
  registry: z.string().describe('Overrides global.imageRegistry'),
  repository: z.string().min(1),
  tag,
  digest: z
    .string()
    .regex(/^(sha256:[0-9a-f]{64})?$/)
    .describe('sha256:…, overrides the tag'),
  pullPolicy,
}).meta({ id: 'image' });

export const persistence = values({
  enabled: z.boolean(),
  size: quantity,
  storageClassName: z.string(),
  annotations: texts,
}).meta({ id: 'persistence' });

export const serviceAccount = values({
  create: z.boolean(),
  name,
  annotations: texts,
  labels: texts,
  automount: z.boolean(),
}).meta({ id: 'serviceAccount' });

/** The values of the pod of every component, each with its description for the reference. */
export const POD_VALUES: Readonly<Record<string, readonly [z.ZodType, string]>> = {
  resources: [open, 'requests and limits of the container'],
  nodeSelector: [texts, 'overrides `global.nodeSelector`'],
  tolerations: [list, 'overrides `global.tolerations`'],
  affinity: [
    open,
    'overrides `global.affinity`, and the default preference for different nodes for the pods of one component',
  ],
  topologySpreadConstraints: [list, 'overrides `global.topologySpreadConstraints`'],
  priorityClassName: [z.string(), 'overrides `global.priorityClassName`'],
  runtimeClassName: [z.string(), ''],
  hostUsers: [z.boolean(), '`false` gives the pod its own user namespace'],
  dnsPolicy: [z.enum(['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']), ''],
  dnsConfig: [open, ''],
  hostAliases: [list, ''],
  terminationGracePeriodSeconds: [z.int().min(0), ''],
  podLabels: [texts, ''],
  podAnnotations: [texts, 'for instance for a reloader'],
  podSecurityContext: [open, 'merged over the settings of the Pod Security level "restricted"'],
  securityContext: [open, 'the same for the containers'],
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

/** Probes of a container that runs until its pod ends. */
export const PROBES = { startupProbe: open, livenessProbe: open, readinessProbe: open };

/** The values of every Deployment and StatefulSet, each with its description for the reference. */
export const WORKLOAD_VALUES: Readonly<Record<string, readonly [z.ZodType, string]>> = {
  startupProbe: [
    open,
    'merged over the fields of the default; a handler, for instance `exec`, replaces the default one',
  ],
  livenessProbe: [open, 'the same'],
  readinessProbe: [open, 'the same'],
  revisionHistoryLimit: [z.int().min(0), 'number of old revisions that Kubernetes keeps for a rollback'],
};

const UPDATES = 'replaces the default, a rolling update';
/** The name of the value that says how an update replaces pods is the name of the field. */
export const UPDATE_VALUES: Readonly<Record<string, readonly [z.ZodType, string]>> = {
  strategy: [open, `of a Deployment: ${UPDATES}`],
  updateStrategy: [open, `of a StatefulSet: ${UPDATES}`],
};

const schemas = (described: Readonly<Record<string, readonly [z.ZodType, string]>>) =>
  Object.fromEntries(Object.entries(described).map(([key, [schema]]) => [key, schema]));

/** The values of a component: its own, and those of its pod. */
export function component<Shape extends z.ZodRawShape>(own: Shape) {
  return values({ ...schemas(POD_VALUES), ...own });
}

/** The same for a component whose pods run all the time. */
export function deployment<Shape extends z.ZodRawShape>(own: Shape) {
  return component({ ...schemas(WORKLOAD_VALUES), strategy: open, ...own });
}
export function statefulSet<Shape extends z.ZodRawShape>(own: Shape) {
  return component({ ...schemas(WORKLOAD_VALUES), updateStrategy: open, ...own });
}

export const podDisruptionBudget = values({
  enabled: z.boolean().describe('Has an effect only with more than one replica'),
  maxUnavailable: z
    .union([z.int().min(0), z.string().regex(/^[0-9]+%$/), z.null()])
    .describe('Set either this or minAvailable'),
  minAvailable: z.union([z.int().min(0), z.string().regex(/^[0-9]+%$/)]),
  unhealthyPodEvictionPolicy: z
    .enum(['AlwaysAllow', 'IfHealthyBudget', ''])
    .describe('With AlwaysAllow, pods that are not ready do not block a node drain'),
}).meta({ id: 'podDisruptionBudget' });

/** The values of an object that can be in another namespace. */
export function elsewhere<Shape extends z.ZodRawShape>(own: Shape) {
  return values({ enabled: z.boolean(), namespace: name, labels: texts, annotations: texts, ...own });
}

/**
 * The forms of addresses accept a zone id (`fe80::1%eth0`): address-checks.yaml refuses it with a sentence, and a
 * schema has no sentences.
 */
export const networks = z.array(z.string().regex(/^[0-9a-fA-F:.]+(%[^/]*)?(\/[0-9]{1,3})?$/)).meta({ id: 'networks' });
export const podAddresses = z.array(z.string().regex(/^[0-9a-fA-F.:]+(%.*)?$/));

const ipFamilies = z
  .array(z.enum(['IPv4', 'IPv6']))
  .max(2)
  .meta({ id: 'ipFamilies' });

/** The families of a Service. @param more further values of the policy */
export function families(...more: string[]) {
  return {
    ipFamilyPolicy: z.enum([...more, 'SingleStack', 'PreferDualStack', 'RequireDualStack']),
    ipFamilies,
  };
}

export const listenAddresses = z.array(z.string().regex(/^(\*|[0-9a-fA-F.:]+(%.*)?)$/)).min(1);

export const octets = z
  .string()
  .regex(/^[0-9]+(Ki|Mi|Gi|Ti)?$/)
  .meta({ id: 'octets' });
