// Objects in memory behind the calls of KubeApi for single objects: for code that reads and writes a few objects by
// name. Other tests check the behavior of a real server.
import type { KubeApi } from '#kube/api/api.ts';
import { KubeError } from '#kube/api/errors.ts';
import { type KubeObject, keyOf, type ObjectName, type ResourceType } from '#kube/objects/resource.ts';

type Fields = Record<string, unknown>;

export interface MemoryApi {
  readonly api: KubeApi;
  /** The objects, by `plural namespace/name`. */
  readonly objects: Map<string, KubeObject & Fields>;
  /** Every write, as `verb plural namespace/name`. */
  readonly writes: string[];
  put(type: ResourceType, object: KubeObject & Fields): void;
  /** Called before each write, to simulate a change by another client at that moment. */
  before(meanwhile: (write: string) => void): void;
}

export function memoryApi(): MemoryApi {
  const objects = new Map<string, KubeObject & Fields>();
  const writes: string[] = [];
  let meanwhile: (write: string) => void = () => undefined;
  let version = 0;
  const place = (type: ResourceType, at: ObjectName) => `${type.plural} ${keyOf({ metadata: at })}`;
  const put = (type: ResourceType, object: KubeObject & Fields) => {
    version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    objects.set(place(type, metadata), { ...object, metadata });
  };
  const write = (text: string) => {
    writes.push(text);
    meanwhile(text);
  };
  const found = (type: ResourceType, at: ObjectName) => {
    const object = objects.get(place(type, at));
    if (object) return object;
    throw new KubeError({ status: 404, reason: 'NotFound', message: `${place(type, at)} not found` });
  };
  const calls = {
    get: async (type: ResourceType, at: ObjectName) => found(type, at),
    list: async (type: ResourceType) => ({
      items: [...objects].flatMap(([key, object]) => (key.startsWith(`${type.plural} `) ? [object] : [])),
      resourceVersion: String(version),
    }),
    create: async (type: ResourceType, object: Fields & { metadata: ObjectName }) => {
      const at = place(type, object.metadata);
      write(`create ${at}`);
      if (objects.has(at)) throw new KubeError({ status: 409, reason: 'AlreadyExists', message: `${at} exists` });
      put(type, { apiVersion: 'v1', kind: type.kind, ...object } as KubeObject & Fields);
    },
    merge: async (type: ResourceType, at: ObjectName, patch: Fields, options?: { subresource?: string }) => {
      write(`merge ${place(type, at)}${options?.subresource ? `/${options.subresource}` : ''}`);
      const before = found(type, at);
      const { metadata = {} } = patch as { metadata?: Fields };
      if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== before.metadata.resourceVersion)
        throw new KubeError({ status: 409, reason: 'Conflict', message: 'the object has been modified' });
      put(type, merged(before, patch) as KubeObject & Fields);
      return found(type, at);
    },
  };
  return {
    api: calls as unknown as KubeApi,
    objects,
    writes,
    put,
    before: (next) => {
      meanwhile = next;
    },
  };
}

/** RFC 7396. */
function merged(target: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const result: Fields = { ...(target !== null && typeof target === 'object' ? (target as Fields) : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (value !== undefined) result[key] = merged(result[key], value);
  }
  return result;
}
