// The cache of one resource type: objects by key, indexes, and handlers of changes. The reflector fills it.
//
// It differs from a map in two ways:
// - Own writes. A reconciler that has just written a status would read the old one until the watch delivers the change.
//   `observed` adds the answer of a write to the cache if it is newer than the cached object. It only replaces an
//   object of the same uid: adding one could restore an object whose deletion was already seen. The watch's event of
//   the same version then changes nothing, so handlers are called once.
// - No older state. An event or a list that is older than the cached object (by resourceVersion, same uid) changes
//   nothing.
import { type Clock, realClock } from '#base/clock.ts';
import type { Logger } from '#telemetry/log.ts';
import { compareResourceVersions, type KubeObject, keyOf } from '../objects/resource.ts';
import { Indexes, type IndexFunction } from './indexes.ts';

type ChangeKind = 'add' | 'update' | 'delete';

/**
 * Called after the cache changed. `initial` is true for objects of the first list, and for objects that were there when
 * the handler was added. `object` is the new state, for `delete` the last known state; `old` is set for `update`. An
 * object that was deleted and created again under its name is a delete followed by an add. Handlers only add keys to
 * queues; an error that they throw is logged.
 */
type ChangeHandler<T> = (key: string, kind: ChangeKind, initial: boolean, object: T, old?: T) => void;

/** Reads the cache. Objects are shared and must not be changed. */
export interface Cache<T extends KubeObject> {
  get(key: string): T | undefined;
  list(): T[];
  keys(): string[];
  readonly size: number;
  /** The objects that have this value in the index of that name. @throws {TypeError} when there is no such index */
  byIndex(name: string, value: string): T[];
  /**
   * Calls the handler for every object that is already there (as initial adds) and for every change from now on; the
   * returned function stops it.
   */
  onChange(handler: ChangeHandler<T>): () => void;
  /** True once the first list is complete. Before that, an absent object proves nothing. */
  hasSynced(): boolean;
  /** When the last complete list was in, in ms of the clock; 0 before the first one. */
  listedAt(): number;
  /** Adds the answer of our own write; see above. Returns whether the cache changed. */
  observed(object: T): boolean;
}

/** The additional methods for the reflector. */
export interface CacheStore<T extends KubeObject> extends Cache<T> {
  /**
   * The object as it will be kept: for a list of many pages, so that a page need not be held untrimmed until the end of
   * the list.
   */
  trim(object: T): T;
  /** An ADDED or MODIFIED event. */
  upsert(object: T): void;
  /** A DELETED event. */
  remove(object: T): void;
  /**
   * A complete list. A `trusted` list replaces cached objects even if they look newer: the server's own history went
   * back.
   */
  replace(objects: readonly T[], trusted?: boolean): void;
}

interface StoreOptions<T> {
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  /** Applied to every object before it is kept. (Default: `trimObject`.) */
  readonly transform?: ((object: T) => T) | undefined;
  readonly log: Logger;
  /** (Default: the real one.) */
  readonly clock?: Clock | undefined;
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
  #listedAt = 0;
  readonly #clock: Clock;
  /** The trimmed objects of the list in progress. */
  #trimmed = new WeakSet<T>();

  constructor(options: StoreOptions<T>) {
    this.#transform = options.transform ?? trimObject;
    this.#log = options.log;
    this.#clock = options.clock ?? realClock;
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
    const objects: T[] = [];
    for (const key of this.#indexes.keys(name, value)) {
      const object = this.#objects.get(key);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  onChange(handler: ChangeHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const [key, object] of this.#objects) this.#call(handler, key, 'add', true, object);
    return () => this.#handlers.delete(handler);
  }

  hasSynced(): boolean {
    return this.#synced;
  }

  listedAt(): number {
    return this.#listedAt;
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
    // A deletion of an earlier object with this name: the object that replaced it is already here.
    if (old === undefined || old.metadata.uid !== object.metadata.uid) return;
    this.#objects.delete(key);
    this.#indexes.remove(key, old);
    this.#tell(key, 'delete', false, this.#transform(object));
  }

  trim(object: T): T {
    const trimmedObject = this.#transform(object);
    this.#trimmed.add(trimmedObject);
    return trimmedObject;
  }

  replace(objects: readonly T[], isTrusted = false): void {
    const initial = !this.#synced;
    const before = this.#objects;
    const after = new Map<string, T>();
    for (const object of objects) {
      const key = keyOf(object);
      const old = before.get(key);
      const keep = old !== undefined && !isTrusted && !isNewer(object, old);
      after.set(key, keep ? old : this.#trimmed.has(object) ? object : this.#transform(object));
    }
    this.#trimmed = new WeakSet();
    this.#objects = after;
    this.#indexes.rebuild(after);
    this.#synced = true;
    this.#listedAt = this.#clock.now();
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

/** Whether the received object is newer than the cached one; true when their versions cannot be compared. */
function isNewer(incoming: KubeObject, cachedObject: KubeObject): boolean {
  if (incoming.metadata.uid !== cachedObject.metadata.uid) return true;
  const order = compareResourceVersions(incoming.metadata.resourceVersion, cachedObject.metadata.resourceVersion);
  return order === undefined || order > 0;
}
