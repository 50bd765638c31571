// Sets of values with which the chart is rendered, by their purpose.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Values } from './chart.ts';

const example = (name: string) =>
  parse(readFileSync(new URL(`../../../charts/zonestead/examples/${name}.yaml`, import.meta.url), 'utf8')) as Values;

/** The values for production, which the pages name. */
const production = example('production');
/** The values of the example for nodes in another region. */
export const region = example('region');

const AUTHORITY = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const barman = { name: 'barman-cloud.cloudnative-pg.io' };
const external = { mode: 'external', external: { existingSecret: 'postgres' } };

/** All settings that a component accepts in addition to its own values. */
const everything = {
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'dns', operator: 'Exists' }],
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { a: 'b' } },
    },
  ],
  priorityClassName: 'system-cluster-critical',
  hostUsers: false,
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['192.0.2.53'] },
  hostAliases: [{ ip: '192.0.2.1', hostnames: ['db.example'] }],
  podLabels: { team: 'dns' },
  podAnnotations: { 'reloader.example/auto': 'true' },
  podSecurityContext: { fsGroup: 2000 },
  securityContext: { runAsUser: 2000 },
  extraEnv: [{ name: 'TZ', value: 'UTC' }],
  extraEnvFrom: [{ configMapRef: { name: 'more', optional: true } }],
  extraVolumes: [{ name: 'more', emptyDir: { sizeLimit: '1Mi' } }],
  extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
  extraContainers: [
    {
      name: 'beside',
      image: 'example/beside:1',
      resources: { requests: { cpu: '1m', memory: '8Mi' }, limits: { memory: '8Mi' } },
      livenessProbe: { exec: { command: ['alive'] } },
      readinessProbe: { exec: { command: ['ready'] } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        capabilities: { drop: ['ALL'] },
      },
    },
  ],
  serviceAccount: { annotations: { 'cloud.example/role': 'dns' }, labels: { a: 'b' } },
};

/** The same for a component whose pods run all the time. */
const running = {
  ...everything,
  startupProbe: { failureThreshold: 600 },
  livenessProbe: { exec: { command: ['/bin/true'] } },
  readinessProbe: { periodSeconds: 5 },
  revisionHistoryLimit: 3,
};
const deployment = { ...running, strategy: { type: 'Recreate' } };
const statefulSet = { ...running, updateStrategy: { type: 'OnDelete' } };

export const VALUE_SETS: Readonly<Record<string, Values>> = {
  defaults: {},
  production,
  'profile small': { profile: 'small' },
  'profile small with a Postgres elsewhere, updates, monitoring and policies': {
    profile: 'small',
    api: { updates: { enabled: true } },
    database: external,
    networkPolicy: { enabled: true },
    monitoring: { serviceMonitor: { enabled: true } },
    nameserver: { hostAliases: [{ ip: '192.0.2.1', hostnames: ['db.example'] }] },
  },
  'one pod without operator and solver, with a certificate of yours': {
    ...{ profile: 'small', operator: { enabled: false, replicaCount: 1 }, solver: { enabled: false } },
    api: { tls: { enabled: false } },
    crds: { enabled: false },
  },
  'a Postgres elsewhere': {
    database: { ...external, external: { existingSecret: 'postgres', tls: { caSecret: 'ca' } } },
  },
  CloudNativePG: { database: { mode: 'cnpg', cnpg: { operatorInstalled: true, extraSpec: { logLevel: 'debug' } } } },
  'CloudNativePG from a backup': {
    database: {
      mode: 'cnpg',
      cnpg: {
        operatorInstalled: true,
        clusterName: 'restored',
        bootstrap: { recovery: { source: 'before', recoveryTarget: { targetTime: '2026-06-30T08:00:00Z' } } },
        externalClusters: [{ name: 'before', plugin: { ...barman, parameters: { serverName: 'zonestead-db' } } }],
        plugins: [{ ...barman, isWALArchiver: true, parameters: { barmanObjectName: 'store' } }],
        scheduledBackup: { enabled: true },
      },
    },
    monitoring: { podMonitor: { enabled: true, labels: { release: 'prometheus' }, scrapeTimeout: '10s' } },
  },
  'the second release of a cluster': {
    solver: { enabled: false },
    crds: { enabled: false },
    operator: { namespaces: ['team-a', 'team-b'] },
  },
  'the solver with a certificate by cert-manager': { solver: { certificate: { mode: 'cert-manager' } } },
  'the solver with a certificate that is given': {
    solver: { certificate: { mode: 'existing', existingSecret: 'tls', caBundle: AUTHORITY }, port: 9443 },
  },
  'certificates by cert-manager': {
    certificates: { mode: 'cert-manager' },
    api: { tls: { hosts: ['dns.example.net', '192.0.2.1', '2001:db8::1'] } },
    networkPolicy: { enabled: true },
  },
  'a certificate of the api that is given': {
    api: { tls: { existingSecret: 'api-cert', port: 9443 }, service: { tlsPort: 8443 } },
    networkPolicy: { enabled: true },
  },
  'an api in a service mesh that encrypts': { api: { tls: { enabled: false } }, networkPolicy: { enabled: true } },
  'an operator for a service in another cluster': {
    operator: { url: 'https://dns.example.net', apiKey: { existingSecret: 'key', key: 'token' } },
    networkPolicy: { enabled: true },
  },
  'names for every namespace': example('namespaces'),
  'no tokens of the cluster': {
    trusts: {
      ownCluster: { enabled: false },
      list: [{ name: 'ci', issuer: 'https://i.example', match: { sub: 'a' } }],
    },
    operator: { apiKey: { existingSecret: 'key' } },
    networkPolicy: { enabled: true },
  },
  'the REST service alone': { operator: { enabled: false }, solver: { enabled: false }, crds: { enabled: false } },
  'name servers of another region': { ...region, networkPolicy: { enabled: true } },
  'name servers on machines outside of clusters': {
    nameserver: { enabled: false },
    nameservers: ['ns1.example.net'],
    networkPolicy: { enabled: true },
  },
  'hidden name servers with edges': {
    ...example('edges'),
    secondaries: [
      {
        name: 'eu',
        addresses: ['198.51.100.53', '[2001:db8::1]:5353'],
        allZones: true,
        nameservers: ['ns4.example.net'],
      },
      {
        name: 'us',
        addresses: ['198.51.100.54:5300'],
        transfersFrom: ['203.0.113.0/24'],
        zones: ['a.example'],
        offerTo: { all: true },
        tsig: { existingSecret: 'given', key: 'tsig', name: 'us.test', algorithm: 'hmac-sha512' },
      },
    ],
  },
  'edges of another region': { ...example('edge-region'), networkPolicy: { enabled: true } },
  'an address for each name server': {
    nameserver: { podServices: { enabled: true, type: 'LoadBalancer', addresses: ['192.0.2.1', '192.0.2.2'] } },
  },
  'an operator and name servers for a service in another cluster': {
    ...region,
    operator: { url: 'https://dns.example.net', apiKey: { existingSecret: 'key' } },
    crds: { enabled: true },
    networkPolicy: { enabled: true },
  },
  'images from a mirror, by digest': {
    global: { imageRegistry: 'mirror.example:5000/dns', imagePullSecrets: ['mirror'], commonLabels: { cost: 'dns' } },
    image: { digest: DIGEST },
    imagePullSecrets: ['mirror', 'other'],
    nameserver: { image: { digest: DIGEST } },
    database: { builtin: { image: { registry: 'other.example', digest: DIGEST } } },
  },
  'a load balancer for each protocol': {
    dns: {
      service: {
        type: 'LoadBalancer',
        split: true,
        annotations: { 'lb.example/shared': 'dns' },
        udpAnnotations: { 'lb.example/udp': 'yes' },
        ipFamilyPolicy: 'PreferDualStack',
        ipFamilies: ['IPv4'],
        loadBalancerSourceRanges: ['192.0.2.0/24'],
        loadBalancerClass: 'lb.example/internal',
        allocateLoadBalancerNodePorts: false,
      },
    },
    nameserver: {
      listenAddresses: ['0.0.0.0', '::'],
      podDisruptionBudget: { enabled: true, maxUnavailable: null, minAvailable: 1 },
    },
  },
  'DNS updates at a load balancer': {
    api: {
      updates: {
        enabled: true,
        service: {
          type: 'LoadBalancer',
          annotations: { 'lb.example/shared': 'updates' },
          loadBalancerSourceRanges: ['192.0.2.0/24'],
        },
      },
    },
  },
  'an Ingress with TLS': {
    api: { trustedProxies: ['10.0.0.0/8'] },
    ingress: {
      enabled: true,
      className: 'nginx',
      annotations: { 'cert-manager.io/cluster-issuer': 'public' },
      hosts: [
        { host: 'dns.example.net' },
        { host: '*.dns.example.org', paths: [{ path: '/v1' }, { path: '/console', pathType: 'Exact' }] },
      ],
      tls: [{ secretName: 'dns-tls', hosts: ['dns.example.net', '*.dns.example.org'] }],
    },
    networkPolicy: { enabled: true, apiFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress-nginx' } } }] },
  },
  'proxies that use TLS to the api': {
    api: { trustedProxies: ['10.0.0.0/8'], service: { plain: false, tlsPort: 8443 } },
    ingress: {
      enabled: true,
      annotations: { 'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS' },
      hosts: [{ host: 'dns.example.net' }],
      tls: [{ secretName: 'dns-tls' }],
    },
    httpRoute: { enabled: true, parentRefs: [{ name: 'gateway', port: 443 }], hostnames: ['dns.example.net'] },
    networkPolicy: { enabled: true },
  },
  'a proxy that the chart does not make': {
    api: { trustedProxies: ['10.0.0.0/8'], service: { plain: true } },
    networkPolicy: { enabled: true },
  },
  'an HTTPRoute': {
    api: { trustedProxies: ['10.0.0.0/8', '2001:db8::/64'], proxyHeader: 'Forwarded', service: { port: 8080 } },
    httpRoute: {
      enabled: true,
      labels: { gateway: 'public' },
      parentRefs: [{ name: 'gateway', namespace: 'team-a', sectionName: 'https' }],
      hostnames: ['dns.example.net'],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/' } }],
          filters: [
            { type: 'ResponseHeaderModifier', responseHeaderModifier: { set: [{ name: 'x-by', value: 'gateway' }] } },
          ],
          timeouts: { request: '60s' },
        },
      ],
    },
  },
  'an HTTPRoute for all paths': {
    api: { trustedProxies: ['10.0.0.0/8'] },
    httpRoute: { enabled: true, parentRefs: [{ name: 'gateway', port: 443 }], hostnames: ['dns.example.net'] },
  },
  'everything that can be added': {
    commonLabels: { owner: 'dns' },
    commonAnnotations: { contact: 'dns@example.net' },
    bootstrap: { ...everything, rotation: '2027-01', ttlSecondsAfterFinished: 60 },
    api: {
      ...deployment,
      console: {
        url: 'https://dns.example.net',
        oidc: {
          issuer: 'https://login.example.net',
          clientId: 'zonestead',
          existingSecret: 'oidc',
          teams: { 'dns-admins': 'platform:owner', developers: 'platform' },
        },
      },
    },
    operator: { ...deployment, nameserverAddresses: { 'ns1.example.net': '192.0.2.53' }, resolvers: ['192.0.2.1:53'] },
    solver: deployment,
    canary: { ...deployment, enabled: true, zone: 'canary.example.net', nameserverAddresses: { 'ns1.a': '192.0.2.9' } },
    edge: {
      ...statefulSet,
      enabled: true,
      persistence: { enabled: false },
      knot: { rateLimitExempt: ['192.0.2.0/24'], tls: { existingSecret: 'dns-tls' } },
    },
    nameserver: {
      ...statefulSet,
      persistence: { enabled: false },
      knot: {
        rateLimit: 0,
        rateLimitExempt: ['192.0.2.0/24'],
        cookieSecret: { existingSecret: 'cookies' },
        tls: { existingSecret: 'dns-tls' },
      },
    },
    database: { builtin: { ...statefulSet, existingSecret: 'passwords', persistence: { enabled: false } } },
    networkPolicy: { enabled: true },
    monitoring: {
      serviceMonitor: { enabled: true, namespace: 'monitoring', labels: { release: 'prometheus' } },
      prometheusRule: { enabled: true, runbookUrl: 'https://dns.example.net/alerts.md' },
      dashboard: { enabled: true, namespace: 'monitoring' },
    },
    tracing: { endpoint: 'http://collector:4318' },
    crds: { annotations: { 'argocd.argoproj.io/sync-options': 'ServerSideApply=true' } },
    extraObjects: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-more' }, data: { a: 'b' } },
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ include "zonestead.fullname" . }}-text\n',
    ],
  },
  'a canary': {
    canary: { enabled: true, zone: 'canary.example.net' },
    networkPolicy: { enabled: true, apiFrom: [{ podSelector: {} }] },
    monitoring: { serviceMonitor: { enabled: true } },
  },
  'a canary of another region': {
    ...region,
    canary: {
      ...{ enabled: true, zone: 'canary.example.net', name: 'canary-eu', url: 'https://dns.example.net:8443' },
      ...{ caSecret: 'zonestead-api-ca', apiKey: { existingSecret: 'canary-key', key: 'token' } },
    },
    networkPolicy: { enabled: true },
  },
  'other names': { nameOverride: 'dns', fullnameOverride: 'names', namespaceOverride: 'elsewhere' },
};
