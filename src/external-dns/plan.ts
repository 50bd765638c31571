// Plans record changes from external-dns' changes and the records at the service. Pure.
//
// The order keeps a name and its ownership record consistent wherever a batch is cut: an ownership TXT is created
// before its record, and deleted after it, because a record that loses its ownership TXT can never be claimed again.
import type { DnsRecord, RecordChange } from '#client/client.ts';
import type { RecordType } from '#dns/types/index.ts';
import { type Place, placeOf, typeOf, type ZoneName } from './endpoints.ts';
import type { Changes, Endpoint } from './protocol.ts';
import { canonicalTarget, splitTarget, targetOf, ttlOf } from './values.ts';

/** One set of values of one zone, and the values that it will have. */
export interface SetChange {
  place: Place<ZoneName>;
  type: RecordType;
  /** Targets in canonical form. */
  remove: string[];
  want: string[];
  /** Undefined: unchanged; the zone's default for a new value. */
  ttl: number | undefined;
}

/** The requested changes, by set. Endpoints outside of all zones or of an unknown type are omitted. */
export function setsOf(changes: Changes, zones: readonly ZoneName[]): SetChange[] {
  const pairs: [Endpoint | null, Endpoint | null][] = [
    ...changes.delete.map((endpoint): [Endpoint, null] => [endpoint, null]),
    ...changes.updateNew.map((endpoint, at): [Endpoint | null, Endpoint] => [changes.updateOld[at] ?? null, endpoint]),
    ...changes.create.map((endpoint): [null, Endpoint] => [null, endpoint]),
  ];
  return pairs.flatMap(([old, wanted]) => {
    const before = old && half(old, zones);
    const after = wanted && half(wanted, zones);
    const removed = before && { ...before, remove: before.targets, want: [], ttl: undefined };
    if (!after) return removed ?? [];
    const ttl = ttlOf(wanted?.recordTTL);
    const same = before !== null && before.type === after.type;
    const remove = same ? before.targets.filter((target) => !after.targets.includes(target)) : [];
    const made = { ...after, remove, want: after.targets, ttl };
    return removed && !same ? [removed, made] : made;
  });
}

function half(endpoint: Endpoint, zones: readonly ZoneName[]) {
  const place = placeOf(endpoint.dnsName, zones);
  const type = typeOf(endpoint);
  if (place === null || type === null) return null;
  return { place, type, targets: endpoint.targets.map((target) => canonicalTarget(type, target)) };
}

/** @param stored the records of the zone, at least those of the names of `sets`, which are all of that zone */
export function planChanges(sets: readonly SetChange[], stored: readonly DnsRecord[]): RecordChange[] {
  const byName = Map.groupBy(stored, ({ name, type }) => `${name} ${type}`);
  const planned = sets.flatMap((set) => {
    const changes = planSet(set, byName.get(`${set.place.name} ${set.type}`) ?? []);
    return changes.map((change) => ({ change, rank: rankOf(change, set.type) }));
  });
  return planned.sort((a, b) => a.rank - b.rank).map(({ change }) => change);
}

/** Deletions first, because a CNAME needs an empty name. */
function rankOf({ action }: RecordChange, type: RecordType): number {
  if (action === 'update') return 2;
  return action === 'delete' ? (type === 'TXT' ? 1 : 0) : type === 'TXT' ? 3 : 4;
}

function planSet({ place, type, remove, want, ttl }: SetChange, stored: readonly DnsRecord[]): RecordChange[] {
  const there = new Map(stored.map((record) => [targetOf(record.type, record), record]));
  const write = (target: string, kept: number | undefined) => {
    const { content, priority } = splitTarget(type, target);
    const seconds = ttl ?? kept;
    return {
      name: place.name,
      type,
      content,
      ...(priority === null ? {} : { priority }),
      ...(seconds === undefined ? {} : { ttl: seconds }),
    };
  };
  const doomed = remove.flatMap((target) => there.get(target) ?? []);
  const changes: RecordChange[] = [];
  for (const target of new Set(want)) {
    const kept = there.get(target);
    if (kept !== undefined) {
      if (ttl !== undefined && kept.ttl !== ttl) {
        changes.push({ action: 'update', id: kept.id, record: write(target, kept.ttl) });
      }
      continue;
    }
    // Replaces a value that is no longer wanted, so that the name always has an answer.
    const old = doomed.shift();
    changes.push(
      old === undefined
        ? { action: 'create', record: write(target, stored[0]?.ttl) }
        : { action: 'update', id: old.id, record: write(target, old.ttl) },
    );
  }
  return [...changes, ...doomed.map(({ id }): RecordChange => ({ action: 'delete', id }))];
}
