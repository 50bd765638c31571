// The provider behind the protocol: shows external-dns the records of its own instance, and applies its changes as sets of owners
// (docs/explanation/record-owners.md). plan.ts decides the sets.
import type { Logger } from 'pino';
import type { Client, OwnedSet, Zone } from '#client/client.ts';
import { ApiError, isAbsent } from '#client/errors.ts';
import type { Dispatcher } from '#client/pace/dispatcher.ts';
import { adjust, endpointsOf } from './endpoints.ts';
import { isRegistry, ownersOf } from './owner.ts';
import { emptied, isMass, isRelease, mayBeMass, type PlanOptions, planSets, wishesOf } from './plan.ts';
import type { Changes, Endpoint } from './protocol.ts';
import { createSend } from './send.ts';

export interface ProviderOptions extends PlanOptions {
  client: Client;
  pace: Dispatcher;
  log: Logger;
  /** Whether one round may delete more than half of everything. */
  massDeletion: boolean;
}

export interface Provider {
  /** The names of the zones that the key sees: external-dns ignores all others. */
  zones(signal: AbortSignal): Promise<string[]>;
  /** The records of this instance alone: external-dns without a registry takes all that it sees for its own. */
  records(signal: AbortSignal): Promise<Endpoint[]>;
  adjust(endpoints: Endpoint[], signal: AbortSignal): Promise<Endpoint[]>;
  /** @returns the number of refused sets, each of which is logged @throws the client's error; the signal's reason */
  apply(changes: Changes, signal: AbortSignal): Promise<number>;
}

export function createProvider({ client, pace, log, massDeletion, ...options }: ProviderOptions): Provider {
  const send = createSend({ client, pace, log });
  const prefix = ownersOf(options.ownerId);

  const visible = (signal: AbortSignal): Promise<Zone[]> => client.zones.list({}, { signal });
  const heldIn = async (zone: Zone, signal: AbortSignal): Promise<OwnedSet[]> => {
    const held: OwnedSet[] = [];
    try {
      for await (const page of client.owners.pages(zone.id, { prefix }, { signal })) held.push(...page);
    } catch (error) {
      // The zone was deleted in the meantime, or this key may not read it.
      if (!isAbsent(error) && !(error instanceof ApiError && error.status === 403)) throw error;
      return [];
    }
    return held;
  };

  /** Removes the releases from the plans if there are suspiciously many. @returns how many were removed */
  const holdBack = async (plans: Plan[], zones: readonly Zone[], signal: AbortSignal): Promise<number> => {
    const deleted = sum(plans.map(({ sets }) => emptied(sets)));
    if (massDeletion || !mayBeMass(deleted)) return 0;
    const others = zones.filter((zone) => !plans.some((plan) => plan.zone.id === zone.id));
    const counts = others.map(async (zone) => countOf(await heldIn(zone, signal)));
    const held = sum([...plans.map((plan) => countOf(plan.held)), ...(await Promise.all(counts))]);
    if (!isMass({ deleted, held })) return 0;
    for (const plan of plans) {
      const kept = new Set(plan.sets.filter((set) => !isRelease(set)).map(({ name }) => name));
      plan.sets = plan.sets.filter((set) => !isRelease(set) || kept.has(set.name));
    }
    log.error(
      { deleted, held },
      `external-dns wants to delete ${deleted} of ${held} sets of records at once; nothing was deleted. ` +
        'If this is right, set ZONESTEAD_EXTERNAL_DNS_MASS_DELETION=on until they are gone; otherwise correct the sources of external-dns.',
    );
    return deleted;
  };

  return {
    zones: async (signal) => (await visible(signal)).map(({ zoneName }) => zoneName),
    records: async (signal) => {
      const lists: Endpoint[][] = [];
      for (const zone of await visible(signal)) lists.push(endpointsOf(zone, await heldIn(zone, signal), options));
      return lists.flat();
    },
    adjust: async (endpoints, signal) => {
      const { endpoints: adjusted, dropped } = adjust(endpoints, await visible(signal));
      for (const words of dropped) log.warn(`ignored: ${words}`);
      return adjusted;
    },
    apply: async (changes, signal) => {
      const zones = await visible(signal);
      const wishes = Map.groupBy(wishesOf(changes, zones), ({ place }) => place.zone.id);
      const concerned = zones.filter(({ id }) => wishes.has(id));
      const plans = await Promise.all(
        concerned.map(async (zone): Promise<Plan> => {
          const held = await heldIn(zone, signal);
          return { zone, held, sets: planSets(wishes.get(zone.id) ?? [], held, options) };
        }),
      );
      const heldBack = await holdBack(plans, zones, signal);
      // Zones do not wait for each other, and a zone that fails does not cost the others their changes.
      const done = await Promise.allSettled(plans.map(({ zone, sets }) => send(zone, sets, signal)));
      const failed = done.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      return heldBack + sum(done.map((result) => (result.status === 'fulfilled' ? result.value : 0)));
    },
  };
}

interface Plan {
  zone: Zone;
  held: readonly OwnedSet[];
  sets: ReturnType<typeof planSets>;
}

function countOf(held: readonly OwnedSet[]): number {
  return held.filter(({ owner }) => !isRegistry(owner)).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
