// Creates a zone: checks the owner, the name and overlaps with other zones, and generates or imports the signing key.
import { parseComment } from '#dns/comment.ts';
import { DEFAULT_DENIAL, type Denial } from '#dns/dnssec/denial.ts';
import { type KeyImport, readImportedKey } from '#dns/dnssec/imported-key.ts';
import { dsContents, generateSigningKey, keyTagOfDs, type SigningKey } from '#dns/dnssec/signing-key.ts';
import { orderName, parseZoneName } from '#dns/names/name.ts';
import { DEFAULT_TTL } from '#dns/record.ts';
import { insertChanges } from '#store/changes.ts';
import { awaitDelegation, endDepartures } from '#store/child-zones.ts';
import { sqlFailure, type Tx } from '#store/database.ts';
import { type FormerZone, formerZone, takeFormerKey } from '#store/former-keys.ts';
import { keyStanding } from '#store/keys.ts';
import { grantDeclared } from '#store/trusts.ts';
import { hasZoneWithKey, insertZoneKey } from '#store/zone-keys.ts';
import { insertZone, lockZone, type ZoneRow, zoneById } from '#store/zones.ts';
import { mustManageZones, type Owner, sameOwner } from '../accounts/actor.ts';
import { mustHaveRoomForZone } from '../accounts/quota.ts';
import { buildHistoryHead, serialAfter } from '../change/history.ts';
import { repeatedAnswer } from '../change/once.ts';
import { busy } from '../change/queue.ts';
import { keyRevoked } from '../change/standing.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { insist, refusal } from '../refusal.ts';
import { readChildren } from './children.ts';
import { type CreationStatus, judgeNewZone } from './delegation.ts';
import { mustNotBeHeld } from './held.ts';
import { mustNotOverlap } from './overlap.ts';
import { mustNotBePublic, mustNotBeReserved, noTeamOfYours, ownerFor } from './owner.ts';
import { findParentZone, touchParent } from './parent.ts';
import { mustNotBeKept, takeName } from './quarantine.ts';
import { addZone } from './tree.ts';
import { type ZoneView, zoneView } from './view.ts';

interface ZoneInput {
  zoneName: string;
  owner?: string | undefined;
  defaultTtl?: number | undefined;
  /** (Default: NSEC.) */
  denial?: Denial | undefined;
  comment?: string | null | undefined;
  /**
   * Whether a zone that this owner deleted leaves its DNSSEC key to this one. Absent: it does while its name is in
   * quarantine.
   */
  newKey?: boolean | undefined;
  /** The key with which the zone moves in. It excludes the key of a deleted zone. (Default: the service makes one.) */
  key?: KeyImport | undefined;
}

/**
 * Writes the first records of a new zone in the transaction that creates it.
 * @throws Refusal; there is no new zone then
 */
export type FirstRecords = (tx: Tx, zone: ZoneRow) => Promise<unknown>;

/** The DNSSEC key of a new zone: `kept` is the key of the zone of this name that the owner deleted. */
interface CreatedKey {
  keyTag: number;
  kept: boolean;
  /** The request gave it. */
  imported?: true;
  /** The tag of the key of the deleted zone that the new zone does not use. */
  formerKeyTag?: number;
}

type NewZone = ZoneView & { key: CreatedKey };
type CreatedZone = NewZone & { status: CreationStatus };

/**
 * @param records writes records into the new zone; zone and records appear at once, or not at all.
 * @throws Refusal forbidden (owner, rights, reserved name, quota), bad_request (name, key), conflict (the zone exists,
 * it overlaps with a zone or a quarantined name of another team, it would hide records of the parent zone, name servers
 * hold it, or another zone has the key), busy; the refusals of `records`
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
  const importedKey = input.key === undefined ? null : insist(readImportedKey(name, input.key));
  const above = await findParentZone(context.db, name);
  // A zone of another owner is not locked: mustNotOverlap refuses the new zone.
  const parent = above && sameOwner(above, owner) ? above : null;
  const mustFit = async (tx: Tx, addedZone: ZoneRow | null) => {
    await mustNotOverlap(tx, owner, name, parent, addedZone);
    await mustNotBeKept(tx, context, owner, name);
    await mustHaveRoomForZone(tx, context, owner, addedZone === null ? 0 : 1);
  };
  const create = async (tx: Tx, enterTree: () => Promise<void>): Promise<NewZone> => {
    // The parent is locked before the lock that all creations share, so that a busy parent does not delay other
    // creations.
    if (parent) await lockZone(tx, parent.id);
    if (records === undefined) await enterTree();
    if (caller.isService !== true) {
      const standing = await keyStanding(tx, caller.actor.keyId, { teamId: owner.teamId }, context.now());
      if (!standing.valid) throw keyRevoked();
      if (!standing.member) throw noTeamOfYours();
    }
    await mustFit(tx, null);
    await mustNotBeHeld(tx, context, name);
    const content = { ...input, zoneName: name, comment, importedKey };
    const { zone, key } = await insertSigned(tx, context, caller, owner, content);
    if (records !== undefined) {
      const below = await readChildren(tx, zone);
      await records(tx, zone);
      await enterTree();
      await mustFit(tx, zone);
      await mustHaveChildren(tx, zone, below);
    }
    await endDepartures(tx, name, zone.id);
    if (parent && !(await awaitDelegation(tx, zone.id))) await touchParent(tx, context, name);
    return { ...zoneView(zone, context.nameservers), key };
  };
  try {
    const addition = { name, turns: parent ? [parent.id] : [], isLong: records !== undefined };
    const earlierAnswer = await repeatedAnswer<NewZone>(context, caller);
    const createdZone = earlierAnswer ?? (await addZone(context, caller, addition, create));
    if (parent) context.childZones?.changed();
    const row = await zoneById(context.db, createdZone.id);
    // If the zone was deleted meanwhile, or this is the stored answer to a repeated request, the owner has nothing left
    // to do.
    return { ...createdZone, status: row ? await judgeNewZone(context, row) : 'done' };
  } catch (error) {
    // The tree lock prevents this error; the constraint is the second safeguard.
    if (sqlFailure(error)?.constraint?.startsWith('zones_')) throw refusal('zone-exists', { name });
    throw error;
  }
}

/** The records of the zone were judged next to these zones. @throws Refusal busy if there are others now */
export async function mustHaveChildren(tx: Tx, zone: ZoneRow, knownChildren: readonly ZoneRow[]): Promise<void> {
  const now = await readChildren(tx, zone);
  if (now.map(({ id }) => id).join() !== knownChildren.map(({ id }) => id).join()) throw busy();
}

async function insertSigned(
  tx: Tx,
  context: ServiceContext,
  caller: Caller,
  owner: Owner,
  input: Omit<ZoneInput, 'key'> & { importedKey: SigningKey | null },
): Promise<{ zone: ZoneRow; key: CreatedKey }> {
  const { zoneName: name, defaultTtl = DEFAULT_TTL, denial = DEFAULT_DENIAL, comment = null, importedKey } = input;
  const now = context.now();
  if (importedKey !== null && (await hasZoneWithKey(tx, { name, publicKey: importedKey.publicKey })))
    throw refusal('key-of-other-zone');
  const signingKey = importedKey ?? generateSigningKey();
  const earlierZone = await formerZone(tx, name, owner, now);
  const insertedZone = await insertZone(tx, {
    id: `zone_${context.random(10).toString('hex')}`,
    ...owner,
    name,
    tree: orderName(name),
    state: 'active',
    defaultTtl,
    denial,
    // The first serial is the time, or follows that of the deletion, so that a zone that is created again gets higher
    // serials than before (RFC 1982).
    serial: serialAfter(earlierZone?.serial ?? 0, now),
    ds: dsContents(name, signingKey),
    recordCount: 0,
    storedBytes: 0,
    managedBy: caller.managedBy ?? null,
    comment,
    createdAt: now,
    updatedAt: now,
  });
  await insertZoneKey(tx, context.keyring, insertedZone.id, { ...signingKey, state: 'active' }, { since: now });
  const isNew = input.newKey === true || importedKey !== null;
  const zoneWithOldKey = earlierZone === null || isNew ? null : await takeFormerKey(tx, insertedZone, earlierZone, now);
  const zone = zoneWithOldKey ?? insertedZone;
  const key = {
    ...toCreatedKey(zone, zoneWithOldKey === null ? earlierZone : null, zoneWithOldKey !== null),
    ...(importedKey === null ? {} : { imported: true as const }),
  };
  await takeName(tx, name);
  await grantDeclared(tx, zone);
  const after = { ...zoneView(zone, context.nameservers), key };
  const entry = { action: 'zone.create', before: null, after, serial: zone.serial } as const;
  await insertChanges(tx, [{ ...buildHistoryHead(zone, caller), ...entry }]);
  return { zone, key };
}

/** @param replacedZone the former zone whose key the new one does not use */
function toCreatedKey(zone: ZoneRow, replacedZone: FormerZone | null, isKept: boolean): CreatedKey {
  const formerDs = replacedZone?.ds[0] ?? zone.ds[0];
  return {
    keyTag: keyTagOfDs(zone.ds[0] ?? ''),
    kept: isKept,
    // A zone may be imported again with the same key.
    ...(formerDs === zone.ds[0] ? {} : { formerKeyTag: keyTagOfDs(formerDs ?? '') }),
  };
}
