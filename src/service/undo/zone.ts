// Restore of a deleted zone, while its name is in quarantine: it comes back as it was, with its id, its records, their
// owners and its DNSSEC key, so that the DS records at the parent stay right.
import { keyTagOfDs } from '#dns/dnssec/signing-key.ts';
import { orderName, parseZoneName } from '#dns/names/name.ts';
import { insertChanges } from '#store/changes.ts';
import { awaitDelegation, endDepartures } from '#store/child-zones.ts';
import { type Db, sqlFailure, type Tx } from '#store/database.ts';
import {
  type DeletedZoneRow,
  deletedNamesBelow,
  deletedZoneNamed,
  findDeletion,
  insertDeletedZone,
  lockDeletedZone,
  type ReturnedGrants,
  returnRows,
  withdrawChanged,
} from '#store/deleted-zones.ts';
import { keyStanding } from '#store/keys.ts';
import { refreshZoneNames } from '#store/secondaries.ts';
import { grantDeclared } from '#store/trusts.ts';
import { inOneSnapshot, lockZone, touchZone, type ZoneRow, zoneById, zonesNamed } from '#store/zones.ts';
import { mustManageZones, sameOwner, teamsOfActor } from '../accounts/actor.ts';
import { mustFitQuota, mustHaveRoom, mustHaveRoomForZone } from '../accounts/quota.ts';
import { buildHistoryHead, serialAfter } from '../change/history.ts';
import { repeatedAnswer } from '../change/once.ts';
import { keyRevoked } from '../change/standing.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { insist, refusal } from '../refusal.ts';
import { readChildren } from '../zones/children.ts';
import { mustHaveChildren } from '../zones/create.ts';
import { type CreationStatus, judgeNewZone } from '../zones/delegation.ts';
import { mustNotOverlap } from '../zones/overlap.ts';
import { mustNotBePublic, mustNotBeReserved, noTeamOfYours } from '../zones/owner.ts';
import { findParentZone, touchParent } from '../zones/parent.ts';
import { mustNotBeKept, takeName } from '../zones/quarantine.ts';
import { addZone } from '../zones/tree.ts';
import { type ZoneView, zoneView } from '../zones/view.ts';
import { recordGrants } from './returned-grants.ts';

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
  /** The tag of its DNSSEC key. */
  keyTag: number;
}

type RestoredZone = ZoneView & { status: CreationStatus };

/**
 * Brings back the zone that was deleted last with this name. It copies its rows before it takes the lock of the tree of
 * zones, so that other creations do not wait for it.
 * @param count counts the restore as so many writes of zones
 * @throws Refusal not_found (no such deleted zone), forbidden (rights, quota), bad_request (name), conflict (the zone
 * exists again, or its names are taken), rate_limited, busy
 */
export async function restoreZone(
  context: ServiceContext,
  caller: Caller,
  wantedZone: ZoneToRestore,
  count: (writes: number) => Promise<void>,
): Promise<RestoredZone> {
  mustManageZones(caller.actor);
  const earlierAnswer = await repeatedAnswer<ZoneView>(context, caller);
  const restoredZone = earlierAnswer ?? (await restoreOnce(context, caller, wantedZone, count));
  const row = await zoneById(context.db, restoredZone.id);
  return { ...restoredZone, status: row ? await judgeNewZone(context, row) : 'done' };
}

async function restoreOnce(
  context: ServiceContext,
  caller: Caller,
  wantedZone: ZoneToRestore,
  count: (writes: number) => Promise<void>,
): Promise<ZoneView> {
  const candidate = await findDeleted(context.db, context, caller, wantedZone);
  await count(writesFor(candidate));
  const above = await findParentZone(context.db, candidate.name);
  const restore = async (tx: Tx, enterTree: () => Promise<void>) => {
    const deletedZone = await findDeleted(
      tx,
      context,
      caller,
      { ...wantedZone, zoneId: candidate.id },
      { isLocked: true },
    );
    const parent = above && sameOwner(above, deletedZone) ? above : null;
    await mustFit(tx, context, deletedZone, parent, null);
    await mustFitQuota(tx, context, deletedZone, growthOf(deletedZone));
    const below = await readChildren(tx, deletedZone);
    const { zone, grants } = await bringBack(tx, context, deletedZone);
    // As for a new zone, the parent is locked before the lock that all creations share.
    if (parent) await lockZone(tx, parent.id);
    await mustHaveRoom(tx, context, zone, growthOf(deletedZone));
    await enterTree();
    await mustStillManage(tx, context, caller, deletedZone);
    await mustFit(tx, context, deletedZone, parent, zone);
    await mustHaveChildren(tx, zone, below);
    const keptGrants = await withdrawChanged(tx, zone.id, deletedZone.deletedAt, grants);
    await recordGrants(tx, caller, zone, keptGrants, context.now());
    return publish(tx, context, caller, deletedZone, zone, parent !== null);
  };
  const addition = { name: candidate.name, turns: [], isLong: true };
  try {
    const restoredZone = await addZone(context, caller, addition, restore);
    if (above) context.childZones?.changed();
    return restoredZone;
  } catch (error) {
    // The lock of the name prevents this error; the constraint is the second safeguard.
    if (sqlFailure(error)?.constraint?.startsWith('zones_')) throw refusal('zone-exists', { name: candidate.name });
    throw error;
  }
}

/** Describes the zone that the restore would bring back, after the same checks. @throws as restoreZone */
export async function previewZone(
  context: ServiceContext,
  caller: Caller,
  wantedZone: ZoneToRestore,
): Promise<ZonePreview> {
  return inOneSnapshot(context.db, async (tx) => {
    const deletedZone = await findDeleted(tx, context, caller, wantedZone);
    const above = await findParentZone(tx, deletedZone.name);
    await mustFit(tx, context, deletedZone, above && sameOwner(above, deletedZone) ? above : null, null);
    await mustFitQuota(tx, context, deletedZone, growthOf(deletedZone));
    return {
      dryRun: true,
      zoneName: deletedZone.name,
      zoneId: deletedZone.id,
      deletedAt: deletedZone.deletedAt.toISOString(),
      until: deletedZone.until.toISOString(),
      records: deletedZone.recordCount,
      keyTag: keyTagOfDs(deletedZone.ds[0] ?? ''),
    };
  });
}

/** The number of records whose restore counts as one write of a zone, in addition to the first one. */
const PER_WRITE = 1_000;

function writesFor({ recordCount }: DeletedZoneRow): number {
  return 1 + Math.floor(recordCount / PER_WRITE);
}

function growthOf({ recordCount, storedBytes }: DeletedZoneRow) {
  return { records: recordCount, bytes: storedBytes };
}

/** The deleted zone that the caller may bring back. @throws Refusal not_found, forbidden, bad_request (name) */
async function findDeleted(
  db: Db | Tx,
  context: ServiceContext,
  caller: Caller,
  { zoneName, zoneId }: ZoneToRestore,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<DeletedZoneRow> {
  const { actor } = caller;
  mustManageZones(actor);
  const name = insist(parseZoneName(zoneName));
  mustNotBeReserved(name, context.reservedNames ?? []);
  if (!context.allowPublicSuffixes) mustNotBePublic(name);
  const owners = { teamIds: teamsOfActor(actor), userIds: actor.user === null ? [] : [actor.user.id] };
  const zoneQuery = { name, owners, now: context.now(), id: zoneId ?? null };
  const deletedZone = await (isLocked ? lockDeletedZone(db, zoneQuery) : deletedZoneNamed(db, zoneQuery));
  if (deletedZone === null) throw refusal('no-deleted-zone', { name });
  await mustStillManage(db, context, caller, deletedZone);
  return deletedZone;
}

/**
 * The key may have been revoked, or the member removed, since the request arrived.
 * @throws Refusal unauthorized, forbidden
 */
async function mustStillManage(
  db: Db | Tx,
  context: ServiceContext,
  { actor }: Caller,
  { teamId }: DeletedZoneRow,
): Promise<void> {
  const standing = await keyStanding(db, actor.keyId, { teamId }, context.now());
  if (!standing.valid) throw keyRevoked();
  if (!standing.member) throw noTeamOfYours();
}

/**
 * The same checks as for a new zone.
 * @param addedZone the zone, if it is back already
 * @throws Refusal conflict, forbidden, busy
 */
async function mustFit(
  tx: Tx,
  context: ServiceContext,
  deletedZone: DeletedZoneRow,
  parent: ZoneRow | null,
  addedZone: ZoneRow | null,
): Promise<void> {
  if (addedZone === null) await mustNotExist(tx, deletedZone);
  await mustNotOverlap(tx, deletedZone, deletedZone.name, parent, addedZone);
  await mustNotBeKept(tx, context, deletedZone, deletedZone.name);
  await mustHaveRoomForZone(tx, context, deletedZone, addedZone === null ? 0 : 1);
  if (addedZone === null) await mustNotHoldNamesBelow(tx, deletedZone);
}

/** @throws Refusal conflict */
async function mustNotExist(tx: Tx, { id, name, ds, until, recordCount, ...owner }: DeletedZoneRow): Promise<void> {
  const [zone] = await zonesNamed(tx, [name]);
  if (!zone || !sameOwner(zone, owner)) return;
  const [now, formerTag] = [zone.ds, ds].map(([first = '']) => keyTagOfDs(first));
  const key =
    now === formerTag
      ? `Both have the DNSSEC key ${now}, so DS records at the parent zone stay valid.`
      : `The restored zone has the DNSSEC key ${formerTag} instead of ${now}: replace DS records at the parent zone.`;
  throw refusal('zone-there-again', {
    name,
    id: zone.id,
    held: zone.recordCount,
    deleted: id,
    count: recordCount,
    until: until.toISOString(),
    key,
  });
}

/** Zones that were created below meanwhile would hide records of the deleted zone. @throws Refusal conflict */
async function mustNotHoldNamesBelow(tx: Tx, deletedZone: DeletedZoneRow): Promise<void> {
  for (const child of await readChildren(tx, deletedZone)) {
    const apex = orderName(child.name.slice(0, -deletedZone.name.length - 1));
    const { names, total } = await deletedNamesBelow(tx, deletedZone.id, apex);
    if (total === 0) continue;
    const [zone, where] = [deletedZone.name, names.join(', ')];
    throw refusal('zone-hides-deleted', { child: child.name, id: child.id, zone, count: total, names: where });
  }
}

/** Copies the rows, under a row of the zone that no other transaction sees yet. */
async function bringBack(
  tx: Tx,
  context: ServiceContext,
  deletedZone: DeletedZoneRow,
): Promise<{ zone: ZoneRow; grants: ReturnedGrants }> {
  const now = context.now();
  const serial = serialAfter(deletedZone.serial, now);
  const zone = await insertDeletedZone(tx, deletedZone.id, serial, now);
  const grants = await returnRows(tx, zone, now);
  await grantDeclared(tx, zone);
  await refreshZoneNames(tx, zone.id);
  return { zone, grants };
}

/** Ends the quarantine of the name, and makes parent and history know the zone. */
async function publish(
  tx: Tx,
  context: ServiceContext,
  caller: Caller,
  deletedZone: DeletedZoneRow,
  { id, serial }: ZoneRow,
  isChild: boolean,
): Promise<ZoneView> {
  await endDepartures(tx, deletedZone.name, id);
  if (!isChild || !(await awaitDelegation(tx, id))) await touchParent(tx, context, deletedZone.name);
  await takeName(tx, deletedZone.name);
  const zone = await touchZone(tx, id, { serial, changedNames: null, growth: growthOf(deletedZone) }, context.now());
  const after = zoneView(zone, context.nameservers);
  const deletion = await findDeletion(tx, zone.id);
  const undoes = deletion === null ? null : [deletion];
  const entry = { action: 'zone.restore', before: null, after, serial, undoes } as const;
  await insertChanges(tx, [{ ...buildHistoryHead(zone, caller), ...entry }]);
  return after;
}
