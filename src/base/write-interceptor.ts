// Interceptors of every write to another system: the leader checks there that it still leads, a trace records the
// write, and tests let the process die there.

/** A write to an external system: its name, and the id under which its request is known. */
export interface Write {
  /** The verb and its object, or the operation of the REST API: `status dnsrecords`, `applyRecords`. */
  readonly name: string;
  readonly requestId?: string | undefined;
  /** For a write that contains several requests: the ids of all of them, `requestId` included. */
  readonly requestIds?: readonly string[] | undefined;
}

/** Must run the write at most once, and return its answer or throw. */
export type WriteInterceptor = <T>(write: Write, run: () => Promise<T>) => Promise<T>;

/** Combines interceptors; the first one is the outermost. */
export function chain(...interceptors: readonly WriteInterceptor[]): WriteInterceptor {
  return (write, run) =>
    interceptors.reduceRight<typeof run>((inner, intercept) => () => intercept(write, inner), run)();
}
