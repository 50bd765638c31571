// The values of the chart as a zod schema, and values.schema.json made of it. Helm rejects a value that is not in the
// schema, and names the value and the accepted ones. Pure.
import { z } from 'zod';
import { CLUSTER_NAME } from '#base/part-names.ts';
import {
  component,
  deployment,
  families,
  highPort,
  image,
  list,
  listenAddresses,
  name,
  networks,
  octets,
  open,
  PROBES,
  persistence,
  podAddresses,
  podDisruptionBudget,
  port,
  pullPolicy,
  replicaCount,
  resolvers,
  statefulSet,
  tag,
  texts,
  values,
} from './common-values.ts';
import { database } from './database-values.ts';
import { byProfile, monitoring, PRODUCTION_NEEDS } from './profile-values.ts';
import { hostName, pins, secondaries, secondaryName, tsig } from './secondary-values.ts';
import { trusts } from './trust-values.ts';

const url = z
  .string()
  .regex(/^(https?:\/\/.+)?$/)
  .meta({ id: 'url' });

/** As Kubernetes accepts it in an Ingress and in an HTTPRoute: lower case, and a wildcard is the whole first label. */
const ruleHost = z
  .string()
  .regex(/^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
  .meta({ id: 'ruleHost' });

/** A port, or a range of ports with both ends. */
const portRange = z
  .string()
  .regex(/^[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?$/)
  .meta({ id: 'portRange' });

const serviceType = z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']).meta({ id: 'serviceType' });

/** A Secret of the user, and the key in it. */
const existing = values({ existingSecret: name, key: z.string().min(1) }).meta({ id: 'existing' });

/** Null means that a HorizontalPodAutoscaler manages the number. */
const scaled = z.union([replicaCount, z.null()]).meta({ id: 'scaled' });

const api = deployment({
  enabled: z.boolean(),
  replicaCount: scaled,
  maxReplicas: scaled,
  limits: z.boolean(),
  readOnly: z.string().max(200),
  readsPerMinute: z.int().min(60).max(1_000_000),
  powerdnsApi: z.boolean(),
  updates: values({
    enabled: z.boolean(),
    port: highPort,
    service: values({
      ...{ type: serviceType, port, annotations: texts },
      ...{ loadBalancerIP: z.string(), loadBalancerClass: z.string(), loadBalancerSourceRanges: z.array(z.string()) },
      externalTrafficPolicy: z.enum(['', 'Local', 'Cluster']),
    }),
  }),
  publicSuffixes: z.enum(['refuse', 'allow']),
  danglingHours: z.int().min(0).max(8_760),
  quarantineHours: z.int().min(0).max(8_760),
  quotas: values({
    zones: z.int().min(0),
    records: z.int().min(0),
    bytes: octets,
    keys: z.int().min(0),
    members: z.int().min(0),
  }),
  history: values({ days: z.int().min(1), bytes: octets }),
  reservedNames: z.array(z.string().regex(/^[a-z0-9_.-]+$/)),
  resolvers,
  delegationCheck: z.boolean(),
  privateTlds: z.array(z.string().regex(/^[a-z0-9_-]+$/)),
  checks: values({ networks, ports: z.array(portRange) }),
  databaseConnections: z.int().min(1).max(500),
  maxConnections: z.int().min(1).max(1_000_000),
  maxConnectionsPerAddress: z.int().min(1).max(1_000_000),
  trustedProxies: networks,
  proxyHeader: z.enum(['X-Forwarded-For', 'Forwarded']),
  proxyProtocol: z.boolean(),
  tls: values({
    enabled: z.boolean(),
    existingSecret: name,
    port: highPort,
    hosts: z.array(z.string().regex(/^[a-zA-Z0-9.:-]+$/)),
  }),
  service: values({
    type: serviceType,
    plain: z.union([z.boolean(), z.null()]),
    port,
    tlsPort: port,
    annotations: texts,
  }),
  encryption: values({ existingSecret: name }),
  console: values({
    enabled: z.boolean(),
    url,
    existingSecret: name,
    oidc: values({
      issuer: url,
      clientId: z.string(),
      existingSecret: name,
      secretKey: z.string().min(1),
      scopes: z.string().regex(/\bopenid\b/),
      groupsClaim: z.string().min(1),
      trustEmail: z.boolean(),
      teams: texts,
    }),
  }),
  podDisruptionBudget,
});

const operator = deployment({
  enabled: z.boolean(),
  replicaCount,
  namespaces: z.array(name.min(1)),
  cluster: z.string().regex(new RegExp(`^(${CLUSTER_NAME.source.slice(1, -1)})?$`)),
  apiKey: existing,
  limits: values({ records: z.int().min(1).max(1_000_000), zones: z.int().min(1).max(1_000_000) }),
  url,
  caSecret: name,
  caKey: z.string().min(1),
  resolvers,
  parentNetworks: networks,
  nameserverAddresses: z.record(hostName, z.string()),
  proof: z.enum(['Reachable', 'All']),
  leaderElection: values({ namespace: name }),
  podDisruptionBudget,
});

const canary = deployment({
  enabled: z.boolean(),
  zone: z.union([z.literal(''), hostName]),
  team: z.string().min(1).max(64),
  name: z.string().regex(/^([a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?)?$/),
  ...{ url, caSecret: name, caKey: z.string().min(1), apiKey: existing },
  nameserverAddresses: z.record(hostName, z.string()),
  changeSeconds: z.int().min(5).max(3_600),
  querySeconds: z.int().min(1).max(3_600),
  limitSeconds: z.int().min(5).max(300),
  challengeMinutes: z.int().min(0).max(1_440),
});

const solver = deployment({
  enabled: z.boolean(),
  replicaCount,
  port: highPort,
  certificate: values({
    mode: z.enum(['self', 'cert-manager', 'existing']),
    existingSecret: name,
    caBundle: z.string(),
  }),
  certManager: values({ serviceAccountName: name.min(1), namespace: name.min(1) }),
  podDisruptionBudget,
});

const dnsTls = values({ existingSecret: name, port: highPort });

const nameserver = statefulSet({
  enabled: z.boolean(),
  replicaCount: scaled,
  image,
  knot: values({
    workers: z.int().min(1).max(64),
    rateLimit: z.int().min(0).max(1_000_000),
    rateLimitExempt: networks,
    cookieSecret: existing,
    tls: dnsTls,
    resources: open,
    ...PROBES,
  }),
  persistence,
  podServices: values({
    enabled: z.boolean(),
    type: serviceType,
    port,
    tlsPort: port,
    addresses: podAddresses,
    annotations: texts,
  }),
  feed: values({ url, caSecret: name, caKey: z.string().min(1) }),
  nodeKey: existing,
  behindSeconds: z.int().min(10).max(604_800),
  loadSeconds: z.int().min(10).max(86_400),
  compareMinutes: z.int().min(1).max(10_080),
  probes: z.boolean(),
  listenAddresses,
  port: highPort,
  podDisruptionBudget,
});

const edge = statefulSet({
  enabled: z.boolean(),
  replicaCount: z.int().min(1).max(32),
  secondary: secondaryName,
  primaries: z.array(z.string().regex(/^(\[[0-9a-fA-F:.]+(%[^\]]*)?\]|[A-Za-z0-9_.-]+):[0-9]{1,5}$/)).max(8),
  primaryPins: pins,
  networks,
  tsig,
  knot: values({
    workers: z.int().min(1).max(64),
    rateLimit: z.int().min(0).max(1_000_000),
    rateLimitExempt: networks,
    tls: dnsTls,
  }),
  listenAddresses,
  port: highPort,
  persistence,
  podServices: values({ type: serviceType, port, addresses: podAddresses, annotations: texts }),
  waitSeconds: z.int().min(0).max(604_800),
  metrics: values({ resources: open }),
  podDisruptionBudget,
});

const dnsService = values({
  type: serviceType,
  split: z.boolean(),
  port,
  tlsPort: port,
  annotations: texts,
  udpAnnotations: texts,
  tcpAnnotations: texts,
  clusterIP: z.string(),
  loadBalancerIP: z.string(),
  loadBalancerClass: z.string(),
  loadBalancerSourceRanges: z.array(z.string()),
  allocateLoadBalancerNodePorts: z.union([z.boolean(), z.null()]),
  externalTrafficPolicy: z.enum(['', 'Local', 'Cluster']),
  ...families(''),
});

const ingress = values({
  enabled: z.boolean(),
  className: z.string(),
  annotations: texts,
  labels: texts,
  hosts: z.array(
    values({
      host: ruleHost,
      paths: z.array(
        values({
          path: z.string().regex(/^\//),
          pathType: z.enum(['Prefix', 'Exact', 'ImplementationSpecific']),
        }),
      ),
    }),
  ),
  tls: z.array(values({ secretName: name, hosts: z.array(ruleHost) })),
  allowWithoutTls: z.boolean(),
});

const httpRoute = values({
  enabled: z.boolean(),
  annotations: texts,
  labels: texts,
  parentRefs: list,
  hostnames: z.array(ruleHost),
  rules: list,
  allowWithoutTls: z.boolean(),
});

const chart = values({
  // Open, because a parent chart can have its own values there (helm/helm#10392).
  global: z.looseObject({
    imageRegistry: z.string().optional(),
    imagePullSecrets: z.array(z.string()).optional(),
    nodeSelector: texts.optional(),
    tolerations: list.optional(),
    affinity: open.optional(),
    topologySpreadConstraints: list.optional(),
    priorityClassName: z.string().optional(),
    commonLabels: texts.optional(),
    commonAnnotations: texts.optional(),
  }),
  enabled: z.boolean(),
  profile: z.enum(['standard', 'small', 'production']),
  onePod: byProfile,
  providedElsewhere: z.array(z.enum(PRODUCTION_NEEDS)),
  docsUrl: url,
  nameOverride: z.string(),
  fullnameOverride: z.string(),
  namespaceOverride: name,
  commonLabels: texts,
  commonAnnotations: texts,
  image: values({ registry: z.string(), repository: z.string().min(1), tag, digest: image.shape.digest, pullPolicy }),
  imagePullSecrets: z.array(z.string()),
  logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  clusterDomain: hostName,
  ...families(),
  nameservers: z.array(hostName),
  hostmaster: z.union([z.literal(''), hostName]),
  crds: values({
    enabled: z.boolean(),
    keep: z.boolean(),
    refuseOlder: z.boolean(),
    warnings: z.boolean(),
    annotations: texts,
  }),
  database,
  bootstrap: component({
    team: z.string().min(1).max(64),
    rotation: z.string().max(253),
    timeoutSeconds: z.int().min(1),
    ttlSecondsAfterFinished: z.union([z.int().min(0), z.null()]),
    annotations: texts,
  }),
  certificates: component({ mode: z.enum(['self', 'cert-manager']), schedule: z.string().min(9) }),
  trusts,
  api,
  operator,
  solver,
  nameserver,
  edge,
  secondaries,
  dns: values({ service: dnsService }),
  ingress,
  httpRoute,
  networkPolicy: values({
    enabled: byProfile,
    apiServerPorts: z.array(port),
    databasePorts: z.array(port),
    apiFrom: list,
    metricsFrom: list,
  }),
  monitoring,
  canary,
  tracing: values({ endpoint: url }),
  rbac: values({ aggregateToDefaultRoles: z.boolean() }),
  uninstall: component({ releaseFinalizers: z.boolean() }),
  test: component({ enabled: z.boolean() }),
  extraObjects: z.array(z.union([z.string(), open])),
});

type Node = { properties?: Record<string, Node>; description?: string; [key: string]: unknown };

/** values.schema.json; descriptions by dotted path come from the comments in values.yaml. */
export function valuesSchema(descriptions: ReadonlyMap<string, string>): string {
  const schema = z.toJSONSchema(chart, { target: 'draft-2020-12', io: 'input', reused: 'ref' }) as Node;
  describe(schema, '', descriptions);
  return `${compact({ ...schema, title: 'Values of the chart zonestead' })}\n`;
}

/**
 * A `$ref` stays one line of its own with its description, because a shared schema has no description that fits every
 * use.
 */
function describe(node: Node, path: string, descriptions: ReadonlyMap<string, string>): void {
  const text = descriptions.get(path);
  if (text !== undefined) node.description = text;
  for (const [key, child] of Object.entries(node.properties ?? {})) {
    describe(child, path === '' ? key : `${path}.${key}`, descriptions);
  }
}

const LINE_WIDTH = 160;

/** JSON in which an object or a list takes one line if it fits there. */
function compact(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const line = oneLine(value);
  if (indent.length + line.length <= LINE_WIDTH && indent !== '') return line;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((item) => deeper + compact(item, deeper)).join(',\n')}\n${indent}]`;
  const entries = Object.entries(value).map(
    ([key, item]) => `${deeper}${JSON.stringify(key)}: ${compact(item, deeper)}`,
  );
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`);
  return `{ ${entries.join(', ')} }`;
}
