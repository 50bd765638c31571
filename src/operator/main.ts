// The operator process: caches, queues, reconcilers and the way to the service put together. Wiring only.
import { randomBytes } from 'node:crypto';
import { createClient } from '../client/client.ts';
import { createDispatcher } from '../client/dispatcher.ts';
import type { Config } from '../config.ts';
import { realClock } from '../kube/clock.ts';
import { connectCluster } from '../kube/cluster.ts';
import { createManager } from '../kube/manager.ts';
import { createKubeMetrics } from '../kube/metrics.ts';
import { HIGH_PRIORITY, NORMAL_PRIORITY, type WorkQueue } from '../kube/queue.ts';
import type { KubeObject } from '../kube/resource.ts';
import { parseOverrides } from '../nameserver/probe.ts';
import { createLogger } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { type Connection, createCredentials } from './credentials.ts';
import { createParentLook } from './delegated.ts';
import { BY_RECORD_ID, BY_ZONE, BY_ZONE_ABOVE, BY_ZONE_NAME, type House, NAMESPACE } from './house.ts';
import { REPORTER } from './names.ts';
import { createPropagation } from './propagation.ts';
import { isChallenge } from './record-create.ts';
import { createRecordReconciler } from './record-reconciler.ts';
import { zoneKeyOf } from './record-zone.ts';
import { DNS_RECORD, type DNSRecord } from './resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from './resources/dnszone.ts';
import { createServiceWatch } from './service-watch.ts';
import { connectWakes } from './wakes.ts';
import { zoneNameIndex, zonesAboveIndex } from './zone-claims.ts';
import { createZoneReconciler } from './zone-reconciler.ts';

export const OPERATOR_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'ZONESTEAD_URL',
  'ZONESTEAD_API_KEY',
  'KUBECONFIG',
  'ZONESTEAD_NAMESERVER_ADDRESSES',
  'ZONESTEAD_RESOLVER',
] as const;

const ZONE_WORKERS = 4;
const RECORD_WORKERS = 16;

/** Runs until the signal; what is under way gets up to 20 s to end. @throws when a part of it fails */
export async function runOperator(
  config: Config<(typeof OPERATOR_SETTINGS)[number]>,
  signal: AbortSignal,
): Promise<void> {
  const log = createLogger({ name: 'operator', level: config.ZONESTEAD_LOG_LEVEL });
  const metrics = createMetrics();
  const kubeMetrics = createKubeMetrics(metrics);
  const kubeconfig = config.KUBECONFIG;
  const cluster = await connectCluster({
    observe: kubeMetrics.calls,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
  });
  const connections: Connection[] = [];
  const connect = (key: string): Connection => {
    const connection = connectWith(config.ZONESTEAD_URL, key);
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
  });

  const zones = manager.cache<DNSZone>(DNS_ZONE, {
    indexes: { [BY_ZONE_NAME]: zoneNameIndex, [BY_ZONE_ABOVE]: zonesAboveIndex },
  });
  const records = manager.cache<DNSRecord>(DNS_RECORD, {
    indexes: {
      [BY_ZONE]: (record) => [zoneKeyOf(record)],
      [BY_RECORD_ID]: (record) => (record.status?.records ?? []).flatMap(({ id }) => id ?? []),
    },
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

  const watch = createServiceWatch(client, realClock);
  manager.task((end) => watch.run(end));
  const overrides = parseOverrides(config.ZONESTEAD_NAMESERVER_ADDRESSES);
  const house: House = {
    api: cluster.api,
    client,
    dispatcher,
    credentials: createCredentials({ api: cluster.api, own, connect, clock: realClock }),
    parents: config.ZONESTEAD_RESOLVER
      ? createParentLook(
          config.ZONESTEAD_RESOLVER.map(({ host, port }) => ({ address: host, port })),
          overrides,
        )
      : null,
    events: manager.events(REPORTER),
    propagation: createPropagation(overrides, realClock),
    zones,
    records,
    namespaces,
    wakeZone: (key) => zoneQueue.add(key),
    wakeZoneWithService: (key) => watch.wait(`zone ${key}`, () => restart(zoneQueue, key)),
    wakeRecordWithService: (key) => watch.wait(`record ${key}`, () => restart(recordQueue, key)),
    owner: own.owner,
    now: () => new Date(),
    nonce: () => randomBytes(12).toString('hex'),
  };
  manager.controller({
    name: 'zones',
    queue: zoneQueue,
    concurrency: ZONE_WORKERS,
    reconcile: createZoneReconciler(house, realClock, Math.random),
  });
  manager.controller({
    name: 'records',
    queue: recordQueue,
    concurrency: RECORD_WORKERS,
    reconcile: createRecordReconciler(house, realClock),
  });
  try {
    await manager.run(signal);
  } finally {
    await Promise.all(connections.map((connection) => connection.client.close()));
    await cluster.close();
  }
}

/** A client and a pace of its own for an API key. */
function connectWith(baseUrl: string, key: string): Connection {
  const client = createClient({ baseUrl, key, userAgent: 'zonestead-operator' });
  let owner: string | undefined;
  return {
    client,
    dispatcher: createDispatcher({ clock: realClock, random: Math.random }),
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
