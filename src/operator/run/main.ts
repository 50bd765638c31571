// The operator process: connects the caches, the queues, the reconcilers and the clients of the service.

import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { realClock } from '#base/clock.ts';
import { Limit } from '#base/limit.ts';
import { chain, type WriteInterceptor } from '#base/write-interceptor.ts';
import { watchOwnKey } from '#client/own-key.ts';
import { createServiceWatch } from '#client/service-watch.ts';
import type { Config } from '#config.ts';
import { connectCluster, type KubeCluster } from '#kube/api/cluster.ts';
import { inTurns } from '#kube/api/turns.ts';
import { interceptKubeWrites } from '#kube/api/write-interceptor.ts';
import { createNamespaceCount } from '#kube/cache/namespaces.ts';
import { createConditionTrim } from '#kube/cache/trim.ts';
import { createManager, type Manager } from '#kube/controller/manager.ts';
import type { WorkQueue } from '#kube/controller/queue.ts';
import { createElection, type Election, type ElectionOptions, whileLeading } from '#kube/leader/election.ts';
import { LEASES } from '#kube/leader/lease.ts';
import { countLeadership, createKubeMetrics, type KubeMetrics } from '#kube/metrics.ts';
import { ENDPOINT_SLICE, type EndpointSlice, SERVICE_NAME, trimSlice } from '#kube/objects/endpoint-slices.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { createParentLookup, type ParentLookup } from '#nameserver/probe/parent.ts';
import { chooseResolvers, parseOverrides, publicAddresses } from '#nameserver/probe/probe.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { LEASE, RENEWALS, REPORTER } from '#resources/names.ts';
import { zoneNameIndex } from '#resources/zone-ref.ts';
import { createLogger, type Logger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { startTracing } from '#telemetry/tracing.ts';
import { zonesAboveIndex } from '../access/claims.ts';
import { BY_ZONE_ABOVE, BY_ZONE_NAME, type OperatorContext } from '../access/context.ts';
import { createKindCheck } from '../access/crds.ts';
import { createCredentials } from '../access/credentials.ts';
import { createCheckWatch, createServiceSignals } from '../checks/connect.ts';
import { FollowedServices, SLICE_INDEXES } from '../checks/services.ts';
import { ControlPlane, runAwayReports, untilReachable } from '../cluster/away.ts';
import type { Heartbeats } from '../cluster/heartbeats.ts';
import { OlderObjects } from '../cluster/older.ts';
import { createClusterReports } from '../cluster/reports.ts';
import { SeenRestore } from '../cluster/seen-restore.ts';
import { createPropagation } from '../proof/propagation.ts';
import { HeldOwners } from '../record/held.ts';
import { RECORD_INDEXES } from '../record/indexes.ts';
import { createRecordReconciler } from '../record/reconcile.ts';
import { createZoneReconciler } from '../zone/reconcile.ts';
import {
  countControlPlane,
  countCordoned,
  countHeartbeats,
  countHeld,
  countUnreachable,
  countWaitingStatuses,
  createObserver,
} from './metrics.ts';
import { RECORD_WORKERS, recordQueueOptions, runsOnRecovery, ZONE_WORKERS, zoneQueueOptions } from './queues.ts';
import { createServiceConnections } from './service-connections.ts';
import type { OPERATOR_SETTINGS } from './settings.ts';
import { createStatusOrder } from './statuses.ts';
import { createTrace, type Trace } from './trace.ts';
import { connectTriggers } from './triggers.ts';

/** Options that only tests set. */
export interface Runtime {
  /** Intercepts every write of both reconcilers at the API server and at the service. */
  readonly intercept?: WriteInterceptor;
  /** (Default: JSON to standard output.) */
  readonly log?: Logger;
  /** The operator opens a watch again that was silent for this time, in ms. (Default: see kube/cache/reflector.ts.) */
  readonly silenceMs?: number;
  /** The time limit of one call to the API server, in ms. (Default: see kube/api/transport.ts.) */
  readonly callTimeoutMs?: number;
  /** (Default: see kube/leader/election.ts.) */
  readonly lease?: Pick<ElectionOptions, 'durationMs' | 'deadlineMs' | 'retryMs'>;
  /** The operator reads a Secret with an API key again after this time, in ms. (Default: see access/credentials.ts.) */
  readonly credentialsMs?: number | undefined;
  /** The time between two heartbeats, in ms. (Default: see cluster/heartbeats.ts.) */
  readonly heartbeatMs?: number | undefined;
  /** The time between two looks at the health checks, in ms. (Default: see checks/watch.ts.) */
  readonly checksMs?: number | undefined;
}

type OperatorConfig = Config<(typeof OPERATOR_SETTINGS)[number]>;

/**
 * Concurrent calls about objects, and those of a single namespace. Some connections remain for the lease and Events.
 */
const KUBE_CALLS = 16;
const KUBE_CALLS_ALONE = 12;
const KUBE_CONNECTIONS = 20;

/**
 * Runs until the signal aborts. Runs in progress get up to 10 s to end.
 * @throws when a part fails, and when another replica has become the leader
 */
export async function runOperator(config: OperatorConfig, signal: AbortSignal, runtime: Runtime = {}): Promise<void> {
  const log = runtime.log ?? createLogger({ name: 'operator', level: config.ZONESTEAD_LOG_LEVEL });
  const metrics = createMetrics({ component: 'operator' });
  const tracing = await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, service: 'zonestead-operator' });
  const kubeMetrics = createKubeMetrics(metrics);
  const controlPlane = new ControlPlane(realClock);
  countControlPlane(metrics, controlPlane);
  const cluster = await connectKube(config, kubeMetrics, controlPlane, runtime.callTimeoutMs);
  const election = createLeaderElection(config, cluster, log, runtime.lease);
  countLeadership(metrics, election);
  const trace = createTrace(log, realClock, tracing);
  const intercept = chain(...(election ? [whileLeading(election)] : []), ...[runtime.intercept ?? []].flat());
  const statuses = createStatusOrder();
  countWaitingStatuses(metrics, statuses);
  const calls = new Limit({ permits: KUBE_CALLS, share: KUBE_CALLS_ALONE, isFair: true });
  const api = statuses.ordered(inTurns(interceptKubeWrites(cluster.api, intercept), calls));
  const services = createServiceConnections({ config, metrics, trace, isTraced: tracing.isOn, intercept, statuses });
  const manager = createManager({
    api: cluster.api,
    log,
    metrics,
    kubeMetrics,
    health: config.ZONESTEAD_HEALTH_LISTEN,
    election,
    silenceMs: runtime.silenceMs,
    onLost: (end) => untilReachable({ clock: realClock, controlPlane }, end),
  });

  const seenRestore = new SeenRestore(realClock, randomUUID);
  const caches = createCaches(manager, config.ZONESTEAD_NAMESPACES, seenRestore);
  const { zones, records, namespaces } = caches;
  const tenants = createNamespaceCount([zones, records]);
  const ownConnection = services.connect(config.ZONESTEAD_API_KEY, () => tenants() - 1);
  const zoneQueue = manager.queue(zoneQueueOptions());
  const recordQueue = manager.queue(recordQueueOptions(records));
  const heldOwners = new HeldOwners(realClock);
  countHeld(metrics, heldOwners, zones);
  connectTriggers({ ...caches, zoneQueue, recordQueue, held: heldOwners });

  const ownKey = watchOwnKey(ownConnection.client, realClock, log);
  manager.readyWhen('api key', ownKey.accepted);
  const watch = createServiceWatch(ownConnection.client, realClock);
  manager.task((end) => watch.run(end));
  const overrides = parseOverrides(config.ZONESTEAD_NAMESERVER_ADDRESSES);
  const propagation = createPropagation({
    overrides,
    clock: realClock,
    date: () => new Date(),
    scope: config.ZONESTEAD_PROOF,
  });
  countUnreachable(metrics, propagation.reach);
  countCordoned(metrics, () => propagation.cordons());
  const shared = {
    clock: realClock,
    ...caches,
    credentials: createCredentials({
      api,
      own: ownConnection,
      connect: services.connect,
      clock: realClock,
      refreshMs: runtime.credentialsMs,
    }),
    enqueueRecord: (key: string) => recordQueue.add(key),
    cluster: () => config.ZONESTEAD_CLUSTER ?? namespaces.get('kube-system')?.metadata.uid,
    isNameTaken: (zone: DNSZone) => heartbeats.isNameTaken(zone),
    isEtcdRestored: (zone: DNSZone | undefined) => heartbeats.isEtcdRestored(zone),
  };
  const checks = createCheckWatch(shared, log, config.ZONESTEAD_NAMESPACES, runtime.checksMs);
  const followedServices = createFollowedServices(manager, config.ZONESTEAD_NAMESPACES);
  const signals = createServiceSignals({ ...shared, checks }, followedServices, log);
  const context: OperatorContext = {
    ...shared,
    api,
    checks,
    services: followedServices,
    lookUpParent: createLookup(config, overrides),
    events: trace.events(manager.events(REPORTER)),
    propagation,
    observer: createObserver(metrics, caches),
    enqueueZone: (key) => zoneQueue.add(key),
    ...runsOnRecovery(watch, zoneQueue, recordQueue),
    now: () => new Date(),
    watches: (namespace) => config.ZONESTEAD_NAMESPACES?.includes(namespace) ?? true,
    isDrained: (zone) => heartbeats.isDrained(zone),
    older: new OlderObjects(realClock),
    seenRestore,
    isKindDeleted: createKindCheck(api, log),
    held: heldOwners,
    nonce: () => randomBytes(12).toString('hex'),
  };
  const count = countHeartbeats(metrics, {
    failingMs: () => heartbeats.failingMs(),
    isRestored: () => heartbeats.isAnyRestored(),
  });
  const lease = election && (() => election.progress());
  const heartbeats: Heartbeats = createClusterReports(context, log, count, lease, runtime.heartbeatMs);
  manager.task((end) => heartbeats.run(end));
  manager.task((end) => checks.run(end));
  manager.task((end) => signals.run(end));
  addControllers(manager, trace, context, { zoneQueue, recordQueue });
  // Replicas that wait for the lease check their key too.
  const end = new AbortController();
  const looking = ownKey.run(end.signal);
  const look = (limit: AbortSignal) => cluster.api.get(LEASES, placeOfLease(config, cluster), limit);
  const reporting = runAwayReports({ clock: realClock, log, controlPlane, heartbeats, look }, end.signal);
  try {
    await manager.run(signal);
  } finally {
    end.abort(new DOMException('The process is stopping', 'AbortError'));
    await Promise.all([looking, reporting]);
    await services.close();
    await cluster.close();
    await tracing.close();
  }
}

function connectKube(
  config: OperatorConfig,
  { calls }: KubeMetrics,
  controlPlane: ControlPlane,
  timeoutMs: number | undefined,
): Promise<KubeCluster> {
  const { KUBECONFIG: kubeconfig, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = config;
  return connectCluster({
    observe: (method, status, seconds) => {
      calls(method, status, seconds);
      controlPlane.observe(method, status);
    },
    maxConnections: KUBE_CONNECTIONS,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    pod: host === undefined ? undefined : { host, port },
  });
}

function addControllers(
  manager: Manager,
  trace: Trace,
  context: OperatorContext,
  { zoneQueue, recordQueue }: Readonly<Record<'zoneQueue' | 'recordQueue', WorkQueue>>,
): void {
  manager.controller({
    name: 'zones',
    queue: zoneQueue,
    concurrency: ZONE_WORKERS,
    reconcile: trace.runs('DNSZone', createZoneReconciler(context, Math.random)),
  });
  manager.controller({
    name: 'records',
    queue: recordQueue,
    concurrency: RECORD_WORKERS,
    reconcile: trace.runs('DNSRecord', createRecordReconciler(context)),
  });
}

/** @param namespaces those whose objects the operator sees; undefined: all */
function createCaches(manager: Manager, namespaces: readonly string[] | undefined, seenRestore: SeenRestore) {
  return {
    zones: manager.cache<DNSZone>(DNS_ZONE, {
      namespaces,
      wentBack: () => seenRestore.note('zones'),
      indexes: { [BY_ZONE_NAME]: zoneNameIndex, [BY_ZONE_ABOVE]: zonesAboveIndex },
    }),
    records: manager.cache<DNSRecord>(DNS_RECORD, {
      namespaces,
      wentBack: () => seenRestore.note('records'),
      indexes: RECORD_INDEXES,
      transform: createConditionTrim(),
    }),
    namespaces: manager.cache<KubeObject>(NAMESPACE),
  };
}

function createFollowedServices(manager: Manager, namespaces: readonly string[] | undefined): FollowedServices {
  const scope = { namespaces, labelSelector: SERVICE_NAME };
  const settings = { ...scope, indexes: SLICE_INDEXES, transform: trimSlice };
  return new FollowedServices(manager.cacheOnDemand<EndpointSlice>(ENDPOINT_SLICE, settings));
}

/** Null if no resolver is configured. */
function createLookup(config: OperatorConfig, overrides: ReturnType<typeof parseOverrides>): ParentLookup | null {
  if (!config.ZONESTEAD_RESOLVER) return null;
  return createParentLookup({
    resolvers: chooseResolvers(config.ZONESTEAD_RESOLVER),
    overrides,
    mayQuery: publicAddresses(config.ZONESTEAD_PARENT_NETWORKS),
  });
}

function placeOfLease(config: OperatorConfig, cluster: KubeCluster): { namespace: string; name: string } {
  return {
    namespace: config.ZONESTEAD_LEASE_NAMESPACE ?? cluster.namespace,
    name: config.ZONESTEAD_LEASE_NAME ?? LEASE,
  };
}

/** Returns undefined when this process is the only one: outside a cluster, with a kubeconfig. */
function createLeaderElection(
  config: OperatorConfig,
  cluster: KubeCluster,
  log: Logger,
  times: Runtime['lease'] = {},
): Election | undefined {
  if (!(config.ZONESTEAD_LEADER_ELECTION ?? config.KUBECONFIG === undefined)) return undefined;
  return createElection({
    ...times,
    api: cluster.api,
    ...placeOfLease(config, cluster),
    countIn: RENEWALS,
    // A new identity after every start: writes of the previous process on this host may still arrive.
    identity: config.ZONESTEAD_LEASE_IDENTITY ?? `${hostname()}_${randomBytes(6).toString('hex')}`,
    log,
    clock: realClock,
    random: Math.random,
    date: () => new Date(),
  });
}
