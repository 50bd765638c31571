// Creates a zone: checks the owner, the name and overlaps with other zones, and generates the signing key.
import { parseComment } from '#dns/comment.ts';
import { dsRecords, generateCsk } from '#dns/dnssec/signing-key.ts';
import { orderName, parseZoneName, suffixesOf } from '#dns/names/name.ts';
import { ancestorsOf } from '#dns/rules/nearby-records.ts';
import { nextSerial } from '#dns/serial.ts';
import { insertChanges } from '#store/changes.ts';
import { sqlFailure, type Tx } from '#store/database.ts';
import { keyStanding } from '#store/keys.ts';
import { namesBelow, recordsAt } from '#store/records.ts';
import { grantDeclared } from '#store/trusts.ts';
import {
  foreignZoneBelow,
  insertZone,
  lockZone,
  lockZoneTree,
  type ZoneRow,
  zoneById,
  zonesNamed,
} from '#store/zones.ts';
import { mustManageZones, type Owner, sameOwner } from '../accounts/actor.ts';
import { mustHaveRoomForZone } from '../accounts/quota.ts';
import { historyOf, inTurn, keyRevoked } from '../change.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { busy } from '../queue.ts';
import { insist, refusal } from '../refusal.ts';
import { type CreationStatus, statusOf } from './delegation.ts';
import { mustNotBePublic, mustNotBeReserved, noTeamOfYours, ownerFor } from './owner.ts';
import { parentOf, touchParent } from './parent.ts';
import { mustNotBeKept, takeName } from './quarantine.ts';
import { type ZoneView, zoneView } from './view.ts';

interface ZoneInput {
  zoneName: string;
  owner?: string | undefined;
  defaultTtl?: number | undefined;
  comment?: string | null | undefined;
}

/** Writes the first records of a new zone in the transaction that creates it. @throws Refusal; there is no new zone then */
export type FirstRecords = (tx: Tx, zone: ZoneRow) => Promise<unknown>;

type CreatedZone = ZoneView & { status: CreationStatus };

/** The TTL of records without one, of a zone whose owner chose none. In seconds. */
export const DEFAULT_TTL = 3600;

/**
 * @param records writes records into the new zone; zone and records appear at once, or not at all. (Default: none.)
 * @throws Refusal forbidden (owner, rights, reserved name, quota), bad_request (name), conflict (the zone exists, it overlaps with
 * a zone or a quarantined name of another team, or it would hide records of the parent zone), busy; the refusals of `records`
 */
export async function createZone(
  context: ServiceContext,
  caller: Caller,
  input: ZoneInput,
  records?: FirstRecords,
): Promise<CreatedZone> {
  const owner = ownerFor(caller.actor, input.owner);
  mustManageZones(caller.actor);
  const name = insist(parseZoneName(input.zoneName));
  const comment = insist(parseComment(input.comment ?? null));
  mustNotBeReserved(name, context.reservedNames ?? []);
  if (!context.allowPublicSuffixes) mustNotBePublic(name);
  const above = await parentOf(context.db, name);
  // A zone of another owner is not locked: mustNotOverlap refuses the new zone.
  const parent = above && sameOwner(above, owner) ? above : null;
  const create = async (tx: Tx) => {
    // The parent is locked before the lock that all creations share, so that a busy parent does not delay other creations.
    if (parent) await lockZone(tx, parent.id);
    await lockZoneTree(tx);
    const standing = await keyStanding(tx, caller.actor.keyId, { teamId: owner.teamId }, context.now());
    if (!standing.valid) throw keyRevoked();
    if (!standing.member) throw noTeamOfYours();
    await mustNotOverlap(tx, owner, name, parent);
    await mustNotBeKept(tx, context, owner, name);
    await mustHaveRoomForZone(tx, context, owner);
    if (parent) await touchParent(tx, context, name);
    const zone = await insertSigned(tx, context, caller, owner, { ...input, zoneName: name, comment });
    await records?.(tx, zone);
    return zoneView(zone, context.nameservers);
  };
  try {
    const created = await inTurn(context, caller, parent ? [parent.id] : [], create);
    const row = await zoneById(context.db, created.id);
    // If the zone was deleted meanwhile, or this is the stored answer to a repeated request, the owner has nothing left to do.
    return { ...created, status: row ? await statusOf(context, row) : 'done' };
  } catch (error) {
    // The tree lock prevents this error; the constraint is the second safeguard.
    if (sqlFailure(error)?.constraint?.startsWith('zones_')) throw refusal('zone-exists', { name });
    throw error;
  }
}

async function insertSigned(
  tx: Tx,
  context: ServiceContext,
  caller: Caller,
  owner: Owner,
  input: ZoneInput,
): Promise<ZoneRow> {
  const { zoneName: name, defaultTtl = DEFAULT_TTL, comment = null } = input;
  const now = context.now();
  const csk = generateCsk();
  const zone = await insertZone(tx, {
    id: `zone_${context.random(10).toString('hex')}`,
    ...owner,
    name,
    tree: orderName(name),
    state: 'active',
    defaultTtl,
    // The first serial is the time, so that a zone that is created again gets higher serials than before (RFC 1982).
    serial: nextSerial(0, Math.floor(now.getTime() / 1000)),
    cskPrivate: csk.privateKey,
    cskPublic: csk.publicKey,
    ds: dsRecords(name, csk.publicKey).map((ds) => `${ds.keyTag} ${ds.algorithm} ${ds.digestType} ${ds.digest}`),
    recordCount: 0,
    storedBytes: 0,
    managedBy: caller.managedBy ?? null,
    comment,
    createdAt: now,
    updatedAt: now,
  });
  await takeName(tx, name);
  await grantDeclared(tx, zone);
  const after = zoneView(zone, context.nameservers);
  const entry = { action: 'zone.create', before: null, after, serial: zone.serial } as const;
  await insertChanges(tx, [{ ...historyOf(zone, caller), ...entry }]);
  return zone;
}

/** With a zone above or below another team's zone, one of the two would lose names to the other. @throws Refusal conflict, busy */
export async function mustNotOverlap(tx: Tx, owner: Owner, name: string, parent: ZoneRow | null): Promise<void> {
  const [enclosing, foreignBelow] = await Promise.all([
    zonesNamed(tx, suffixesOf(name)),
    foreignZoneBelow(tx, orderName(name), owner),
  ]);
  if (foreignBelow || enclosing.some((zone) => !sameOwner(zone, owner))) {
    throw refusal('zone-overlaps', { name });
  }
  const nearest = enclosing[0];
  if (nearest?.name === name) {
    throw refusal('own-zone-exists', { name, where: owner.teamId === null ? '' : ' in this team', id: nearest.id });
  }
  // The parent was created or deleted since it was read, so the locked row is not the current parent.
  if (nearest?.id !== parent?.id) throw busy();
  if (nearest) await mustNotHide(tx, nearest, name);
}

/** The parent's records at or below the new apex would no longer be served. The parent is locked. @throws Refusal conflict */
async function mustNotHide(tx: Tx, parent: ZoneRow, name: string): Promise<void> {
  const relative = name.slice(0, -parent.name.length - 1);
  const apex = orderName(relative);
  const above = await recordsAt(tx, parent.no, ancestorsOf(relative));
  const redirection = above.find(({ type }) => type === 'DNAME');
  if (redirection !== undefined) {
    throw refusal('zone-below-dname', { parent: parent.name, id: parent.id, at: redirection.name, name });
  }
  const [at, below] = await Promise.all([recordsAt(tx, parent.no, [apex]), namesBelow(tx, parent.no, apex, 5)]);
  const total = at.length + below.total;
  if (total === 0) return;
  const names = [...new Set([...at.map((record) => record.name), ...below.names])].slice(0, 5);
  throw refusal('zone-hides-records', {
    parent: parent.name,
    id: parent.id,
    count: total,
    name,
    names: names.join(', '),
  });
}
