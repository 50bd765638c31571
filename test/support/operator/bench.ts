// The reconcilers between a service and a cluster in memory: runs them one key after the other, kills and restarts them,
// and says in the end whether everything is as the objects want it. It must not know a single scenario.
import { createDispatcher } from '../../../src/client/dispatcher.ts';
import { createRecordWriter } from '../../../src/client/writer.ts';
import type { ReconcileResult } from '../../../src/kube/controller.ts';
import type { EventToRecord } from '../../../src/kube/events.ts';
import { type KubeObject, keyOf } from '../../../src/kube/resource.ts';
import { type CacheStore, createStore } from '../../../src/kube/store.ts';
import { type Connection, createCredentials } from '../../../src/operator/credentials.ts';
import type { LookAtParent } from '../../../src/operator/delegated.ts';
import { BY_ZONE_ABOVE, BY_ZONE_NAME, type House, NAMESPACE } from '../../../src/operator/house.ts';
import { createSeal } from '../../../src/operator/record-birth.ts';
import { recordIndexes } from '../../../src/operator/record-indexes.ts';
import { createRecordReconciler } from '../../../src/operator/record-reconciler.ts';
import { DNS_RECORD, type DNSRecord } from '../../../src/operator/resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '../../../src/operator/resources/dnszone.ts';
import { zoneNameIndex, zonesAboveIndex } from '../../../src/operator/zone-claims.ts';
import { createZoneReconciler } from '../../../src/operator/zone-reconciler.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { FakeClock } from '../fake-clock.ts';
import { MemoryCluster } from './cluster.ts';
import { Crash, Faults } from './faults.ts';
import { servedBy } from './served.ts';
import { MemoryService, OWNER, refused } from './service.ts';

export interface Run {
  /** What the reconciler returned; null when it threw. */
  readonly result: ReconcileResult | null;
  readonly error: unknown;
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
  /** Those that name servers were asked for, of zones. */
  readonly serials: number[] = [];
  /** DNSRecords that the look for drift asks to run. */
  readonly woken: string[] = [];
  /** What is wrong at the name servers; null when they serve what the service has. */
  outage: string | null = null;
  /** API keys of Secrets: the team that each belongs to. The service knows no others. */
  readonly keys = new Map<string, string>();
  /** What is seen at parent zones. (Default: no resolver.) */
  parents: LookAtParent | null = null;
  /** Records before zones in every round. */
  recordsFirst = false;
  #process = this.#start();
  #nonces = 0;

  /** Kill -9 and a new process: caches, pace and waiting are new, cluster and service as they are. */
  restart(): void {
    this.faults.arm(null);
    this.#process = this.#start();
  }

  /** Brings the caches up to date, as a watch does in a moment. */
  sync(): void {
    const { zones, records, namespaces } = this.#process;
    zones.replace(this.cluster.zones());
    records.replace(this.cluster.records());
    namespaces.replace(this.cluster.all(NAMESPACE));
  }

  /** One run of one key, on caches that are up to date. @throws Crash when the process died in it */
  async run(kind: Kind, key: string): Promise<Run> {
    this.sync();
    const context = { signal: new AbortController().signal, reconcileId: 'run', log };
    try {
      const reconcile = kind === 'zone' ? this.#process.zone : this.#process.record;
      return { result: (await reconcile(key, context)) ?? {}, error: null };
    } catch (error) {
      // Whatever a dead process threw on its way down was caused by its death.
      if (this.faults.dead) throw error instanceof Crash ? error : new Crash('died', { cause: error });
      return { result: null, error };
    }
  }

  /**
   * Runs everything until a whole round leaves all as it was and nothing fails. What is refused again and again announces
   * and takes back its attempt, so the state is compared, not the number of writes. @throws Crash; Error when that never comes
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

  /** Every object once, one after the other, or all at once as the workers of one process do. */
  async round(together = false): Promise<Map<string, Run>> {
    const keys = [
      ...this.cluster.zones().map((object) => ({ kind: 'zone' as const, key: keyOf(object) })),
      ...this.cluster.records().map((object) => ({ kind: 'record' as const, key: keyOf(object) })),
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

  #state(): string {
    const objects = [...this.cluster.zones(), ...this.cluster.records()].map(({ metadata, ...rest }) => {
      const { resourceVersion: _version, ...kept } = metadata;
      return { ...rest, kept };
    });
    return JSON.stringify([objects, this.service.version]);
  }

  #start() {
    const zones = cacheOf<DNSZone>({ [BY_ZONE_NAME]: zoneNameIndex, [BY_ZONE_ABOVE]: zonesAboveIndex });
    const seal = createSeal('key');
    const records = cacheOf<DNSRecord>(recordIndexes(seal));
    const namespaces = cacheOf<KubeObject>({});
    const answer = (text: string | null) => Promise.resolve(this.outage ?? text);
    const connectionOf = (client: Connection['client'], team: string): Connection => ({
      client,
      dispatcher: createDispatcher({
        clock: this.clock,
        random: () => 0,
        // Nobody moves this clock while a run goes on.
        gatherMs: 0,
        writer: createRecordWriter(client),
      }),
      owner: async (signal) => {
        if (client !== this.service.client) await client.account({ signal });
        return team;
      },
    });
    const own = connectionOf(this.service.client, OWNER);
    const connect = (key: string) =>
      connectionOf(
        this.service.clientOf(() => (this.keys.has(key) ? null : refused(401, 'unauthorized', 'Invalid API key.'))),
        this.keys.get(key) ?? 'personal',
      );
    const house: House = {
      api: this.cluster.api,
      client: own.client,
      dispatcher: own.dispatcher,
      credentials: createCredentials({ api: this.cluster.api, own, connect, clock: this.clock }),
      parents: this.parents,
      events: {
        record: (regarding, event) => void this.events.push({ ...event, key: keyOf(regarding) }),
        run: () => Promise.resolve(),
        flush: () => Promise.resolve(),
      },
      propagation: {
        zoneServed: ({ zoneName, serial }) => {
          this.serials.push(serial);
          return answer(servedBy(this.service).zone(zoneName));
        },
        recordServed: (_servers, expected) => answer(servedBy(this.service).rrset(expected)),
      },
      observer: { written: () => undefined, propagated: () => undefined, drift: () => undefined },
      zones,
      records,
      namespaces,
      wakeZone: () => undefined,
      wakeRecord: (key) => void this.woken.push(key),
      wakeZoneWithService: () => undefined,
      wakeRecordWithService: () => undefined,
      owner: own.owner,
      seal,
      now: () => new Date(Date.UTC(2026, 10, 21, 12) + this.clock.now()),
      nonce: () => {
        this.#nonces += 1;
        return `nonce${this.#nonces}`;
      },
    };
    return {
      zones,
      records,
      namespaces,
      zone: createZoneReconciler(house, this.clock, () => 0),
      record: createRecordReconciler(house, this.clock),
    };
  }
}

function cacheOf<T extends KubeObject>(indexes: Record<string, (object: T) => readonly string[]>): CacheStore<T> {
  return createStore<T>({ indexes, log });
}

export { DNS_RECORD, DNS_ZONE };
