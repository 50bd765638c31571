// The order of the writes to the service and of the statuses of DNSRecords: writes go first, because users wait for
// DNS.
//
// A status costs kube-apiserver as much as the creation of its object. When many objects are created at once, the
// records of the last ones would wait for the statuses of the first ones. So while several writes wait, one status is
// written at a time. A run that waits for its turn occupies a worker. When all workers wait, no writes are left, and
// the statuses are written many at a time again.
import { Limit } from '#base/limit.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';

export interface StatusOrder {
  /** The same calls, with the statuses of DNSRecords in this order. Namespaces take turns. */
  ordered(api: KubeApi): KubeApi;
  /** Counts a write to the service until it ends. */
  duringWrite<T>(write: () => Promise<T>): Promise<T>;
  /** The number of statuses that wait. */
  readonly waiting: number;
}

/** Statuses that are written at the same time while few writes wait, and those of a single namespace. */
const AT_ONCE = 16;
const AT_ONCE_ALONE = 12;
/** With fewer writes, the statuses do not slow them down. */
const FEW_WRITES = 8;

export function createStatusOrder(): StatusOrder {
  let writes = 0;
  let waitingCount = 0;
  const permits = () => (writes < FEW_WRITES ? AT_ONCE : 1);
  const limit = new Limit({ permits, share: AT_ONCE_ALONE, isFair: true });

  const inTurn = async <T>(namespace: string, write: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    let waits = true;
    waitingCount += 1;
    const begin = () => {
      waits = false;
      waitingCount -= 1;
      return write();
    };
    try {
      return await limit.run(namespace, begin, signal);
    } finally {
      if (waits) waitingCount -= 1;
    }
  };

  return {
    ordered: (api) => ({
      ...api,
      replaceStatus: (type, object, options, signal) => {
        const write = () => api.replaceStatus(type, object, options, signal);
        const isRecord = type.plural === DNS_RECORD.plural;
        return (isRecord ? inTurn(object.metadata.namespace ?? '', write, signal) : write()) as never;
      },
    }),
    duringWrite: async (write) => {
      writes += 1;
      try {
        return await write();
      } finally {
        writes -= 1;
      }
    },
    get waiting() {
      return waitingCount;
    },
  };
}
