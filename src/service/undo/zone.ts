// Restore of a deleted zone, while its name is in quarantine: it comes back as it was, with its id, its records, their owners and its
// DNSSEC key, so that the DS records at the parent stay right.
import { orderName, parseZoneName } from '#dns/names/name.ts';
import { nextSerial } from '#dns/serial.ts';
import { insertChanges } from '#store/changes.ts';
import { sqlFailure, type Tx } from '#store/database.ts';
import {
  type DeletedZone,
  deletedNamesBelow,
  deletionOf,
  insertDeletedZone,
  lockDeletedZone,
  returnRows,
} from '#store/deleted-zones.ts';
import { keyStanding } from '#store/keys.ts';
import { refreshZoneNames } from '#store/secondaries.ts';
import { grantDeclared } from '#store/trusts.ts';
import { lockZone, lockZoneTree, touchZone, type ZoneRow, zoneById, zonesNamed } from '#store/zones.ts';
import { mustManageZones, sameOwner, teamsOfActor } from '../accounts/actor.ts';
import { mustHaveRoom, mustHaveRoomForZone } from '../accounts/quota.ts';
import { historyOf, inTurn, keyRevoked } from '../change.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { insist, refusal } from '../refusal.ts';
import { childrenOf } from '../zones/children.ts';
import { mustNotOverlap } from '../zones/create.ts';
import { type CreationStatus, statusOf } from '../zones/delegation.ts';
import { mustNotBePublic, mustNotBeReserved, noTeamOfYours } from '../zones/owner.ts';
import { parentOf, touchParent } from '../zones/parent.ts';
import { mustNotBeKept, takeName } from '../zones/quarantine.ts';
import { type ZoneView, zoneView } from '../zones/view.ts';

export interface ZoneToRestore {
  zoneName: string;
  /** Which one, if several zones of this name were deleted. (Default: the one that was deleted last.) */
  zoneId?: string | undefined;
}

export interface ZonePreview {
  dryRun: true;
  zoneName: string;
  zoneId: string;
  deletedAt: string;
  /** Until when the zone can be restored. */
  until: string;
  records: number;
}

type RestoredZone = ZoneView & { status: CreationStatus };

/**
 * Brings back the zone that was deleted last with this name.
 * @throws Refusal not_found (no such deleted zone), forbidden (rights, quota), bad_request (name), conflict (the zone exists again, or
 * its names are taken), busy
 */
export async function restoreZone(
  context: ServiceContext,
  caller: Caller,
  wanted: ZoneToRestore,
): Promise<RestoredZone> {
  const restored = await withDeletedZone(context, caller, wanted, async (tx, deleted) => {
    const zone = await bringBack(tx, context, deleted);
    const entry = { action: 'zone.restore', before: null, after: zoneView(zone, context.nameservers) } as const;
    const deletion = await deletionOf(tx, zone.id);
    const undoes = deletion === null ? null : [deletion];
    await insertChanges(tx, [{ ...historyOf(zone, caller), ...entry, serial: zone.serial, undoes }]);
    return zoneView(zone, context.nameservers);
  });
  const row = await zoneById(context.db, restored.id);
  return { ...restored, status: row ? await statusOf(context, row) : 'done' };
}

/** Describes the zone that the restore would bring back, after the same checks. @throws as restoreZone */
export async function previewZone(
  context: ServiceContext,
  caller: Caller,
  wanted: ZoneToRestore,
): Promise<ZonePreview> {
  return withDeletedZone(context, { ...caller, once: null }, wanted, async (_tx, deleted) => ({
    dryRun: true,
    zoneName: deleted.name,
    zoneId: deleted.id,
    deletedAt: deleted.deletedAt.toISOString(),
    until: deleted.until.toISOString(),
    records: deleted.recordCount,
  }));
}

/** Runs `work` with a deleted zone that may come back: the same checks as for a new zone. @throws Refusal */
async function withDeletedZone<T>(
  context: ServiceContext,
  caller: Caller,
  { zoneName, zoneId }: ZoneToRestore,
  work: (tx: Tx, deleted: DeletedZone) => Promise<T>,
): Promise<T> {
  const { actor } = caller;
  mustManageZones(actor);
  const name = insist(parseZoneName(zoneName));
  mustNotBeReserved(name, context.reservedNames ?? []);
  if (!context.allowPublicSuffixes) mustNotBePublic(name);
  const owners = { teamIds: teamsOfActor(actor), userIds: actor.user === null ? [] : [actor.user.id] };
  const above = await parentOf(context.db, name);
  try {
    return await inTurn(context, caller, above ? [above.id] : [], async (tx) => {
      // As for a new zone, the parent is locked before the lock that all creations share.
      if (above) await lockZone(tx, above.id, owners);
      await lockZoneTree(tx);
      const deleted = await lockDeletedZone(tx, name, owners, context.now(), zoneId ?? null);
      if (deleted === null) throw refusal('no-deleted-zone', { name });
      const standing = await keyStanding(tx, actor.keyId, { teamId: deleted.teamId }, context.now());
      if (!standing.valid) throw keyRevoked();
      if (!standing.member) throw noTeamOfYours();
      await mustNotExist(tx, deleted);
      await mustNotOverlap(tx, deleted, name, above && sameOwner(above, deleted) ? above : null);
      await mustNotBeKept(tx, context, deleted, name);
      await mustHaveRoomForZone(tx, context, deleted);
      await mustNotHoldNamesBelow(tx, deleted);
      return work(tx, deleted);
    });
  } catch (error) {
    // The tree lock prevents this error; the constraint is the second safeguard.
    if (sqlFailure(error)?.constraint?.startsWith('zones_')) throw refusal('zone-exists', { name });
    throw error;
  }
}

/** @throws Refusal conflict */
async function mustNotExist(tx: Tx, { id, name, ...owner }: DeletedZone): Promise<void> {
  const [zone] = await zonesNamed(tx, [name]);
  if (zone && sameOwner(zone, owner)) throw refusal('zone-there-again', { name, id: zone.id, deleted: id });
}

/** Zones that were created below meanwhile would hide records of the deleted zone. @throws Refusal conflict */
async function mustNotHoldNamesBelow(tx: Tx, deleted: DeletedZone): Promise<void> {
  for (const child of await childrenOf(tx, deleted)) {
    const apex = orderName(child.name.slice(0, -deleted.name.length - 1));
    const { names, total } = await deletedNamesBelow(tx, deleted.id, apex);
    if (total === 0) continue;
    const [zone, where] = [deleted.name, names.join(', ')];
    throw refusal('zone-hides-deleted', { child: child.name, id: child.id, zone, count: total, names: where });
  }
}

/** @throws Refusal forbidden (quota) */
async function bringBack(tx: Tx, context: ServiceContext, deleted: DeletedZone): Promise<ZoneRow> {
  const now = context.now();
  const serial = nextSerial(deleted.serial, Math.floor(now.getTime() / 1000));
  await touchParent(tx, context, deleted.name);
  const zone = await insertDeletedZone(tx, deleted.id, serial, now);
  await takeName(tx, deleted.name);
  const growth = { records: deleted.recordCount, bytes: deleted.storedBytes };
  await mustHaveRoom(tx, context, zone, growth);
  await returnRows(tx, zone);
  await grantDeclared(tx, zone);
  await refreshZoneNames(tx, zone.id);
  return touchZone(tx, zone.id, { serial, changedNames: null, growth }, now);
}
