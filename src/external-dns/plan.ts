// Plans the sets to apply from external-dns' changes and from the sets that its instance owns at the service. Pure.
import type { OwnedSet, RecordSet } from '#contract/owners.ts';
import type { RecordType } from '#dns/types/index.ts';
import { type EndpointPlace, findEndpointPlace, toRecordType, type ZoneName } from './endpoints.ts';
import { buildEndpointOwner, buildInstancePrefix, isRegistry, REGISTERED } from './owner.ts';
import type { Changes, DnsEndpoint } from './protocol.ts';
import { canonicalTarget, splitTarget, toServedTtl } from './values.ts';

/** The endpoint that external-dns wants at one name and type; null: none. */
export interface Wish {
  place: EndpointPlace<ZoneName>;
  type: RecordType;
  endpoint: DnsEndpoint | null;
}

export interface PlanOptions {
  /** The id of the instance. */
  ownerId: string;
  /** Whether other owners may have values at the same names, and own the same values. */
  share: boolean;
  /** Whether identical records without an owner become external-dns' own. */
  adopt: boolean;
}

/** One wish for each name and type. Endpoints outside of all zones or of an unknown type are omitted. */
export function collectWishes(changes: Changes, zones: readonly ZoneName[]): Wish[] {
  const wishes = new Map<string, Wish>();
  const add = (endpoint: DnsEndpoint, isWanted: boolean) => {
    const place = findEndpointPlace(endpoint.dnsName, zones);
    const type = toRecordType(endpoint);
    if (place === null || type === null) return;
    const wantedEndpoint = isWanted && endpoint.targets.length > 0 ? endpoint : null;
    wishes.set(`${place.zone.id} ${place.name} ${type}`, { place, type, endpoint: wantedEndpoint });
  };
  for (const endpoint of [...changes.delete, ...changes.updateOld]) add(endpoint, false);
  for (const endpoint of [...changes.updateNew, ...changes.create]) add(endpoint, true);
  return [...wishes.values()];
}

/**
 * The sets to apply for the wishes of one zone, by name, and the releases of a name first.
 * @param ownedSets the sets that the instance owns, at least those at the names of the wishes
 */
export function planRecordSets(
  wishes: readonly Wish[],
  ownedSets: readonly OwnedSet[],
  options: PlanOptions,
): RecordSet[] {
  const at = Map.groupBy(ownedSets, ({ name, type }) => `${name} ${type}`);
  const names = Map.groupBy(wishes, ({ place }) => place.name);
  return [...names.values()].flatMap((ofName) => {
    const sets = ofName.flatMap((wish) => planWish(wish, at.get(`${wish.place.name} ${wish.type}`) ?? [], options));
    return releasesFirst(sets);
  });
}

/**
 * The sets of the TXT registry without the entries of names at which a record was refused: no run would delete such an
 * entry. The provider knows its records without the registry, so an entry that is missing for a while does no harm.
 */
export function registryFor(
  plan: readonly RecordSet[],
  wishes: readonly Wish[],
  refusedSets: readonly RecordSet[],
): RecordSet[] {
  const names = new Set(refusedSets.map(({ name }) => name));
  const useless = new Set(
    wishes.flatMap(({ place, endpoint }) => {
      const registeredName = endpoint?.labels?.[REGISTERED];
      const about = registeredName === undefined ? null : findEndpointPlace(registeredName, [place.zone]);
      return about !== null && names.has(about.name) ? [place.name] : [];
    }),
  );
  return plan.filter((set) => isRegistry(set.owner) && (isRelease(set) || !useless.has(set.name ?? '')));
}

/**
 * An owner that releases a value makes room for the next one: a CNAME needs an empty name, and a value has one owner.
 */
export function releasesFirst(sets: readonly RecordSet[]): RecordSet[] {
  return [...sets.filter(isRelease), ...sets.filter((set) => !isRelease(set))];
}

export function isRelease({ values }: RecordSet): boolean {
  return values?.length === 0;
}

function planWish({ place, type, endpoint }: Wish, ownedSets: readonly OwnedSet[], options: PlanOptions): RecordSet[] {
  const { name } = place;
  const { ownerId, share, adopt } = options;
  const owner = endpoint && buildEndpointOwner(ownerId, endpoint);
  const releases = ownedSets
    .filter((set) => set.owner !== owner)
    .map((set): RecordSet => ({ owner: set.owner, name, type, values: [] }));
  if (endpoint === null || owner === null) return releases;
  const ttl = toServedTtl(endpoint.recordTTL);
  const targets = new Set(endpoint.targets.map((target) => canonicalTarget(type, target)));
  return [
    ...releases,
    {
      ...{ owner, name, type, values: [...targets].map((target) => toValue(type, target)) },
      ...(ttl === undefined ? {} : { ttl }),
      ...(share ? { share } : { onlyAmong: buildInstancePrefix(ownerId) }),
      ...(adopt ? { adopt: 'IfIdentical' } : {}),
    },
  ];
}

function toValue(type: RecordType, target: string): { content: string; priority?: number } {
  const { content, priority } = splitTarget(type, target);
  return priority === null ? { content } : { content, priority };
}

/** The releases of names that get no other records of the instance. */
export function emptied(sets: readonly RecordSet[]): RecordSet[] {
  const keptNames = new Set(sets.filter((set) => !isRelease(set)).map(({ name }) => name));
  return sets.filter((set) => isRelease(set) && !keptNames.has(set.name) && !isRegistry(set.owner));
}
