// The API server in memory, as far as the operator uses it: status and finalizers by merge patch with
// resourceVersion and uid, generations, and deletions that wait for finalizers. It refuses a status that the CRD does
// not allow.
import { isDeepStrictEqual } from 'node:util';
import type { KubeApi } from '#kube/api/api.ts';
import { KubeError } from '#kube/api/errors.ts';
import { type KubeObject, keyOf, type ObjectMeta, type ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord, recordSpec, recordStatus } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone, zoneSpec } from '#resources/dnszone.ts';
import { zoneStatus } from '#resources/dnszone-status.ts';
import { copyFrozen } from './copy.ts';
import type { Faults } from './faults.ts';

interface Schemas {
  readonly spec: typeof zoneSpec | typeof recordSpec;
  readonly status: typeof zoneStatus | typeof recordStatus;
}

const SCHEMAS: Readonly<Record<string, Schemas>> = {
  [DNS_ZONE.plural]: { spec: zoneSpec, status: zoneStatus },
  [DNS_RECORD.plural]: { spec: recordSpec, status: recordStatus },
};

interface Stored extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

export interface NewObject {
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Finalizers of others: they block the deletion of the object. */
  readonly finalizers?: string[];
  /** RFC 3339. (Default: a second after the last one.) */
  readonly creationTimestamp?: string;
}

export class MemoryCluster {
  readonly api: KubeApi;
  /** By plural and key. */
  readonly #kinds = new Map<string, Map<string, Stored>>();
  /** Secrets by key, as their `data` in plain text; null is one that the operator may not read. */
  readonly secrets = new Map<string, Readonly<Record<string, string>> | null>();
  readonly #faults: Faults;
  #version = 0;
  #uids = 0;

  constructor(faults: Faults) {
    this.#faults = faults;
    this.api = this.#makeApi();
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  zones(): DNSZone[] {
    return this.#all(DNS_ZONE) as DNSZone[];
  }

  records(): DNSRecord[] {
    return this.#all(DNS_RECORD) as DNSRecord[];
  }

  zone(key: string): DNSZone | undefined {
    return this.#find(DNS_ZONE, key) as DNSZone | undefined;
  }

  record(key: string): DNSRecord | undefined {
    return this.#find(DNS_RECORD, key) as DNSRecord | undefined;
  }

  /** Like `kubectl create`: fills in defaults, with every condition Unknown. Returns the key. */
  create(type: ResourceType, meta: NewObject, spec: unknown): string {
    this.#uids += 1;
    const metadata: ObjectMeta = {
      namespace: 'default',
      uid: `uid-${String(this.#uids).padStart(4, '0')}`,
      creationTimestamp: new Date(Date.UTC(2026, 10, 21, 10, 0, this.#uids)).toISOString().replace('.000', ''),
      generation: 1,
      ...meta,
    };
    const schema = SCHEMAS[type.plural];
    const object: Stored = {
      apiVersion: `${type.group}/${type.version}`,
      kind: type.kind,
      metadata,
      spec: schema ? schemaDefaults(schema.spec, spec) : spec,
      status: schema?.status.parse({}),
    };
    if (this.#find(type, keyOf(object))) throw new Error(`${keyOf(object)} exists`);
    this.#put(type, object);
    return keyOf(object);
  }

  /** Like `kubectl edit`: an undefined field is removed. */
  edit(type: ResourceType, key: string, change: Record<string, unknown>): void {
    const old = this.#must(type, key);
    const spec = Object.fromEntries(
      Object.entries({ ...(old.spec as object), ...change }).filter(([, value]) => value !== undefined),
    );
    this.#put(type, { ...old, spec, metadata: { ...old.metadata, generation: (old.metadata.generation ?? 0) + 1 } });
  }

  annotate(type: ResourceType, key: string, annotations: Record<string, string>): void {
    const old = this.#must(type, key);
    this.#put(type, { ...old, metadata: { ...old.metadata, annotations } });
  }

  label(type: ResourceType, key: string, labels: Record<string, string>): void {
    const old = this.#must(type, key);
    this.#put(type, { ...old, metadata: { ...old.metadata, labels } });
  }

  /** As `kubectl delete --wait=false`. */
  remove(type: ResourceType, key: string): void {
    const old = this.#must(type, key);
    if (old.metadata.deletionTimestamp !== undefined) return;
    const deletionTimestamp = '2026-11-21T11:00:00Z';
    const generation = (old.metadata.generation ?? 0) + 1;
    this.#put(type, { ...old, metadata: { ...old.metadata, deletionTimestamp, generation } });
  }

  /** As a tenant's `kubectl patch` with `finalizers: null`. */
  strip(type: ResourceType, key: string): void {
    const old = this.#must(type, key);
    this.#put(type, { ...old, metadata: { ...old.metadata, finalizers: [] } });
  }

  #makeApi(): KubeApi {
    const unused = () => Promise.reject(new Error('the operator does not use this'));
    const call = <T>(verb: string, type: ResourceType, name: string, effect: () => unknown) =>
      this.#faults.call('kube', `${verb} ${type.plural} ${name}`, effect) as Promise<T>;
    return {
      get: (type, { namespace, name }) =>
        call('get', type, name, () =>
          type.plural === 'secrets' ? this.#secret(`${namespace}/${name}`) : this.#found(type, `${namespace}/${name}`),
        ),
      list: unused,
      create: unused,
      apply: unused,
      delete: unused,
      watch: unused,
      merge: (type, { namespace, name }, patch) => {
        const { metadata } = patch as { metadata: Partial<ObjectMeta> };
        return call('patch', type, name, () => this.#merge(type, `${namespace}/${name}`, metadata));
      },
      replaceStatus: (type, { metadata, status }) =>
        call('status', type, metadata.name, () => this.#replaceStatus(type, metadata, status)),
    };
  }

  #secret(key: string): KubeObject {
    const data = this.secrets.get(key);
    if (data === undefined) throw notFound(key);
    if (data === null) throw new KubeError({ status: 403, reason: 'Forbidden', message: `${key} is forbidden` });
    const encoded = Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')]);
    const [namespace = '', name = ''] = key.split('/');
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name } };
    return { ...secret, data: Object.fromEntries(encoded) } as KubeObject;
  }

  #replaceStatus(type: ResourceType, { namespace, name, uid, resourceVersion }: ObjectMeta, status: unknown): Stored {
    const key = `${namespace}/${name}`;
    const old = this.#found(type, key);
    if (uid !== old.metadata.uid || resourceVersion !== old.metadata.resourceVersion) throw conflict(key);
    return this.#put(type, { ...old, status: acceptedStatus(type, JSON.stringify(status)) });
  }

  #merge(type: ResourceType, key: string, metadata: Partial<ObjectMeta>): Stored {
    const old = this.#found(type, key);
    if (metadata.uid !== old.metadata.uid || metadata.resourceVersion !== old.metadata.resourceVersion)
      throw conflict(key);
    const annotations = { ...old.metadata.annotations, ...metadata.annotations };
    return this.#put(type, {
      ...old,
      metadata: { ...old.metadata, annotations, finalizers: metadata.finalizers ?? [] },
    });
  }

  /** All objects as they are now, as a backup of etcd has them. */
  backUp(): ReadonlyMap<string, unknown> {
    const all = [...this.#kinds].flatMap(([plural, objects]) =>
      [...objects].map(([key, object]) => [`${plural} ${key}`, object] as const),
    );
    return new Map(all);
  }

  /** Makes the cluster that of a backup: later objects are gone, and the others have the generations of that time. */
  restore(backup: ReadonlyMap<string, unknown>): void {
    this.#version += 1;
    this.#kinds.clear();
    for (const [name, object] of backup) {
      const [plural = '', key = ''] = name.split(' ');
      this.#kind(plural).set(key, object as Stored);
    }
  }

  #put(type: ResourceType, object: Stored): Stored {
    const key = keyOf(object);
    const objects = this.#kind(type.plural);
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    const next = copyFrozen({ ...object, metadata });
    const { deletionTimestamp, finalizers = [] } = next.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) objects.delete(key);
    else objects.set(key, next);
    return next;
  }

  #kind(plural: string): Map<string, Stored> {
    const known = this.#kinds.get(plural);
    if (known) return known;
    const objects = new Map<string, Stored>();
    this.#kinds.set(plural, objects);
    return objects;
  }

  #find(type: ResourceType, key: string): Stored | undefined {
    return this.#kinds.get(type.plural)?.get(key);
  }

  #found(type: ResourceType, key: string): Stored {
    const object = this.#find(type, key);
    if (!object) throw notFound(key);
    return object;
  }

  #must(type: ResourceType, key: string): Stored {
    const object = this.#find(type, key);
    if (!object) throw new Error(`no ${type.kind} ${key}`);
    return object;
  }

  /** For namespaces too. */
  all(type: ResourceType): KubeObject[] {
    return this.#all(type);
  }

  #all(type: ResourceType): Stored[] {
    return [...(this.#kinds.get(type.plural)?.values() ?? [])];
  }
}

/** By kind and text: thousands of runs write the same few hundred statuses. */
const accepted = new Map<string, unknown>();

/** @throws for a status that the CRD refuses, or would prune silently */
function acceptedStatus(type: ResourceType, text: string): unknown {
  const key = `${type.plural} ${text}`;
  if (!accepted.has(key)) {
    const sent: unknown = JSON.parse(text);
    const parsed = SCHEMAS[type.plural]?.status.parse(sent);
    if (!isDeepStrictEqual(parsed, sent)) throw new Error(`the CRD would prune ${text}`);
    accepted.set(key, copyFrozen(parsed));
  }
  return accepted.get(key);
}

/** The API server's processing of a spec: defaults are filled in, wrong values (which CEL cannot see) stay. */
function schemaDefaults(schema: Schemas['spec'], spec: unknown): unknown {
  const parsed = schema.safeParse(spec);
  if (parsed.success) return parsed.data;
  return {
    deletionPolicy: 'Delete',
    adopt: 'Never',
    managementPolicy: 'Full',
    driftPolicy: 'Enforce',
    ...(spec as object),
  };
}

const notFound = (key: string) => new KubeError({ status: 404, reason: 'NotFound', message: `${key} not found` });
const conflict = (key: string) => new KubeError({ status: 409, reason: 'Conflict', message: `${key} has changed` });
