// One seam around every write to the service, the same as kube/around.ts is for the API server. It must not know who
// stands there.
import type { Client } from './client.ts';
import type { CallOptions } from './http.ts';

/** Must run the write at most once, and give its answer or throw. */
export type AroundCall = <T>(
  call: { readonly name: string } & Pick<CallOptions, 'requestId' | 'requestIds'>,
  run: () => Promise<T>,
) => Promise<T>;

const ZONE_WRITES = ['create', 'change', 'delete', 'park', 'unpark', 'importFile'] as const;
const RECORD_WRITES = ['create', 'update', 'delete', 'batch'] as const;

/** The same client, every call that writes with `around` about it; names are `zones.create`, `records.batch`, … */
export function aroundClientWrites(client: Client, around: AroundCall): Client {
  return {
    ...client,
    zones: wrap('zones', client.zones, ZONE_WRITES, around),
    records: wrap('records', client.records, RECORD_WRITES, around),
  };
}

function wrap<Calls extends object>(
  group: string,
  calls: Calls,
  names: readonly (keyof Calls & string)[],
  around: AroundCall,
): Calls {
  const wrapped = { ...calls } as Record<string, unknown>;
  for (const name of names) {
    const call = calls[name] as (...given: unknown[]) => Promise<unknown>;
    wrapped[name] = (...given: unknown[]) => {
      // Every call takes its options last.
      const options = given.at(-1) as CallOptions | undefined;
      const { requestId, requestIds } = options ?? {};
      return around({ name: `${group}.${name}`, requestId, requestIds }, () => call(...given));
    };
  }
  return wrapped as Calls;
}
