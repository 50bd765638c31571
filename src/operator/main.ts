// The operator process: caches, queues, reconcilers and the way to the service put together. Wiring only.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { aroundClientWrites } from '../client/around.ts';
import { type Client, createClient } from '../client/client.ts';
import { createDispatcher } from '../client/dispatcher.ts';
import { withSharedReads } from '../client/shared-reads.ts';
import { createRecordWriter } from '../client/writer.ts';
import type { Config } from '../config.ts';
import { type Around, aroundKubeWrites, nested } from '../kube/around.ts';
import { realClock } from '../kube/clock.ts';
import { type Cluster, connectCluster } from '../kube/cluster.ts';
import { createElection, type Election, type ElectionOptions, whileLeading } from '../kube/election.ts';
import { createManager } from '../kube/manager.ts';
import { createKubeMetrics } from '../kube/metrics.ts';
import { HIGH_PRIORITY, NORMAL_PRIORITY, type WorkQueue } from '../kube/queue.ts';
import type { KubeObject } from '../kube/resource.ts';
import { parseOverrides, resolversOf } from '../nameserver/probe.ts';
import { createLogger, type Logger } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { startTracing } from '../telemetry/tracing.ts';
import { type Connection, createCredentials } from './credentials.ts';
import { createParentLook } from './delegated.ts';
import { BY_ZONE_ABOVE, BY_ZONE_NAME, type House, NAMESPACE } from './house.ts';
import { countLeadership, countRequests, createObserver } from './metrics.ts';
import { LEASE, REPORTER } from './names.ts';
import { watchOwnKey } from './own-key.ts';
import { createPaceMetrics, type PaceMetrics } from './pace-metrics.ts';
import { createPropagation } from './propagation.ts';
import { createSeal } from './record-birth.ts';
import { createRecordTrim } from './record-cache.ts';
import { isChallenge } from './record-create.ts';
import { recordIndexes } from './record-indexes.ts';
import { createRecordReconciler } from './record-reconciler.ts';
import { DNS_RECORD, type DNSRecord } from './resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from './resources/dnszone.ts';
import { createServiceWatch } from './service-watch.ts';
import { createTrace } from './trace.ts';
import { connectWakes } from './wakes.ts';
import { zoneNameIndex, zonesAboveIndex } from './zone-claims.ts';
import { createZoneReconciler } from './zone-reconciler.ts';

export const OPERATOR_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'ZONESTEAD_URL',
  'ZONESTEAD_API_KEY',
  'KUBECONFIG',
  'ZONESTEAD_NAMESPACES',
  'ZONESTEAD_NAMESERVER_ADDRESSES',
  'ZONESTEAD_RESOLVER',
  'ZONESTEAD_LEADER_ELECTION',
  'ZONESTEAD_LEASE_NAMESPACE',
  'ZONESTEAD_LEASE_NAME',
  'ZONESTEAD_LEASE_IDENTITY',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const;

/** What only tests change. */
export interface Runtime {
  /** Fault points: about every write of both reconcilers, at the API server and at the service. (Default: none.) */
  readonly around?: Around;
  /** (Default: JSON to standard output.) */
  readonly log?: Logger;
  /** A watch without a byte for this long is opened again, in ms. (Default: reflector.ts.) */
  readonly silenceMs?: number;
  /** The limit of one call to the API server, in ms. (Default: transport.ts.) */
  readonly callTimeoutMs?: number;
  /** (Default: election.ts.) */
  readonly lease?: Pick<ElectionOptions, 'durationMs' | 'deadlineMs' | 'retryMs'>;
}

type OperatorConfig = Config<(typeof OPERATOR_SETTINGS)[number]>;

const ZONE_WORKERS = 4;
/** Mostly waiting: for the API server's line, the next batch, the name servers. What waits at the same time goes as one. */
const RECORD_WORKERS = 128;

/**
 * Runs until the signal; what is under way gets up to 10 s to end. @throws when a part of it fails, and when another
 * replica has become the leader
 */
export async function runOperator(config: OperatorConfig, signal: AbortSignal, runtime: Runtime = {}): Promise<void> {
  const log = runtime.log ?? createLogger({ name: 'operator', level: config.ZONESTEAD_LOG_LEVEL });
  const metrics = createMetrics({ component: 'operator' });
  const tracing = await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, service: 'zonestead-operator' });
  const kubeMetrics = createKubeMetrics(metrics);
  const kubeconfig = config.KUBECONFIG;
  const cluster = await connectCluster({
    observe: kubeMetrics.calls,
    ...(runtime.callTimeoutMs === undefined ? {} : { timeoutMs: runtime.callTimeoutMs }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
  });
  const election = electionOf(config, cluster, log, runtime.lease);
  countLeadership(metrics, election);
  const trace = createTrace(log, realClock, tracing);
  const around = nested(...(election ? [whileLeading(election)] : []), ...(runtime.around ? [runtime.around] : []));
  const api = aroundKubeWrites(cluster.api, around);
  const pace = createPaceMetrics(metrics, realClock);
  const observe = countRequests(metrics);
  const connections: Connection[] = [];
  const connect = (key: string): Connection => {
    const plain = createClient({
      baseUrl: config.ZONESTEAD_URL,
      key,
      userAgent: 'zonestead-operator',
      observe,
      ...(tracing.isOn ? { trace: trace.calls } : {}),
    });
    const connection = connectionOf(
      withSharedReads(aroundClientWrites(plain, nested(trace.around, around)), realClock),
      pace,
    );
    connections.push(connection);
    return connection;
  };
  const own = connect(config.ZONESTEAD_API_KEY);
  const { client, dispatcher } = own;
  const manager = createManager({
    api: cluster.api,
    log,
    metrics,
    kubeMetrics,
    health: config.ZONESTEAD_HEALTH_LISTEN,
    election,
    silenceMs: runtime.silenceMs,
  });

  const seal = createSeal(config.ZONESTEAD_API_KEY);
  const scope = { namespaces: config.ZONESTEAD_NAMESPACES };
  const zones = manager.cache<DNSZone>(DNS_ZONE, {
    ...scope,
    indexes: { [BY_ZONE_NAME]: zoneNameIndex, [BY_ZONE_ABOVE]: zonesAboveIndex },
  });
  const records = manager.cache<DNSRecord>(DNS_RECORD, {
    ...scope,
    indexes: recordIndexes(seal),
    transform: createRecordTrim(),
  });
  const namespaces = manager.cache<KubeObject>(NAMESPACE);
  const zoneQueue = manager.queue({ name: 'zones' });
  // The dispatcher's lanes help those who have reached it: a worker must look at a challenge first.
  const recordQueue = manager.queue({
    name: 'records',
    priorityOf: (key) => {
      const record = records.get(key);
      return record && isChallenge(record) ? HIGH_PRIORITY : NORMAL_PRIORITY;
    },
  });
  connectWakes({ zones, records, namespaces, zoneQueue, recordQueue });

  const ownKey = watchOwnKey(client, realClock, log);
  manager.readyWhen('api key', ownKey.accepted);
  const watch = createServiceWatch(client, realClock);
  manager.task((end) => watch.run(end));
  const overrides = parseOverrides(config.ZONESTEAD_NAMESERVER_ADDRESSES);
  const house: House = {
    api,
    client,
    dispatcher,
    credentials: createCredentials({ api, own, connect, clock: realClock }),
    parents: config.ZONESTEAD_RESOLVER ? createParentLook(resolversOf(config.ZONESTEAD_RESOLVER), overrides) : null,
    events: trace.events(manager.events(REPORTER)),
    propagation: createPropagation(overrides, realClock),
    observer: createObserver(metrics, { zones, records }, realClock),
    zones,
    records,
    namespaces,
    wakeZone: (key) => zoneQueue.add(key),
    wakeRecord: (key) => recordQueue.add(key),
    wakeZoneWithService: (key) => watch.wait(`zone ${key}`, () => restart(zoneQueue, key)),
    wakeRecordWithService: (key) => watch.wait(`record ${key}`, () => restart(recordQueue, key)),
    owner: own.owner,
    now: () => new Date(),
    seal,
    nonce: () => randomBytes(12).toString('hex'),
  };
  manager.controller({
    name: 'zones',
    queue: zoneQueue,
    concurrency: ZONE_WORKERS,
    reconcile: trace.runs('DNSZone', createZoneReconciler(house, realClock, Math.random)),
  });
  manager.controller({
    name: 'records',
    queue: recordQueue,
    concurrency: RECORD_WORKERS,
    reconcile: trace.runs('DNSRecord', createRecordReconciler(house, realClock)),
  });
  // Of replicas that wait for the lease as well.
  const end = new AbortController();
  const looking = ownKey.run(end.signal);
  try {
    await manager.run(signal);
  } finally {
    end.abort(new DOMException('The process is stopping', 'AbortError'));
    await looking;
    await Promise.all(connections.map((connection) => connection.client.close()));
    await cluster.close();
    await tracing.close();
  }
}

/** A pace of its own for the client of an API key. */
function connectionOf(client: Client, pace: PaceMetrics): Connection {
  let owner: string | undefined;
  const { onPause } = pace;
  const writer = createRecordWriter(client);
  return {
    client,
    dispatcher: pace.observed(createDispatcher({ clock: realClock, random: Math.random, writer, onPause })),
    owner: async (signal) => {
      if (owner === undefined) {
        const { team } = await client.account({ signal });
        owner = team === undefined ? 'personal' : `org:${team.id}`;
      }
      return owner;
    },
  };
}

function restart(queue: WorkQueue, key: string): void {
  queue.forget(key);
  queue.add(key);
}

/** None when this process is the only one: on a person's machine, with a kubeconfig. */
function electionOf(
  config: OperatorConfig,
  cluster: Cluster,
  log: Logger,
  times: Runtime['lease'] = {},
): Election | undefined {
  if (!(config.ZONESTEAD_LEADER_ELECTION ?? config.KUBECONFIG === undefined)) return undefined;
  return createElection({
    ...times,
    api: cluster.api,
    namespace: config.ZONESTEAD_LEASE_NAMESPACE ?? cluster.namespace,
    name: config.ZONESTEAD_LEASE_NAME ?? LEASE,
    // A new name after every start: what the last process of this host had under way may still arrive.
    identity: config.ZONESTEAD_LEASE_IDENTITY ?? `${hostname()}_${randomBytes(6).toString('hex')}`,
    log,
    clock: realClock,
    random: Math.random,
    date: () => new Date(),
  });
}
