// The keys that send the heartbeats of the cluster, and the DNSRecords that run after a drain or a restoration.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import type { Cluster } from '#contract/clusters.ts';
import { sendHeartbeat } from '#contract/operations/clusters.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { OperatorContext } from '#operator/access/context.ts';
import { OlderObjects } from '#operator/cluster/older.ts';
import { createClusterReports } from '#operator/cluster/reports.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { createLogger } from '#telemetry/log.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';
import { FakeClock, settle } from '../../support/time/fake-clock.ts';

let clock: FakeClock;
let sent: string[];
let ran: string[];
let state: Cluster['state'];
let changed: NonNullable<Cluster['changed']>;
let marked: string[];
let zones: DNSZone[];
let records: DNSRecord[];
let stop: AbortController;
let ended: Promise<void>;

const client = (key: string) =>
  fakeClient(
    on(sendHeartbeat, async ({ query }) => {
      expect(query?.instance).toBe('uid of kube-system');
      sent.push(`${key} ${query?.owner}`);
      return { state, settled: true, changed } as Cluster;
    }),
  );
const metadata = (name: string) => ({ namespace: 'default', name });
const zone = (name: string, secret?: string) =>
  ({
    metadata: metadata(name),
    spec: secret === undefined ? {} : { credentialsSecretRef: { name: secret } },
    status: { zoneId: name, owner: `org:${name}` },
  }) as unknown as DNSZone;
const record = (name: string, reason: string) =>
  ({ metadata: metadata(name), status: { conditions: [{ type: 'Propagated', reason }] } }) as unknown as DNSRecord;

beforeEach(() => {
  clock = new FakeClock();
  [sent, ran, zones, records, state, changed, marked] = [[], [], [], [], 'active', [], []];
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await ended;
});

async function start(): Promise<void> {
  const context = {
    clock,
    cluster: () => 'east',
    credentials: {
      own: { client: client('own'), owner: async () => 'org:own' },
      remembered: (zoneId: string) => (zoneId === 'unread' ? undefined : { client: client(`key of ${zoneId}`) }),
    },
    namespaces: { get: (name: string) => ({ metadata: { uid: `uid of ${name}` } }) },
    zones: { list: () => zones, listedAt: () => 0 },
    older: new OlderObjects(realClock),
    records: {
      listedAt: () => 0,
      byIndex: (_index: unknown, key: string) => (key === keyOf(zone('a') as DNSZone) ? records : []),
      get: (key: string) => records.find((each) => keyOf(each) === key),
    },
    held: { changedBy: (key: string, by: string) => marked.push(`${key} ${by}`) },
    enqueueRecord: (key: string) => ran.push(key),
  } as unknown as OperatorContext;
  const log = createLogger({ name: 'operator', destination: { write: () => undefined } });
  ended = createClusterReports(context, log, () => undefined, undefined).run(stop.signal);
  await settle();
}

test('each zone is reported with the key that writes its records; one whose key is not known yet is not', async () => {
  zones = [zone('a'), zone('b', 'secret'), zone('unread', 'secret')];
  await start();
  expect(sent.sort()).toEqual(['key of b org:b', 'own org:a']);
});

test('a drain runs all records of the zone, and its end those that it withdrew', async () => {
  zones = [zone('a')];
  records = [record('served', 'Propagated'), record('withdrawn', 'ClusterDrained')];
  await start();
  expect(ran.splice(0)).toEqual(['default/withdrawn']);
  state = 'drained';
  await clock.advance(10_000);
  expect(ran.splice(0).sort()).toEqual(['default/served', 'default/withdrawn']);
  state = 'active';
  await clock.advance(10_000);
  expect(ran).toEqual(['default/withdrawn']);
});

test('a DNSRecord whose records another client changed runs, and one of another cluster or without an object does not', async () => {
  zones = [zone('a')];
  records = [record('www', 'Propagated')];
  const told = (owner: string, change: number, by = 'key ci') => ({ change, zoneId: 'a', owner, by });
  changed = [
    told('k8s:east/default/www', 3, 'key second'),
    told('k8s:east/default/www', 2, 'key first'),
    told('k8s:west/default/www', 2),
    told('k8s:east/default/gone', 1),
  ];
  await start();
  expect(new Set(ran)).toEqual(new Set(['default/www']));
  expect(marked).toEqual(['default/www key first', 'default/www key second']);
});
