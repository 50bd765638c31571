// Creating a zone: the owner rule, the overlap guard, and a signing key from birth.
import { dsRecords, generateCsk } from '../dns/dnssec.ts';
import { orderName, parseZoneName, suffixesOf } from '../dns/name.ts';
import { nextSerial } from '../dns/serial.ts';
import { insertChange } from '../store/changes.ts';
import { sqlFailure, type Tx } from '../store/database.ts';
import { keyStanding } from '../store/keys.ts';
import { namesBelow, recordsAt } from '../store/records.ts';
import { insertZone, lockZone, lockZoneTree, type ZoneRow, zoneById, zonesBelow, zonesNamed } from '../store/zones.ts';
import { mustManageZones, type Owner, sameOwner } from './actor.ts';
import { type Caller, type House, historyOf, inTurn, keyRevoked } from './change.ts';
import { type CreationStatus, readStatus } from './delegation.ts';
import { parentOf, touchParent } from './parent.ts';
import { busy } from './queue.ts';
import { insist, Refusal } from './refusal.ts';
import { type ZoneView, zoneView } from './view.ts';
import { mustNotBePublic, noTeamOfYours, ownerFor } from './zone-owner.ts';

export interface ZoneInput {
  zoneName: string;
  owner?: string | undefined;
  defaultTtl?: number | undefined;
}

export type CreatedZone = ZoneView & { status: CreationStatus };

const DEFAULT_TTL = 3600;

/**
 * @throws Refusal forbidden (owner rule, rights), bad_request (name), conflict (exists, overlaps with another team's zone,
 * would hide names of the parent zone), busy
 */
export async function createZone(house: House, caller: Caller, input: ZoneInput): Promise<CreatedZone> {
  const owner = ownerFor(caller.actor, input.owner);
  mustManageZones(caller.actor);
  const name = insist(parseZoneName(input.zoneName));
  if (!house.allowPublicSuffixes) mustNotBePublic(name);
  const above = await parentOf(house.db, name);
  // The zone of somebody else is not waited for: the guard refuses the overlap.
  const parent = above && sameOwner(above, owner) ? above : null;
  const create = async (tx: Tx) => {
    // Before the lock that all creations share: a busy parent must not delay anybody else's zone.
    if (parent) await lockZone(tx, parent.id);
    await lockZoneTree(tx);
    const standing = await keyStanding(tx, caller.actor.keyId, { teamId: owner.teamId }, house.now());
    if (!standing.valid) throw keyRevoked();
    if (!standing.member) throw noTeamOfYours();
    await mustNotOverlap(tx, owner, name, parent);
    if (parent) await touchParent(tx, house, name);
    return insertSigned(tx, house, caller, owner, { ...input, zoneName: name });
  };
  try {
    const created = await inTurn(house, caller, parent ? [parent.id] : [], create);
    const row = await zoneById(house.db, created.id);
    // Deleted in the same breath, or an old answer to a repeated request: then there is nothing left to do.
    return { ...created, status: row ? await readStatus(house, row) : 'done' };
  } catch (error) {
    // Not reached while the tree lock is held; the constraint stands behind it.
    if (sqlFailure(error)?.constraint?.startsWith('zones_'))
      throw new Refusal('conflict', `zoneName: ${name} exists already.`);
    throw error;
  }
}

async function insertSigned(tx: Tx, house: House, caller: Caller, owner: Owner, input: ZoneInput): Promise<ZoneView> {
  const { zoneName: name, defaultTtl = DEFAULT_TTL } = input;
  const now = house.now();
  const csk = generateCsk();
  const zone = await insertZone(tx, {
    id: `zone_${house.random(10).toString('hex')}`,
    ...owner,
    name,
    tree: orderName(name),
    state: 'active',
    defaultTtl,
    // The clock, so that a zone made anew under an old name goes on from higher serials (RFC 1982).
    serial: nextSerial(0, Math.floor(now.getTime() / 1000)),
    cskPrivate: csk.privateKey,
    cskPublic: csk.publicKey,
    ds: dsRecords(name, csk.publicKey).map((ds) => `${ds.keyTag} ${ds.algorithm} ${ds.digestType} ${ds.digest}`),
    managedBy: caller.managedBy ?? null,
    createdAt: now,
    updatedAt: now,
  });
  const view = zoneView(zone, house.nameservers);
  const entry = { action: 'zone.create', before: null, after: view, serial: zone.serial } as const;
  await insertChange(tx, { ...historyOf(zone, caller), ...entry });
  return view;
}

/** A zone above or below another team's zone would take names away from one of them. */
async function mustNotOverlap(tx: Tx, owner: Owner, name: string, parent: ZoneRow | null): Promise<void> {
  const [enclosing, below] = await Promise.all([
    zonesNamed(tx, suffixesOf(name)),
    zonesBelow(tx, orderName(name), 1000),
  ]);
  const foreign = [...enclosing, ...below].some((zone) => !sameOwner(zone, owner));
  if (foreign) throw new Refusal('conflict', `zoneName: ${name} overlaps with a zone of another team.`);
  const nearest = enclosing[0];
  if (nearest?.name === name) {
    throw new Refusal(
      'conflict',
      `zoneName: ${name} exists already${owner.teamId === null ? '' : ' in this team'}, as ${nearest.id}.`,
    );
  }
  // The parent came or went since it was looked for, so the row that is locked is not the one to be judged.
  if (nearest?.id !== parent?.id) throw busy();
  if (nearest) await mustNotHide(tx, nearest, name);
}

/** Names of the parent zone, which is locked, at or below the new apex would silently stop being served. */
async function mustNotHide(tx: Tx, parent: ZoneRow, name: string): Promise<void> {
  const apex = orderName(name).slice(parent.tree.length + 1);
  const [at, below] = await Promise.all([recordsAt(tx, parent.no, [apex]), namesBelow(tx, parent.no, apex, 5)]);
  const total = at.length + below.total;
  if (total === 0) return;
  const names = [...new Set([...at.map((record) => record.name), ...below.names])].slice(0, 5);
  throw new Refusal(
    'conflict',
    `zoneName: the zone ${parent.name} (${parent.id}) holds ${total} record(s) at or below ${name}, which the new zone would hide: ${names.join(', ')}. Delete them there first, then create them in the new zone.`,
  );
}
