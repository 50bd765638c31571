// A solver without a cluster: the objects it sees and makes live in memory, and the test plays the operator.

import { realClock } from '#base/clock.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { KubeError } from '#kube/api/errors.ts';
import { createStore } from '#kube/cache/store.ts';
import { type KubeObject, keyOf, type ObjectMeta, type ResourceType } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { zoneKeyOf, zoneNameIndex } from '#resources/zone-ref.ts';
import { BY_KEY, type Caches, RECORDS_BY_ZONE, ZONES_BY_NAME } from '#solver/caches.ts';
import type { Challenge } from '#solver/challenge.ts';
import type { SolverContext } from '#solver/context.ts';
import type { ChallengeRequest } from '#solver/payload.ts';
import { createLogger } from '#telemetry/log.ts';

const log = createLogger({ name: 'test', level: 'silent' });
export const NOW = new Date('2026-11-21T10:00:00Z');

export function request(change: Partial<ChallengeRequest> = {}): ChallengeRequest {
  return {
    uid: '',
    action: 'Present',
    dnsName: 'www.example.org',
    key: 'KEY-1',
    resourceNamespace: 'default',
    resolvedFQDN: '_acme-challenge.www.example.org',
    allowAmbientCredentials: false,
    config: {},
    ...change,
  };
}

export function zone(name: string, zoneName: string, spec: object = {}, metadata: Partial<ObjectMeta> = {}): DNSZone {
  return {
    apiVersion: 'zonestead.dev/v1alpha1',
    kind: 'DNSZone',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
    spec: { zoneName, ...spec } as DNSZone['spec'],
  };
}

export const OWN: object = { acme: { namespaces: { from: 'Same' }, wildcardShadowing: 'Refuse' } };

interface ChallengeChange {
  /** The configuration of the issuer. */
  kind?: string;
  /** Whether it has an owner reference to an Order, and whether that one says that the Order controls it. */
  owned?: boolean;
  controller?: boolean;
  key?: string;
  dnsName?: string;
}

export function challenge(namespace: string, change: ChallengeChange = {}): Challenge {
  const { kind = 'ClusterIssuer', owned = true, controller = true, key = 'KEY-1' } = change;
  const { dnsName = 'www.example.org' } = change;
  const order = { apiVersion: 'acme.cert-manager.io/v1', kind: 'Order', name: 'order', uid: 'o', controller };
  return {
    apiVersion: 'acme.cert-manager.io/v1',
    kind: 'Challenge',
    metadata: { name: 'challenge', namespace, uid: `c-${namespace}`, ownerReferences: owned ? [order] : [] },
    spec: { key, dnsName, issuerRef: { kind, name: 'issuer' } },
  };
}

export interface SolverFixture {
  readonly context: SolverContext;
  /** The objects that the solver created, by key. */
  readonly objects: Map<string, DNSRecord>;
  readonly notes: string[];
  see(object: DNSZone | Challenge | KubeObject): void;
  /** As the operator does: a condition of the record, and the watch tells it. */
  judge(key: string, type: string, status: 'True' | 'False', reason: string, message: string): void;
  /** From now on every call fails with this. */
  fail(error: KubeError | undefined): void;
}

export function solverFixture(
  options: { namespaces?: Readonly<Record<string, Record<string, string>>> } = {},
): SolverFixture {
  const caches = {
    zones: createStore<DNSZone>({ indexes: { [ZONES_BY_NAME]: zoneNameIndex }, log }),
    records: createStore<DNSRecord>({ indexes: { [RECORDS_BY_ZONE]: (record) => [zoneKeyOf(record)] }, log }),
    namespaces: createStore<KubeObject>({ log }),
    challenges: createStore<Challenge>({ indexes: { [BY_KEY]: ({ spec }) => [spec.key] }, log }),
    authentication: createStore<KubeObject>({ log }),
    run: async () => undefined,
  };
  for (const cache of [caches.zones, caches.records, caches.challenges]) cache.replace([]);
  const namespaces = Object.entries(options.namespaces ?? { default: {}, tenant: {} }).map(([name, labels]) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels, uid: name, resourceVersion: '1' },
  }));
  caches.namespaces.replace(namespaces);
  const objects = new Map<string, DNSRecord>();
  const notes: string[] = [];
  let version = 1;
  let failure: KubeError | undefined;
  const notFound = (name: string) => new KubeError({ status: 404, reason: 'NotFound', message: `${name} not found` });
  const put = (record: DNSRecord): DNSRecord => {
    version += 1;
    const stored = { ...record, metadata: { ...record.metadata, resourceVersion: String(version) } };
    objects.set(keyOf(stored), stored);
    caches.records.upsert(stored);
    return stored;
  };
  const call = async <T>(effect: () => T): Promise<T> => {
    if (failure !== undefined) throw failure;
    return effect();
  };
  const api = {
    create: (_type: ResourceType, draft: DNSRecord) =>
      call(() => {
        const { namespace = '' } = draft.metadata;
        if (!namespaces.some(({ metadata }) => metadata.name === namespace)) throw notFound(namespace);
        if (objects.has(keyOf(draft))) throw new KubeError({ status: 409, reason: 'AlreadyExists', message: 'exists' });
        const metadata = {
          ...draft.metadata,
          uid: `r-${version}`,
          generation: 1,
          creationTimestamp: NOW.toISOString(),
        };
        return put({ ...draft, metadata });
      }),
    get: (_type: ResourceType, { namespace, name }: ObjectMeta) =>
      call(() => {
        const found = objects.get(`${namespace}/${name}`);
        if (found === undefined) throw notFound(name);
        return found;
      }),
    list: (_type: ResourceType, { labelSelector = '' }: { labelSelector?: string }) =>
      call(() => {
        const wanted = labelSelector.split(',').map((part) => part.split('='));
        const items = [...objects.values()].filter(({ metadata }) =>
          wanted.every(([key = '', value]) => metadata.labels?.[key] === value),
        );
        return { items, resourceVersion: String(version) };
      }),
    delete: (_type: ResourceType, { namespace, name }: ObjectMeta) =>
      call(() => {
        const found = objects.get(`${namespace}/${name}`);
        objects.delete(`${namespace}/${name}`);
        if (found) caches.records.remove(found);
      }),
  };
  const context: SolverContext = {
    api: api as unknown as KubeApi,
    caches: caches as unknown as Caches,
    clock: realClock,
    now: () => NOW,
    events: {
      record: (_about, { note }) => void notes.push(note),
      run: async () => undefined,
      flush: async () => undefined,
    },
    log,
  };
  return {
    context,
    objects,
    notes,
    see: (object) => {
      if (object.kind === 'DNSZone') caches.zones.upsert(object as DNSZone);
      else if (object.kind === 'Challenge') caches.challenges.upsert(object as Challenge);
      else put(object as DNSRecord);
    },
    judge: (key, type, status, reason, message) => {
      const record = objects.get(key);
      if (record === undefined) throw new Error(`no record ${key}`);
      const condition = { type, status, reason, message, observedGeneration: 1, lastTransitionTime: NOW.toISOString() };
      put({ ...record, status: { ...record.status, conditions: [condition] } } as DNSRecord);
    },
    fail: (error) => {
      failure = error;
    },
  };
}
