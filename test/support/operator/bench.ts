// The reconcilers between a service and a cluster in memory: runs them one key after the other, kills and restarts
// them, and finally checks that everything is as the objects specify.

import type { NodesAnswer } from '#client/node-questions.ts';
import { createDispatcher } from '#client/pace/dispatcher.ts';
import { createRecordWriter } from '#client/pace/writer.ts';
import { getAccount } from '#contract/operations/account.ts';
import type { IndexFunction } from '#kube/cache/indexes.ts';
import { type CacheStore, createStore } from '#kube/cache/store.ts';
import type { ReconcileResult } from '#kube/controller/controller.ts';
import type { EventToRecord } from '#kube/events/events.ts';
import type { EndpointSlice } from '#kube/objects/endpoint-slices.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { type KubeObject, keyOf } from '#kube/objects/resource.ts';
import type { ParentLookup } from '#nameserver/probe/parent.ts';
import { zonesAboveIndex } from '#operator/access/claims.ts';
import { BY_ZONE_ABOVE, BY_ZONE_NAME, type OperatorContext } from '#operator/access/context.ts';
import { createCredentials, type ServiceConnection } from '#operator/access/credentials.ts';
import { createCheckWatch, createServiceSignals } from '#operator/checks/connect.ts';
import { FollowedServices, SLICE_INDEXES } from '#operator/checks/services.ts';
import type { ServiceSignals } from '#operator/checks/signals.ts';
import type { CheckWatch } from '#operator/checks/watch.ts';
import { OlderObjects } from '#operator/cluster/older.ts';
import { SeenRestore } from '#operator/cluster/seen-restore.ts';
import { countedNames, type ReadyWhen } from '#operator/proof/propagation.ts';
import { HeldOwners } from '#operator/record/held.ts';
import { RECORD_INDEXES } from '#operator/record/indexes.ts';
import { createRecordReconciler } from '#operator/record/reconcile.ts';
import { createZoneReconciler } from '#operator/zone/reconcile.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { zoneKeyOf, zoneNameIndex } from '#resources/zone-ref.ts';
import { createLogger } from '#telemetry/log.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { Crash, Faults } from './faults.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { MemoryService, OWNER, refused } from './memory-service.ts';
import { servedBy } from './served.ts';

export interface Run {
  /** The result of the reconciler; null when it threw. */
  readonly result: ReconcileResult | null;
  readonly error: unknown;
}

interface Asked {
  readonly nameservers: readonly string[];
  readonly readyWhen: ReadyWhen;
}

export type Kind = 'zone' | 'record';

const log = createLogger({ name: 'test', level: 'silent' });
const ROUNDS = 30;

export class Bench {
  readonly faults = new Faults();
  readonly service = new MemoryService(this.faults);
  readonly cluster = new MemoryCluster(this.faults);
  readonly clock = new FakeClock();
  readonly events: (EventToRecord & { key: string })[] = [];
  /** The answer of the service to heartbeats. */
  isDrained: boolean | undefined = false;
  isNameTaken: boolean | undefined = false;
  isEtcdRestored: boolean | undefined = false;
  /** The name servers that the proof of each zone was requested for. */
  readonly serials: number[] = [];
  /** The DNSRecords that the check for drift adds to the queue. */
  readonly woken: string[] = [];
  /** The differences at the name servers; null when they serve the content of the service. */
  outage: string | null = null;
  /** The answer of the api to the question for the nodes of any zone. */
  nodes: NodesAnswer = { nodes: null, secondaries: [], problem: null };
  /** API keys of Secrets: the team of each key. The service refuses other keys. */
  readonly keys = new Map<string, string>();
  /** The answers at parent zones. Absent: no resolver. */
  lookUpParent: ParentLookup | null = null;
  /** Whether the operator sees the objects of a namespace. */
  watches: OperatorContext['watches'] = () => true;
  /** The kinds whose CRD is deleted. */
  readonly deletedKinds = new Set<string>();
  /** Objects that wait for the service to answer again. */
  readonly waiting: string[] = [];
  /** The EndpointSlices of the cluster. */
  readonly slices = createCache<EndpointSlice>(SLICE_INDEXES);
  areSlicesRead = true;
  /** DNSRecords that the watch has not brought yet, by key. */
  readonly unseen = new Set<string>();
  /** Records before zones in every round. */
  recordsFirst = false;
  /** The keys of DNSRecords that the work queue has had. */
  readonly #known = new Set<string>();
  /** The keys of DNSZones that the runs of others have added to the work queue. */
  readonly #wokenZones = new Set<string>();
  /** The state of the cluster that the caches of each process have, by its cache of zones. */
  readonly #seen = new WeakMap<object, string>();
  #process = this.#start();
  #nonces = 0;

  constructor() {
    this.service.keys.now = () => this.#date();
    // Names the cluster in the marks of records.
    this.cluster.create(NAMESPACE, { namespace: '', name: 'kube-system', uid: 'cluster-1' }, {});
  }

  /** Kill -9 and a new process: caches, pace and waiting are new, cluster and service as they are. */
  restart(): void {
    this.faults.arm(null);
    this.#known.clear();
    this.#wokenZones.clear();
    this.#process = this.#start();
  }

  /** Brings the caches up to date, as a watch does. */
  sync(): void {
    const { zones, records, namespaces } = this.#process;
    const state = [this.cluster.version, ...this.unseen].join(' ');
    if (this.#seen.get(zones) === state) return;
    this.#seen.set(zones, state);
    const all = this.cluster.records();
    zones.replace(this.cluster.zones());
    for (const record of all) this.#known.add(keyOf(record));
    records.replace(this.unseen.size === 0 ? all : all.filter((record) => !this.unseen.has(keyOf(record))));
    namespaces.replace(this.cluster.all(NAMESPACE));
  }

  /** One run of one key with caches that are up to date. @throws Crash when the process died in the run */
  async run(kind: Kind, key: string): Promise<Run> {
    this.sync();
    const context = { signal: new AbortController().signal, reconcileId: 'run', log };
    try {
      const reconcile = kind === 'zone' ? this.#process.zone : this.#process.record;
      return { result: (await reconcile(key, context)) ?? {}, error: null };
    } catch (error) {
      // Any error that a dead process threw was caused by its death.
      if (this.faults.dead) throw error instanceof Crash ? error : new Crash('died', { cause: error });
      return { result: null, error };
    }
  }

  /**
   * Runs everything until a whole round changes nothing and nothing fails. A repeated refusal announces and withdraws
   * its attempt, so the state is compared, not the number of writes. @throws Crash; Error when that never happens
   */
  async settle(): Promise<Map<string, Run>> {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const before = this.#state();
      const runs = await this.round();
      const failed = [...runs.values()].some(({ error }) => error !== null);
      if (!failed && before === this.#state()) return runs;
      await this.clock.advance(1_000);
    }
    throw new Error(`no rest after ${ROUNDS} rounds; last calls:\n${this.faults.calls.slice(-20).join('\n')}`);
  }

  /** Runs every object once, one after the other, or all at the same time like the workers of one process. */
  async round(together = false): Promise<Map<string, Run>> {
    const keys = [
      ...this.cluster.zones().map((object) => ({ kind: 'zone' as const, key: keyOf(object) })),
      ...this.cluster.records().map((object) => ({ kind: 'record' as const, key: keyOf(object) })),
      // The keys of objects that are gone are in the queue, too.
      ...[...this.#known].filter((key) => !this.cluster.record(key)).map((key) => ({ kind: 'record' as const, key })),
    ];
    if (this.recordsFirst) keys.reverse();
    const runs = new Map<string, Run>();
    const work = async ({ kind, key }: (typeof keys)[number]) =>
      void runs.set(`${kind} ${key}`, await this.run(kind, key));
    if (together) {
      const ends = await Promise.allSettled(keys.map(work));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    } else for (const each of keys) await work(each);
    return runs;
  }

  ready(object: DNSZone | DNSRecord | undefined): string {
    const found = object?.status?.conditions.find(({ type }) => type === 'Ready');
    return `${found?.status} ${found?.reason}`;
  }

  message(object: DNSZone | DNSRecord | undefined, type = 'Ready'): string {
    return object?.status?.conditions.find((condition) => condition.type === type)?.message ?? '';
  }

  reasons(): string[] {
    return this.events.map(({ key, reason }) => `${key} ${reason}`);
  }

  /** The ids of the records that a DNSRecord owns. */
  idsOf(key: string): string[] {
    return this.service.owners.idsOf(`k8s:cluster-1/${key}`);
  }

  /** Where the owners of DNSRecords have records, as this process knows. */
  get held(): HeldOwners {
    return this.#process.held;
  }

  /** The results of checks, as this process knows. */
  get checks(): CheckWatch {
    return this.#process.checks;
  }

  /** The sender of the states of Services, of this process. */
  get signals(): ServiceSignals {
    return this.#process.signals;
  }

  /** The objects that are older than the data of the service, as this process knows. */
  get older(): OlderObjects {
    return this.#process.older;
  }

  #date(): Date {
    return new Date(Date.UTC(2026, 10, 21, 12) + this.clock.now());
  }

  #state(): string {
    const objects = [...this.cluster.zones(), ...this.cluster.records()].map(serializeObject);
    return [...objects, this.service.version, ...this.#known, ...this.#wokenZones].join('\n');
  }

  #start() {
    const zones = createCache<DNSZone>({ [BY_ZONE_NAME]: zoneNameIndex, [BY_ZONE_ABOVE]: zonesAboveIndex });
    const records = createCache<DNSRecord>(RECORD_INDEXES);
    const namespaces = createCache<KubeObject>({});
    const held = new HeldOwners(this.clock);
    const older = new OlderObjects(this.clock);
    records.onChange((key, kind, initial, object) => {
      if (kind !== 'delete' || initial) return;
      const { zoneId } = object.status ?? {};
      if (zoneId !== undefined) held.put(key, { zoneId, zoneKey: zoneKeyOf(object) });
      held.gone(key);
    });
    const answer = ({ nameservers, readyWhen }: Asked, text: string | null) =>
      Promise.resolve({
        problem: this.outage ?? text,
        note: null,
        leftOut: [],
        nameservers: countedNames(nameservers, readyWhen, this.nodes.secondaries),
        servers: [],
        answer: this.nodes,
      });
    const createConnection = (client: ServiceConnection['client'], team: string): ServiceConnection => ({
      client,
      dispatcher: createDispatcher({
        clock: this.clock,
        random: () => 0,
        // This clock does not move during a run.
        gatherMs: 0,
        writer: createRecordWriter(client),
      }),
      owner: async (signal) => {
        if (client !== this.service.client) await client.call(getAccount, {}, { signal });
        return team;
      },
    });
    const own = createConnection(this.service.client, OWNER);
    const connect = (key: string) =>
      createConnection(
        this.service.clientOf(() => (this.keys.has(key) ? null : refused(401, 'unauthorized', 'Invalid API key.'))),
        this.keys.get(key) ?? 'personal',
      );
    const credentials = createCredentials({ api: this.cluster.api, own, connect, clock: this.clock });
    const shared = {
      clock: this.clock,
      zones,
      records,
      credentials,
      cluster: () => namespaces.get('kube-system')?.metadata.uid,
      isNameTaken: () => this.isNameTaken,
      isEtcdRestored: () => this.isEtcdRestored,
      enqueueRecord: (key: string) => {
        this.woken.push(key);
        this.#known.add(key);
      },
    };
    const checks = createCheckWatch(shared, log, undefined);
    const services = new FollowedServices({
      cache: this.slices,
      hasSynced: () => this.areSlicesRead,
      run: () => Promise.resolve(),
    });
    const signals = createServiceSignals({ ...shared, checks }, services, log);
    const context: OperatorContext = {
      ...shared,
      checks,
      services,
      isDrained: () => this.isDrained,
      older,
      seenRestore: new SeenRestore(this.clock, () => 'restore'),
      api: this.cluster.api,
      lookUpParent: this.lookUpParent,
      events: {
        record: (regarding, event) => void this.events.push({ ...event, key: keyOf(regarding) }),
        run: () => Promise.resolve(),
        flush: () => Promise.resolve(),
      },
      propagation: {
        reach: { unreachable: () => [], answered: () => new Set(), restore: () => undefined },
        cordons: () => [],
        zoneServed: ({ zoneName, serial, ...zone }) => {
          this.serials.push(serial);
          return answer(zone, servedBy(this.service).zone(zoneName));
        },
        recordServed: (zone, expected) => answer(zone, servedBy(this.service).rrset(expected)),
      },
      observer: {
        observe: () => undefined,
      },
      namespaces,
      enqueueZone: (key) => void this.#wokenZones.add(key),
      enqueueZoneOnRecovery: (key) => void this.waiting.push(`zone ${key}`),
      enqueueRecordOnRecovery: (key) => void this.waiting.push(`record ${key}`),
      watches: this.watches,
      isKindDeleted: async ({ kind }) => this.deletedKinds.has(kind),
      held,
      now: () => this.#date(),
      nonce: () => {
        this.#nonces += 1;
        return `nonce${this.#nonces}`;
      },
    };
    return {
      checks,
      signals,
      held,
      older,
      zones,
      records,
      namespaces,
      zone: createZoneReconciler(context, () => 0),
      record: createRecordReconciler(context),
    };
  }
}

const texts = new WeakMap<KubeObject, string>();

/** The object without its version. Objects of the cluster never change, so that each is written out once. */
function serializeObject(object: KubeObject): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const { metadata, ...rest } = object;
  const { resourceVersion: _version, ...kept } = metadata;
  const text = JSON.stringify({ ...rest, kept });
  texts.set(object, text);
  return text;
}

function createCache<T extends KubeObject>(indexes: Readonly<Record<string, IndexFunction<T>>>): CacheStore<T> {
  return createStore<T>({ indexes, log });
}

export { DNS_RECORD, DNS_ZONE };
