// Quotas limit the zones, records, bytes, keys and members of each team, and the personal zones of each person with
// their records and bytes. The service refuses a change that would exceed a quota. A change that adds nothing is always
// allowed, even if the quota was lowered below the usage.
//
// Records and bytes use reservations: each zone has a reservation (`recordRoom` and `byteRoom` in its row), and the
// reservations of an owner's zones together never exceed the quota. A zone that grows within its reservation reads
// nothing else. Otherwise the change locks the owner's row and reserves more than it needs, as long as much of the
// quota is free. Near the limit it first takes back the unused reservations of the owner's other zones. So the cost of
// a change does not depend on the number of zones and records of the owner, and two zones of an owner cannot both use
// the last free record.
import type { Tx } from '#store/database.ts';
import {
  countKeys,
  countMembers,
  dropEndedKeys,
  lockQuotaOf,
  type OwnerQuota,
  otherZones,
  type QuotaOwner,
  quotaOf,
  setRoom,
  takeBackRoom,
  zoneUsage,
} from '#store/quotas.ts';
import type { ZoneRow } from '#store/zones.ts';
import type { Growth } from '../change/growth.ts';
import { busy } from '../change/queue.ts';
import { type Refusal, refusal } from '../refusal.ts';

/** The default quotas of the service. A team's own quota overrides them. */
export interface Quotas {
  /** (Default: 1000.) */
  zones: number;
  /** (Default: 500000.) */
  records: number;
  /** Octets of names and contents of records. (Default: 1 GiB.) */
  bytes: number;
  /** Valid app keys of a team. (Default: 200.) */
  keys: number;
  /** (Default: 200.) */
  members: number;
}

export type QuotaKind = 'zones' | 'records' | 'bytes' | 'keys' | 'members';

/** How much of a quota is used. */
export interface QuotaShare {
  used: number;
  limit: number;
}

/** The least that a zone reserves beyond its need, if the quota allows it. */
const SPARE: Growth = { records: 64, bytes: 256 * 1024 };

/**
 * The reservation that a zone gets beyond its need. It grows with the free part of the quota, so that zones of one
 * owner that grow at the same time rarely have to wait for the owner's row.
 */
function spareOf(kind: keyof Growth, free: Growth): number {
  return Math.max(SPARE[kind], Math.floor(free[kind] / 2_000));
}

/** The part of a ServiceContext that this module needs. */
export interface WithQuotas {
  quotas: Quotas;
}

function limitOf(context: WithQuotas, own: OwnerQuota, kind: QuotaKind): number {
  return own[kind] ?? context.quotas[kind];
}

const WORDS: Readonly<Record<QuotaKind, string>> = {
  zones: 'zones',
  records: 'records',
  bytes: 'bytes of records',
  keys: 'valid app keys',
  members: 'members',
};

function overQuota(own: OwnerQuota, kind: QuotaKind, { used, limit }: QuotaShare, more: number): Refusal {
  const who = own.team === null ? 'Your personal zones have' : `The team ${JSON.stringify(own.team)} has`;
  const holder = own.team === null && kind === 'zones' ? 'You have' : who;
  const things = own.team === null && kind === 'zones' ? 'personal zones' : WORDS[kind];
  const setting = own.team === null ? `ZONESTEAD_QUOTA_${kind.toUpperCase()}` : `zonestead admin teams quota --${kind}`;
  return refusal('over-quota', { holder, used, limit, things, more, setting });
}

/** The zones that an owner may have, and the records and octets of all of them. */
export async function roomOf(tx: Tx, context: WithQuotas, owner: QuotaOwner): Promise<Growth & { zones: number }> {
  const own = await quotaOf(tx, owner);
  const limit = (kind: QuotaKind) => limitOf(context, own, kind);
  return { zones: limit('zones'), records: limit('records'), bytes: limit('bytes') };
}

/**
 * Refuses a growth that exceeds the quota of the owner, before the work for it begins. It locks nothing, so
 * mustHaveRoom decides.
 * @throws Refusal forbidden
 */
export async function mustFitQuota(tx: Tx, context: WithQuotas, owner: QuotaOwner, growth: Growth): Promise<void> {
  const [own, usage] = await Promise.all([quotaOf(tx, owner), zoneUsage(tx, owner)]);
  for (const kind of ['records', 'bytes'] as const) {
    const limit = limitOf(context, own, kind);
    if (growth[kind] > 0 && usage[kind] + growth[kind] > limit)
      throw overQuota(own, kind, { used: usage[kind], limit }, growth[kind]);
  }
}

/** Whether the growth fits into the zone's reservation. */
export function fits(zone: ZoneRow, growth: Growth): boolean {
  return (
    (growth.records <= 0 || zone.recordCount + growth.records <= zone.recordRoom) &&
    (growth.bytes <= 0 || zone.storedBytes + growth.bytes <= zone.byteRoom)
  );
}

/**
 * Reserves more for the zone if the growth needs it. The caller has locked the zone's row.
 * @throws Refusal forbidden (over the quota), busy
 */
export async function mustHaveRoom(tx: Tx, context: WithQuotas, zone: ZoneRow, growth: Growth): Promise<void> {
  if (fits(zone, growth)) return;
  const { granted, refusal } = await reserve(tx, context, zone, growth);
  if (granted.records < growth.records) throw refusal('records', growth.records, 0);
  if (granted.bytes < growth.bytes) throw refusal('bytes', growth.bytes, 0);
}

interface Reservation {
  granted: Growth;
  /** Makes the refusal of a change that needs `more`, after earlier changes of the same group used `taken`. */
  refusal: (kind: keyof Growth, more: number, taken: number) => Refusal;
}

async function reserve(tx: Tx, context: WithQuotas, zone: ZoneRow, wanted: Growth): Promise<Reservation> {
  // Both statements are sent together. The second one sees everything that was committed before the first one got its
  // lock.
  const [own, first] = await Promise.all([lockQuotaOf(tx, zone), otherZones(tx, zone, zone.id)]);
  const limit = { records: limitOf(context, own, 'records'), bytes: limitOf(context, own, 'bytes') };
  const held = { records: zone.recordCount, bytes: zone.storedBytes };
  const freeBeside = (others: Growth): Growth => ({
    records: Math.max(0, limit.records - others.records - held.records),
    bytes: Math.max(0, limit.bytes - others.bytes - held.bytes),
  });
  const isEnough = (free: Growth) => wanted.records <= free.records && wanted.bytes <= free.bytes;
  let others = first;
  if (!isEnough(freeBeside(others.reserved))) {
    await takeBackRoom(tx, zone, zone.id);
    others = await otherZones(tx, zone, zone.id);
    // Uncommitted changes hold a part of the quota; whether they use it is known only after they end.
    const free = freeBeside(others.reserved);
    if (!isEnough(free) && isEnough(freeBeside(others.held))) throw busy();
  }
  const free = freeBeside(others.reserved);
  const take = (kind: keyof Growth) => Math.min(free[kind], Math.max(0, wanted[kind]) + spareOf(kind, free));
  const room = { records: held.records + take('records'), bytes: held.bytes + take('bytes') };
  // The owner's row is locked, so there is no need to wait for this statement. If it fails, the transaction fails.
  setRoom(tx, zone.id, room).catch(() => undefined);
  const refusal = (kind: keyof Growth, more: number, taken: number) =>
    overQuota(own, kind, { used: others.held[kind] + held[kind] + taken, limit: limit[kind] }, more);
  return {
    granted: { records: Math.min(wanted.records, free.records), bytes: Math.min(wanted.bytes, free.bytes) },
    refusal,
  };
}

/** The growth that is still allowed to the changes of a group. */
export interface QuotaBudget {
  /** Uses a part of the budget; a negative growth gives it back. @throws Refusal forbidden; nothing is used then */
  take(growth: Growth): void;
}

/** The budget of a zone whose reservation is large enough for all changes. */
export const UNLIMITED: QuotaBudget = { take: () => undefined };

/**
 * The budget for changes that succeed or fail one by one. The caller has locked the zone's row.
 * @param wanted the most that the changes can add together
 * @returns a function that creates a fresh budget, because a group may be judged more than once
 * @throws Refusal busy
 */
export async function budgetFor(
  tx: Tx,
  context: WithQuotas,
  zone: ZoneRow,
  wanted: Growth,
): Promise<() => QuotaBudget> {
  if (fits(zone, wanted)) return () => UNLIMITED;
  const { granted, refusal } = await reserve(tx, context, zone, wanted);
  return () => {
    const taken = { records: 0, bytes: 0 };
    return {
      take: (growth) => {
        for (const kind of ['records', 'bytes'] as const) {
          if (growth[kind] > 0 && taken[kind] + growth[kind] > granted[kind])
            throw refusal(kind, growth[kind], taken[kind]);
        }
        taken.records += growth.records;
        taken.bytes += growth.bytes;
      },
    };
  };
}

/**
 * The caller holds the lock that all creations of zones share.
 * @param added the zones that the transaction has added already. (Default: 0.)
 * @throws Refusal forbidden
 */
export async function mustHaveRoomForZone(tx: Tx, context: WithQuotas, owner: QuotaOwner, added = 0): Promise<void> {
  const [own, { zones }] = await Promise.all([quotaOf(tx, owner), zoneUsage(tx, owner)]);
  const [used, limit] = [zones - added, limitOf(context, own, 'zones')];
  if (used >= limit) throw overQuota(own, 'zones', { used, limit }, 1);
}

/** Locks the team's row, and deletes the oldest keys that are no longer valid. @throws Refusal forbidden */
export async function mustHaveRoomForKey(tx: Tx, context: WithQuotas, teamId: string, now: Date): Promise<void> {
  const own = await lockQuotaOf(tx, { teamId, userId: null });
  const [used, limit] = [await countKeys(tx, teamId, now), limitOf(context, own, 'keys')];
  if (used >= limit) throw overQuota(own, 'keys', { used, limit }, 1);
  await dropEndedKeys(tx, { teamId, userId: null }, now);
}

/** Locks the team's row. @throws Refusal forbidden */
export async function mustHaveRoomForMember(tx: Tx, context: WithQuotas, teamId: string): Promise<void> {
  const own = await lockQuotaOf(tx, { teamId, userId: null });
  const [used, limit] = [await countMembers(tx, teamId), limitOf(context, own, 'members')];
  if (used >= limit) throw overQuota(own, 'members', { used, limit }, 1);
}
