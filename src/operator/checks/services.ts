// The Services that DNSRecords follow, as the EndpointSlices of the cluster show them. The EndpointSlices are read from
// the first DNSRecord with spec.healthFrom on, and not before: a cluster has many of them.
import type { IndexFunction } from '#kube/cache/indexes.ts';
import type { CacheOnDemand } from '#kube/controller/manager.ts';
import { type EndpointSlice, serviceKeyOf } from '#kube/objects/endpoint-slices.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { type EndpointVerdict, judgeEndpoints, NOT_READ, wasServiceFound } from './endpoints.ts';

const BY_SERVICE = 'service';

export const SLICE_INDEXES: Readonly<Record<string, IndexFunction<EndpointSlice>>> = {
  [BY_SERVICE]: (slice) => {
    const service = serviceKeyOf(slice);
    return service === undefined ? [] : [service];
  },
};

export class FollowedServices {
  readonly #slices: CacheOnDemand<EndpointSlice>;
  /** The keys of Services whose EndpointSlices changed since `takeChanged`. */
  #changed = new Set<string>();
  #running: Promise<void> | undefined;

  constructor(slices: CacheOnDemand<EndpointSlice>) {
    this.#slices = slices;
    slices.cache.onChange((_key, _kind, _initial, slice, old) => {
      for (const each of [slice, ...(old === undefined ? [] : [old])]) {
        const service = serviceKeyOf(each);
        if (service !== undefined) this.#changed.add(service);
      }
    });
  }

  /** Reads the EndpointSlices until the signal aborts. Further calls have no effect. */
  start(signal: AbortSignal): void {
    this.#running ??= this.#slices.run(signal);
  }

  /** Resolves when the reading has ended. */
  async ended(): Promise<void> {
    await this.#running;
  }

  /** Whether all EndpointSlices were read. */
  hasSynced(): boolean {
    return this.#slices.hasSynced();
  }

  /** The keys of the Services that changed since the last call. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed;
    if (changed.size > 0) this.#changed = new Set();
    return changed;
  }

  /** Null: the object follows no Service. */
  judge({ metadata, spec, status }: DNSRecord): EndpointVerdict | null {
    const ref = spec.healthFrom?.serviceRef;
    if (ref === undefined) return null;
    if (!this.hasSynced()) return NOT_READ;
    const slices = this.#slices.cache.byIndex(BY_SERVICE, serviceKeyIn(metadata.namespace, ref.name));
    return judgeEndpoints(ref, slices, wasServiceFound(ref, status?.foundService));
  }
}

/** `namespace/name` */
export function serviceKeyIn(namespace: string | undefined, name: string): string {
  return keyOf({ metadata: { namespace, name } });
}
