// Interceptors of every write to the DNS service.
import type { WriteInterceptor } from '#base/write-interceptor.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './http.ts';

const ZONE_WRITES = ['create', 'change', 'delete', 'park', 'unpark', 'importFile'] as const;
const RECORD_WRITES = ['create', 'update', 'delete', 'batch'] as const;
const OWNER_WRITES = ['apply'] as const;

/** The same client, with `intercept` called for each call that writes; names are `zones.create`, `records.batch`, … */
export function interceptClientWrites(client: Client, intercept: WriteInterceptor): Client {
  return {
    ...client,
    zones: wrap('zones', client.zones, ZONE_WRITES, intercept),
    records: wrap('records', client.records, RECORD_WRITES, intercept),
    owners: wrap('owners', client.owners, OWNER_WRITES, intercept),
  };
}

function wrap<Calls extends object>(
  group: string,
  calls: Calls,
  names: readonly (keyof Calls & string)[],
  intercept: WriteInterceptor,
): Calls {
  const wrapped = { ...calls } as Record<string, unknown>;
  for (const name of names) {
    const call = calls[name] as (...given: unknown[]) => Promise<unknown>;
    wrapped[name] = (...given: unknown[]) => {
      // Every call takes its options last.
      const options = given.at(-1) as CallOptions | undefined;
      const { requestId, requestIds } = options ?? {};
      return intercept({ name: `${group}.${name}`, requestId, requestIds }, () => call(...given));
    };
  }
  return wrapped as Calls;
}
