// Typed calls to the API server, one function per verb.
import {
  apiVersionOf,
  type KubeObject,
  type ObjectMeta,
  type ObjectName,
  type ResourceType,
  resourcePath,
} from '../objects/resource.ts';
import type { Transport } from './transport.ts';

export interface ListOptions {
  /** (Default: all namespaces.) */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** The number of objects in a page. Absent: no paging. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact' | undefined;
}

export interface KubePage<T> {
  readonly items: T[];
  readonly resourceVersion: string;
  /** Set when there are more pages. */
  readonly continue?: string;
}

interface ApplyOptions {
  /** The owner of the applied fields: one name per reconciler. */
  readonly fieldManager: string;
  /**
   * Takes over the fields of other managers instead of failing with 409. (Default: true, as recommended for
   * controllers.)
   */
  readonly force?: boolean;
}

interface PatchOptions {
  readonly subresource?: string;
  readonly fieldManager?: string;
}

interface DeleteOptions {
  /** Preconditions: the call answers 409 when the object is another one or has changed. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

interface WatchOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
}

/**
 * Every call throws KubeError, or the signal's reason when it aborts. Objects that are applied or created may be
 * partial.
 */
export interface KubeApi {
  get<T extends KubeObject = KubeObject>(type: ResourceType, object: ObjectName, signal?: AbortSignal): Promise<T>;
  /** Lists one page. Items of built-in kinds arrive without apiVersion and kind, so they are filled in here. */
  list<T extends KubeObject = KubeObject>(
    type: ResourceType,
    options: ListOptions,
    signal?: AbortSignal,
  ): Promise<KubePage<T>>;
  create<T extends KubeObject = KubeObject>(type: ResourceType, object: Draft<T>, signal?: AbortSignal): Promise<T>;
  /**
   * Server-side apply: we become the owner of the object's fields, and fields that we applied before and omit now are
   * removed.
   */
  apply<T extends KubeObject = KubeObject>(
    type: ResourceType,
    object: Draft<T>,
    options: ApplyOptions,
    signal?: AbortSignal,
  ): Promise<T>;
  /** JSON merge patch (RFC 7396). With `metadata.resourceVersion` in the patch, a changed object answers 409. */
  merge<T extends KubeObject = KubeObject>(
    type: ResourceType,
    object: ObjectName,
    patch: object,
    options?: PatchOptions,
    signal?: AbortSignal,
  ): Promise<T>;
  /**
   * Replaces the status of an object. kube-apiserver takes nothing but `status` from the body, and answers 409 when the
   * object has another uid or resourceVersion. A merge patch would ignore the uid, and it costs kube-apiserver more: it
   * encodes the stored object, applies the patch and decodes the result.
   */
  replaceStatus<T extends KubeObject = KubeObject>(
    type: ResourceType,
    object: StatusDraft,
    options?: Pick<PatchOptions, 'fieldManager'>,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Succeeds also when the object is already gone. */
  delete(type: ResourceType, object: ObjectName, options?: DeleteOptions, signal?: AbortSignal): Promise<void>;
  /** Opens one watch and returns its bytes. Not retried. */
  watch(type: ResourceType, options: WatchOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * An object to send: apiVersion and kind are filled in from the type, everything else may be partial. Without a type
 * argument any field is allowed.
 */
export type Draft<T extends KubeObject> = keyof T extends keyof KubeObject
  ? Metadata | (Metadata & { readonly [field: string]: unknown })
  : Metadata & { readonly [K in Exclude<keyof T, keyof KubeObject>]?: unknown };

/** The status to write, and the version of the object that it belongs to. */
export interface StatusDraft {
  readonly metadata: Pick<ObjectMeta, 'namespace' | 'name' | 'uid' | 'resourceVersion'>;
  readonly status: unknown;
}

interface Metadata {
  readonly metadata: Omit<Partial<ObjectMeta>, 'namespace'> & {
    readonly namespace?: string | undefined;
    readonly generateName?: string;
  };
}

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';

/** The calls, made over a transport. */
export function createApi(transport: Transport): KubeApi {
  return {
    get: async <T>(type: ResourceType, object: ObjectName, signal?: AbortSignal) =>
      (await transport.request({ method: 'GET', path: resourcePath(type, object) }, signal)) as T,
    list: async <T extends KubeObject>(type: ResourceType, options: ListOptions, signal?: AbortSignal) => {
      const { namespace, limit, ...query } = options;
      const path = resourcePath(type, { namespace });
      const answer = await transport.request(
        { method: 'GET', path, query: { ...query, limit: limit?.toString() } },
        signal,
      );
      return toPage<T>(type, answer);
    },
    create: async <T extends KubeObject>(type: ResourceType, object: Draft<T>, signal?: AbortSignal) =>
      (await transport.request(
        {
          method: 'POST',
          path: resourcePath(type, { namespace: object.metadata.namespace }),
          body: { ...object, apiVersion: apiVersionOf(type), kind: type.kind },
        },
        signal,
      )) as T,
    apply: async <T extends KubeObject>(
      type: ResourceType,
      object: Draft<T>,
      options: ApplyOptions,
      signal?: AbortSignal,
    ) => {
      const { namespace, name = '' } = object.metadata;
      return (await transport.request(
        {
          method: 'PATCH',
          path: resourcePath(type, { namespace, name }),
          query: { fieldManager: options.fieldManager, force: String(options.force ?? true) },
          // JSON is YAML: the server accepts it under the apply type since 1.16.
          contentType: APPLY,
          body: { ...object, apiVersion: apiVersionOf(type), kind: type.kind },
        },
        signal,
      )) as T;
    },
    merge: async <T>(
      type: ResourceType,
      object: ObjectName,
      patch: object,
      options: PatchOptions = {},
      signal?: AbortSignal,
    ) =>
      (await transport.request(
        {
          method: 'PATCH',
          path: resourcePath(type, { ...object, subresource: options.subresource }),
          query: { fieldManager: options.fieldManager },
          contentType: MERGE,
          body: patch,
        },
        signal,
      )) as T,
    replaceStatus: async <T>(
      type: ResourceType,
      { metadata, status }: StatusDraft,
      options: Pick<PatchOptions, 'fieldManager'> = {},
      signal?: AbortSignal,
    ) => {
      const { namespace, name, uid, resourceVersion } = metadata;
      return (await transport.request(
        {
          method: 'PUT',
          path: resourcePath(type, { namespace, name, subresource: 'status' }),
          query: { fieldManager: options.fieldManager },
          body: {
            apiVersion: apiVersionOf(type),
            kind: type.kind,
            metadata: { namespace, name, uid, resourceVersion },
            status,
          },
        },
        signal,
      )) as T;
    },
    delete: async (type, object, options = {}, signal) => {
      const { uid, resourceVersion, propagationPolicy } = options;
      const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, propagationPolicy };
      await transport.request({ method: 'DELETE', path: resourcePath(type, object), body, absentIsDone: true }, signal);
    },
    watch: (type, options, signal) => {
      const { namespace, timeoutSeconds, ...query } = options;
      return transport.stream(
        {
          path: resourcePath(type, { namespace }),
          query: { ...query, watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: String(timeoutSeconds) },
        },
        signal,
      );
    },
  };
}

function toPage<T extends KubeObject>(type: ResourceType, answer: unknown): KubePage<T> {
  const list = answer as { items?: T[] | null; metadata?: { resourceVersion?: string; continue?: string } };
  const items = (list.items ?? []).map((item) =>
    item.kind === undefined ? { ...item, apiVersion: apiVersionOf(type), kind: type.kind } : item,
  );
  const next = list.metadata?.continue;
  return { items, resourceVersion: list.metadata?.resourceVersion ?? '', ...(next ? { continue: next } : {}) };
}
