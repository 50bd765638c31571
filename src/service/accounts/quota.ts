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
  dropUnusableKeys,
  lockOwnerQuota,
  type OwnerQuota,
  otherZones,
  type QuotaOwner,
  readOwnerQuota,
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

function limitOf(context: WithQuotas, ownQuota: OwnerQuota, kind: QuotaKind): number {
  return ownQuota[kind] ?? context.quotas[kind];
}

const WORDS: Readonly<Record<QuotaKind, string>> = {
  zones: 'zones',
  records: 'records',
  bytes: 'bytes of records',
  keys: 'valid app keys',
  members: 'members',
};

function overQuota(ownQuota: OwnerQuota, kind: QuotaKind, { used, limit }: QuotaShare, more: number): Refusal {
  const who = ownQuota.team === null ? 'Your personal zones have' : `The team ${JSON.stringify(ownQuota.team)} has`;
  const holder = ownQuota.team === null && kind === 'zones' ? 'You have' : who;
  const things = ownQuota.team === null && kind === 'zones' ? 'personal zones' : WORDS[kind];
  const setting =
    ownQuota.team === null ? `ZONESTEAD_QUOTA_${kind.toUpperCase()}` : `zonestead admin teams quota --${kind}`;
  return refusal('over-quota', { holder, used, limit, things, more, setting });
}

/** The zones that an owner may have, and the records and octets of all of them. */
export async function readRoom(tx: Tx, context: WithQuotas, owner: QuotaOwner): Promise<Growth & { zones: number }> {
  const ownQuota = await readOwnerQuota(tx, owner);
  const limit = (kind: QuotaKind) => limitOf(context, ownQuota, kind);
  return { zones: limit('zones'), records: limit('records'), bytes: limit('bytes') };
}

/**
 * Refuses a growth that exceeds the quota of the owner, before the work for it begins. It locks nothing, so
 * mustHaveRoom decides.
 * @throws Refusal forbidden
 */
export async function mustFitQuota(tx: Tx, context: WithQuotas, owner: QuotaOwner, growth: Growth): Promise<void> {
  const [ownQuota, usage] = await Promise.all([readOwnerQuota(tx, owner), zoneUsage(tx, owner)]);
  for (const kind of ['records', 'bytes'] as const) {
    const limit = limitOf(context, ownQuota, kind);
    if (growth[kind] > 0 && usage[kind] + growth[kind] > limit)
      throw overQuota(ownQuota, kind, { used: usage[kind], limit }, growth[kind]);
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
  /** Makes the refusal of a change that needs `more`, after earlier changes of the same group used `takenCount`. */
  refusal: (kind: keyof Growth, more: number, taken: number) => Refusal;
}

async function reserve(tx: Tx, context: WithQuotas, zone: ZoneRow, wantedGrowth: Growth): Promise<Reservation> {
  // Both statements are sent together. The second one sees everything that was committed before the first one got its
  // lock.
  const [ownQuota, first] = await Promise.all([lockOwnerQuota(tx, zone), otherZones(tx, zone, zone.id)]);
  const limit = { records: limitOf(context, ownQuota, 'records'), bytes: limitOf(context, ownQuota, 'bytes') };
  const currentUse = { records: zone.recordCount, bytes: zone.storedBytes };
  const freeBeside = (others: Growth): Growth => ({
    records: Math.max(0, limit.records - others.records - currentUse.records),
    bytes: Math.max(0, limit.bytes - others.bytes - currentUse.bytes),
  });
  const isEnough = (free: Growth) => wantedGrowth.records <= free.records && wantedGrowth.bytes <= free.bytes;
  let others = first;
  if (!isEnough(freeBeside(others.reserved))) {
    await takeBackRoom(tx, zone, zone.id);
    others = await otherZones(tx, zone, zone.id);
    // Uncommitted changes hold a part of the quota; whether they use it is known only after they end.
    const free = freeBeside(others.reserved);
    if (!isEnough(free) && isEnough(freeBeside(others.held))) throw busy();
  }
  const free = freeBeside(others.reserved);
  const take = (kind: keyof Growth) => Math.min(free[kind], Math.max(0, wantedGrowth[kind]) + spareOf(kind, free));
  const room = { records: currentUse.records + take('records'), bytes: currentUse.bytes + take('bytes') };
  // The owner's row is locked, so there is no need to wait for this statement. If it fails, the transaction fails.
  setRoom(tx, zone.id, room).catch(() => undefined);
  const refusal = (kind: keyof Growth, more: number, takenCount: number) =>
    overQuota(ownQuota, kind, { used: others.held[kind] + currentUse[kind] + takenCount, limit: limit[kind] }, more);
  return {
    granted: { records: Math.min(wantedGrowth.records, free.records), bytes: Math.min(wantedGrowth.bytes, free.bytes) },
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
 * @param wantedGrowth the most that the changes can add together
 * @returns a function that creates a fresh budget, because a group may be judged more than once
 * @throws Refusal busy
 */
export async function budgetFor(
  tx: Tx,
  context: WithQuotas,
  zone: ZoneRow,
  wantedGrowth: Growth,
): Promise<() => QuotaBudget> {
  if (fits(zone, wantedGrowth)) return () => UNLIMITED;
  const { granted, refusal } = await reserve(tx, context, zone, wantedGrowth);
  return () => {
    const takenGrowth = { records: 0, bytes: 0 };
    return {
      take: (growth) => {
        for (const kind of ['records', 'bytes'] as const) {
          if (growth[kind] > 0 && takenGrowth[kind] + growth[kind] > granted[kind])
            throw refusal(kind, growth[kind], takenGrowth[kind]);
        }
        takenGrowth.records += growth.records;
        takenGrowth.bytes += growth.bytes;
      },
    };
  };
}

/**
 * The caller holds the lock that all creations of zones share.
 * @param addedZones the zones that the transaction has added already. (Default: 0.)
 * @throws Refusal forbidden
 */
export async function mustHaveRoomForZone(
  tx: Tx,
  context: WithQuotas,
  owner: QuotaOwner,
  addedZones = 0,
): Promise<void> {
  const [ownQuota, { zones }] = await Promise.all([readOwnerQuota(tx, owner), zoneUsage(tx, owner)]);
  const [usedCount, limit] = [zones - addedZones, limitOf(context, ownQuota, 'zones')];
  if (usedCount >= limit) throw overQuota(ownQuota, 'zones', { used: usedCount, limit }, 1);
}

/** Locks the team's row, and deletes the oldest keys that are no longer valid. @throws Refusal forbidden */
export async function mustHaveRoomForKey(tx: Tx, context: WithQuotas, teamId: string, now: Date): Promise<void> {
  const ownQuota = await lockOwnerQuota(tx, { teamId, userId: null });
  const [usedCount, limit] = [await countKeys(tx, teamId, now), limitOf(context, ownQuota, 'keys')];
  if (usedCount >= limit) throw overQuota(ownQuota, 'keys', { used: usedCount, limit }, 1);
  await dropUnusableKeys(tx, { teamId, userId: null }, now);
}

/** Locks the team's row. @throws Refusal forbidden */
export async function mustHaveRoomForMember(tx: Tx, context: WithQuotas, teamId: string): Promise<void> {
  const ownQuota = await lockOwnerQuota(tx, { teamId, userId: null });
  const [usedCount, limit] = [await countMembers(tx, teamId), limitOf(context, ownQuota, 'members')];
  if (usedCount >= limit) throw overQuota(ownQuota, 'members', { used: usedCount, limit }, 1);
}
