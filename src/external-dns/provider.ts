// The provider behind the protocol: shows external-dns the records of its own instance, and applies its changes as sets
// of owners (docs/explanation/record-owners.md). plan.ts decides the sets.
import type { Logger } from 'pino';
import type { Clock } from '#base/clock.ts';
import type { Client } from '#client/client.ts';
import { ApiError, isAbsent } from '#client/errors.ts';
import { fetchZones, readOwnerPages } from '#client/lists.ts';
import type { Dispatcher } from '#client/pace/dispatcher.ts';
import type { OwnedSet } from '#contract/owners.ts';
import type { Zone } from '#contract/zone.ts';
import { type Deletions, heldBack, isMass, keepRecent, mayBeMass, withRound } from './brake.ts';
import { adjust, buildEndpoints } from './endpoints.ts';
import { buildInstancePrefix, isRegistry } from './owner.ts';
import { collectWishes, emptied, isRelease, type PlanOptions, planRecordSets, registryFor, type Wish } from './plan.ts';
import type { Changes, DnsEndpoint } from './protocol.ts';
import { createSend } from './send.ts';

export interface ProviderOptions extends PlanOptions {
  client: Client;
  pace: Dispatcher;
  clock: Clock;
  log: Logger;
  /** Whether external-dns may delete more than half of everything at once. */
  massDeletion: boolean;
}

export interface WebhookProvider {
  /** The names of the zones that the key sees: external-dns ignores all others. */
  zones(signal: AbortSignal): Promise<string[]>;
  /** The records of this instance alone: external-dns without a registry takes all that it sees for its own. */
  records(signal: AbortSignal): Promise<DnsEndpoint[]>;
  adjust(endpoints: DnsEndpoint[], signal: AbortSignal): Promise<DnsEndpoint[]>;
  /**
   * @returns the number of refused sets, each of which is logged
   * @throws the client's error; the signal's reason
   */
  apply(changes: Changes, signal: AbortSignal): Promise<number>;
}

export function createWebhookProvider({
  client,
  pace,
  clock,
  log,
  massDeletion,
  ...options
}: ProviderOptions): WebhookProvider {
  const send = createSend({ client, pace, log });
  let deletions: Deletions = new Map();
  const prefix = buildInstancePrefix(options.ownerId);

  const readVisibleZones = (signal: AbortSignal): Promise<Zone[]> => fetchZones(client, {}, { signal });
  const heldIn = async (zone: Zone, signal: AbortSignal): Promise<OwnedSet[]> => {
    const ownedSets: OwnedSet[] = [];
    try {
      for await (const page of readOwnerPages(client, zone.id, { prefix }, { signal })) ownedSets.push(...page);
    } catch (error) {
      // The zone was deleted in the meantime, or this key may not read it.
      if (!isAbsent(error) && !(error instanceof ApiError && error.status === 403)) throw error;
      return [];
    }
    return ownedSets;
  };

  /** Removes the releases from the plans if there are suspiciously many. @returns how many were removed */
  const holdBack = async (plans: Plan[], zones: readonly Zone[], signal: AbortSignal): Promise<number> => {
    const round = plans.flatMap(({ zone, sets }) => emptied(sets).map((set) => keyOf(zone, set)));
    const recent = keepRecent(deletions, clock.now());
    deletions = withRound(recent, round, clock.now());
    if (massDeletion || !mayBeMass(recent, round)) return 0;
    const others = zones.filter((zone) => !plans.some((plan) => plan.zone.id === zone.id));
    const rest = await Promise.all(others.map(async (zone) => ({ zone, held: await heldIn(zone, signal) })));
    const heldKeys = [...plans, ...rest].flatMap((each) => listKeys(each.zone, each.held));
    if (!isMass(recent, round, heldKeys)) return 0;
    deletions = heldBack(recent, clock.now());
    for (const plan of plans) {
      const keptNames = new Set(plan.sets.filter((set) => !isRelease(set)).map(({ name }) => name));
      plan.sets = plan.sets.filter((set) => !isRelease(set) || keptNames.has(set.name));
    }
    const sooner = recent.size === 0 ? '' : `, after ${recent.size} others in the last minutes`;
    log.error(
      { deletions: round.length, held: heldKeys.length, before: recent.size },
      `external-dns wants to delete ${round.length} of ${heldKeys.length} sets of records${sooner}; nothing was deleted. ` +
        'If this is right, set ZONESTEAD_EXTERNAL_DNS_MASS_DELETION=on until they are gone; otherwise correct the sources of external-dns.',
    );
    return round.length;
  };

  /** @returns the number of refused sets */
  const sendPlan = async ({ zone, sets, wishes }: Plan, signal: AbortSignal): Promise<number> => {
    const records = sets.filter(({ owner }) => !isRegistry(owner));
    const refusedSets = await send(zone, records, signal);
    return refusedSets.length + (await send(zone, registryFor(sets, wishes, refusedSets), signal)).length;
  };

  return {
    zones: async (signal) => (await readVisibleZones(signal)).map(({ zoneName }) => zoneName),
    records: async (signal) => {
      const lists: DnsEndpoint[][] = [];
      for (const zone of await readVisibleZones(signal))
        lists.push(buildEndpoints(zone, await heldIn(zone, signal), options));
      return lists.flat();
    },
    adjust: async (endpoints, signal) => {
      const { endpoints: adjusted, dropped } = adjust(endpoints, await readVisibleZones(signal));
      for (const words of dropped) log.warn(`ignored: ${words}`);
      return adjusted;
    },
    apply: async (changes, signal) => {
      const zones = await readVisibleZones(signal);
      const wishes = Map.groupBy(collectWishes(changes, zones), ({ place }) => place.zone.id);
      const concernedZones = zones.filter(({ id }) => wishes.has(id));
      const plans = await Promise.all(
        concernedZones.map(async (zone): Promise<Plan> => {
          const ownedSets = await heldIn(zone, signal);
          const ofZone = wishes.get(zone.id) ?? [];
          return { zone, held: ownedSets, wishes: ofZone, sets: planRecordSets(ofZone, ownedSets, options) };
        }),
      );
      const heldBack = await holdBack(plans, zones, signal);
      // Zones do not wait for each other, and a zone that fails does not cost the others their changes.
      const results = await Promise.allSettled(plans.map((plan) => sendPlan(plan, signal)));
      const failure = results.find((result) => result.status === 'rejected');
      if (failure) throw failure.reason;
      return heldBack + sum(results.map((result) => (result.status === 'fulfilled' ? result.value : 0)));
    },
  };
}

interface Plan {
  zone: Zone;
  held: readonly OwnedSet[];
  wishes: readonly Wish[];
  sets: ReturnType<typeof planRecordSets>;
}

function listKeys(zone: Zone, ownedSets: readonly OwnedSet[]): string[] {
  return ownedSets.filter(({ owner }) => !isRegistry(owner)).map((set) => keyOf(zone, set));
}

function keyOf({ id }: Zone, { name, type }: { name?: string | undefined; type?: string | undefined }): string {
  return `${id} ${name} ${type}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
