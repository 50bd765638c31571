// The cache of one resource type: objects by key, indexes, and who is told of changes. It must not know where objects
// come from; the reflector fills it.
//
// Two things beyond a map:
// - Own writes. A reconciler that has just written a status would read the old one until the watch brings the change.
//   `observed` takes the answer of a write into the cache when it is newer than what is there. It only ever replaces an object of
//   the same uid: adding one could bring back an object whose deletion was already seen. The watch's event of the same
//   version then changes nothing, so dependants are told once.
// - No way back. An event or a list older than what is cached (by resourceVersion, same uid) changes nothing.
import type { Logger } from '../telemetry/log.ts';
import { Indexes, type IndexFunction } from './indexes.ts';
import { compareResourceVersions, type KubeObject, keyOf } from './resource.ts';

export type ChangeKind = 'add' | 'update' | 'delete';

/**
 * Told after the cache changed. `initial` is true for what the first list brought, and for what was there when the
 * handler came. `object` is the new state, for `delete` the last known one; `old` is there for `update`. An object deleted and made anew under
 * its name is a delete followed by an add. Handlers add keys to queues: they do no work; what they throw is logged.
 */
export type ChangeHandler<T> = (key: string, kind: ChangeKind, initial: boolean, object: T, old?: T) => void;

/** Reads the cache. Objects are shared: never change one. */
export interface Cache<T extends KubeObject> {
  get(key: string): T | undefined;
  list(): T[];
  keys(): string[];
  readonly size: number;
  /** The objects that the index function of that name gave this value. @throws {TypeError} when there is no such index. */
  byIndex(name: string, value: string): T[];
  /** Hears of what is there already (as initial adds) and of every change from now on; the result stops it. */
  onChange(handler: ChangeHandler<T>): () => void;
  /** True once the first list is in. Nothing may be concluded from an absent object before. */
  hasSynced(): boolean;
  /** Takes in the answer of our own write; see above. Returns whether the cache changed. */
  observed(object: T): boolean;
}

/** What the reflector uses besides. */
export interface CacheStore<T extends KubeObject> extends Cache<T> {
  /** An ADDED or MODIFIED event. */
  upsert(object: T): void;
  /** A DELETED event. */
  remove(object: T): void;
  /** A whole list. `trusted` lists win over cached objects that look newer: the server's own history went back. */
  replace(objects: readonly T[], trusted?: boolean): void;
}

export interface StoreOptions<T> {
  /** (Default: none.) */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  /** Applied to every object before it is kept. (Default: `trimObject`.) */
  readonly transform?: ((object: T) => T) | undefined;
  readonly log: Logger;
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The object without managedFields and last-applied-configuration, which are most of its size. Pure. */
export function trimObject<T extends KubeObject>(object: T): T {
  const { managedFields: _dropped, ...metadata } = object.metadata;
  if (metadata.annotations?.[LAST_APPLIED] === undefined) return { ...object, metadata };
  const { [LAST_APPLIED]: _applied, ...annotations } = metadata.annotations;
  return { ...object, metadata: { ...metadata, annotations } };
}

export function createStore<T extends KubeObject>(options: StoreOptions<T>): CacheStore<T> {
  return new Store(options);
}

class Store<T extends KubeObject> implements CacheStore<T> {
  readonly #transform: (object: T) => T;
  readonly #log: Logger;
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #indexes: Indexes<T>;
  #objects = new Map<string, T>();
  #synced = false;

  constructor(options: StoreOptions<T>) {
    this.#transform = options.transform ?? trimObject;
    this.#log = options.log;
    this.#indexes = new Indexes(options.indexes ?? {});
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  keys(): string[] {
    return [...this.#objects.keys()];
  }

  get size(): number {
    return this.#objects.size;
  }

  byIndex(name: string, value: string): T[] {
    const found: T[] = [];
    for (const key of this.#indexes.keys(name, value)) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  onChange(handler: ChangeHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const [key, object] of this.#objects) this.#call(handler, key, 'add', true, object);
    return () => this.#handlers.delete(handler);
  }

  hasSynced(): boolean {
    return this.#synced;
  }

  observed(object: T): boolean {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old === undefined || old.metadata.uid !== object.metadata.uid) return false;
    const order = compareResourceVersions(object.metadata.resourceVersion, old.metadata.resourceVersion);
    if (order === undefined || order <= 0) return false;
    this.#set(key, this.#transform(object), old, false);
    return true;
  }

  upsert(object: T): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old === undefined || isNewer(object, old)) this.#set(key, this.#transform(object), old, false);
  }

  remove(object: T): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    // Of an earlier object under this name: its successor is already here.
    if (old === undefined || old.metadata.uid !== object.metadata.uid) return;
    this.#objects.delete(key);
    this.#indexes.remove(key, old);
    this.#tell(key, 'delete', false, this.#transform(object));
  }

  replace(objects: readonly T[], trusted = false): void {
    const initial = !this.#synced;
    const before = this.#objects;
    const after = new Map<string, T>();
    for (const object of objects) {
      const key = keyOf(object);
      const old = before.get(key);
      const keep = old !== undefined && !trusted && !isNewer(object, old);
      after.set(key, keep ? old : this.#transform(object));
    }
    this.#objects = after;
    this.#indexes.rebuild(after);
    this.#synced = true;
    for (const [key, old] of before) if (!after.has(key)) this.#tell(key, 'delete', initial, old);
    for (const [key, object] of after) this.#tellDifference(key, initial, object, before.get(key));
  }

  #set(key: string, object: T, old: T | undefined, initial: boolean): void {
    this.#objects.set(key, object);
    if (old !== undefined) this.#indexes.remove(key, old);
    this.#indexes.add(key, object);
    this.#tellDifference(key, initial, object, old);
  }

  #tellDifference(key: string, initial: boolean, object: T, old: T | undefined): void {
    if (old === object) return;
    if (old !== undefined && old.metadata.uid === object.metadata.uid) {
      if (old.metadata.resourceVersion === object.metadata.resourceVersion) return;
      this.#tell(key, 'update', initial, object, old);
      return;
    }
    if (old !== undefined) this.#tell(key, 'delete', initial, old);
    this.#tell(key, 'add', initial, object);
  }

  #tell(key: string, kind: ChangeKind, initial: boolean, object: T, old?: T): void {
    for (const handler of this.#handlers) this.#call(handler, key, kind, initial, object, old);
  }

  #call(handler: ChangeHandler<T>, key: string, kind: ChangeKind, initial: boolean, object: T, old?: T): void {
    try {
      handler(key, kind, initial, object, old);
    } catch (error) {
      this.#log.error({ err: error, key, kind }, 'a change handler threw');
    }
  }
}

/** Whether the object that came in says more than the cached one; yes when versions cannot be compared. */
function isNewer(incoming: KubeObject, cached: KubeObject): boolean {
  if (incoming.metadata.uid !== cached.metadata.uid) return true;
  const order = compareResourceVersions(incoming.metadata.resourceVersion, cached.metadata.resourceVersion);
  return order === undefined || order > 0;
}
