// One seam around every write to the API server: where a leader is asked whether it still leads, and where tests let the
// process die. It must not know who stands there.
import type { KubeApi } from './api.ts';

/** A write to the outside world: what it is, and the id under which its request is known. */
export interface Write {
  /** The verb and what it is done to: `applyStatus dnsrecords`, `records.create`. */
  readonly name: string;
  readonly requestId?: string | undefined;
  /** When it stands for several: the ids of all, that one among them. */
  readonly requestIds?: readonly string[] | undefined;
}

/** Must run the write at most once, and give its answer or throw. */
export type Around = <T>(write: Write, run: () => Promise<T>) => Promise<T>;

/** The same calls, every one that writes with `around` about it. */
export function aroundKubeWrites(api: KubeApi, around: Around): KubeApi {
  return {
    ...api,
    create: (type, object, signal) =>
      around({ name: `create ${type.plural}` }, () => api.create(type, object, signal)) as never,
    apply: (type, object, options, signal) =>
      around({ name: `apply ${type.plural}` }, () => api.apply(type, object, options, signal)) as never,
    applyStatus: (type, object, options, signal) =>
      around({ name: `applyStatus ${type.plural}` }, () => api.applyStatus(type, object, options, signal)) as never,
    merge: (type, object, patch, options, signal) =>
      around({ name: `merge ${type.plural}` }, () => api.merge(type, object, patch, options, signal)) as never,
    delete: (type, object, options, signal) =>
      around({ name: `delete ${type.plural}` }, () => api.delete(type, object, options, signal)),
  };
}

/** Several of them, the first one outermost. */
export function nested(...arounds: readonly Around[]): Around {
  return (write, run) => arounds.reduceRight<typeof run>((inner, around) => () => around(write, inner), run)();
}
