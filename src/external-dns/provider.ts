// The provider behind the protocol: reads zones and records over the REST service, and sends changes in batches at the
// pace that the service allows. plan.ts decides the changes.
import type { Logger } from 'pino';
import type { Client, DnsRecord, RecordChange, Zone } from '#client/client.ts';
import { ApiError, isAbsent } from '#client/errors.ts';
import type { Dispatcher } from '#client/pace/dispatcher.ts';
import { adjust, endpointsOf, type ZoneName } from './endpoints.ts';
import { planChanges, type SetChange, setsOf } from './plan.ts';
import type { Changes, Endpoint } from './protocol.ts';

interface ProviderOptions {
  client: Client;
  pace: Dispatcher;
  log: Logger;
}

export interface Provider {
  /** The names of the zones that the key sees: external-dns ignores all others. */
  zones(signal: AbortSignal): Promise<string[]>;
  records(signal: AbortSignal): Promise<Endpoint[]>;
  adjust(endpoints: Endpoint[], signal: AbortSignal): Promise<Endpoint[]>;
  /** @returns the number of refused changes, each of which is logged @throws the client's error; the signal's reason */
  apply(changes: Changes, signal: AbortSignal): Promise<number>;
}

/** The most changes that the service takes in one request; halved when the key's window is smaller. */
const MAX_BATCH = 1_000;
/** Up to this many names are requested one by one; for more it is cheaper to read the whole zone. */
const FEW_NAMES = 10;

export function createProvider({ client, pace, log }: ProviderOptions): Provider {
  let batchSize = MAX_BATCH;

  const stored = async (zone: ZoneName, names: ReadonlySet<string>, signal: AbortSignal): Promise<DnsRecord[]> => {
    if (names.size > FEW_NAMES) return client.records.list(zone.id, {}, { signal });
    const lists = await Promise.all([...names].map((name) => client.records.list(zone.id, { name }, { signal })));
    return lists.flat();
  };

  /** @throws {ApiError} 400 for a batch of one */
  const send = async (zone: ZoneName, changes: RecordChange[], signal: AbortSignal): Promise<number> => {
    let refused = 0;
    for (let at = 0; at < changes.length; ) {
      const batch = changes.slice(at, at + batchSize);
      const run = (attempt: AbortSignal) =>
        client.records.batch(zone.id, { atomic: false, changes: batch }, { signal: attempt });
      try {
        const results = await pace.submit({ lane: 'change', zone: zone.id, signal, run });
        for (const [index, result] of results.entries()) {
          if (!('error' in result) || isHarmless(batch[index], result.status)) continue;
          refused += 1;
          log.error({ zone: zone.zoneName, change: batch[index], code: result.error }, result.message);
        }
        at += batch.length;
      } catch (error) {
        // The batch has more changes than the key may write in a window: waiting cannot help, a smaller batch does.
        if (!(error instanceof ApiError) || error.status !== 400 || batch.length === 1) throw error;
        batchSize = Math.ceil(batch.length / 2);
      }
    }
    return refused;
  };

  const applyTo = async (sets: readonly SetChange[], signal: AbortSignal): Promise<number> => {
    const zone = sets[0]?.place.zone;
    if (zone === undefined) return 0;
    const names = new Set(sets.map(({ place }) => place.name));
    const changes = planChanges(sets, await stored(zone, names, signal));
    const refused = await send(zone, changes, signal);
    log.info({ zone: zone.zoneName, changes: changes.length, refused }, 'changed');
    return refused;
  };

  const visible = (signal: AbortSignal): Promise<Zone[]> => client.zones.list({}, { signal });
  return {
    zones: async (signal) => (await visible(signal)).map(({ zoneName }) => zoneName),
    records: async (signal) => {
      const lists: Endpoint[][] = [];
      for (const zone of await visible(signal)) {
        const records = await client.records.list(zone.id, {}, { signal }).catch((error: unknown) => {
          // The zone was deleted in the meantime, or this key may not read it.
          if (isAbsent(error) || (error instanceof ApiError && error.status === 403)) return [];
          throw error;
        });
        lists.push(endpointsOf(zone, records));
      }
      return lists.flat();
    },
    adjust: async (endpoints, signal) => {
      const { endpoints: adjusted, dropped } = adjust(endpoints, await visible(signal));
      for (const words of dropped) log.warn(`ignored: ${words}`);
      return adjusted;
    },
    apply: async (changes, signal) => {
      const sets = setsOf(changes, await visible(signal));
      const zones = Map.groupBy(sets, ({ place }) => place.zone.id);
      // Zones do not wait for each other, and a zone that fails does not cost the others their changes.
      const done = await Promise.allSettled([...zones.values()].map((each) => applyTo(each, signal)));
      const failed = done.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      return done.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0);
    },
  };
}

/** A record that was to be deleted is gone already. */
function isHarmless(change: RecordChange | undefined, status: number): boolean {
  return change?.action === 'delete' && status === 404;
}
