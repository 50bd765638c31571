// Imports a zone that only name servers have, with its id, records and DNSSEC key, in one transaction. It passes the
// checks of a new zone, except for the quota: the zone existed, and its owner must not lose it.
import type { Keyring } from '#base/keyring.ts';
import { isRolling, wantedDs } from '#dns/dnssec/key-states.ts';
import { orderName, parseZoneName } from '#dns/names/name.ts';
import { PLACEHOLDER } from '#dns/own-records.ts';
import { DEFAULT_TTL, type ParsedRecord } from '#dns/record.ts';
import { zoneCheckSteps } from '#dns/rules/zone-check.ts';
import { isLater } from '#dns/serial.ts';
import { addToDigest, EMPTY_DIGEST, type ServedSet } from '#dns/served.ts';
import { finishInTurns } from '#dns/steps.ts';
import type { RecordType } from '#dns/types/index.ts';
import { type FileRecord, zoneFileSteps } from '#dns/zonefile/read.ts';
import { writeRecords } from '#dns/zonefile/write.ts';
import { insertChanges } from '#store/changes.ts';
import { endDepartures } from '#store/child-zones.ts';
import type { Db, Tx } from '#store/database.ts';
import { forgetDeletion, isKnownZoneId, lastDeletedSerial } from '#store/salvage.ts';
import { refreshZoneNames } from '#store/secondaries.ts';
import { grantDeclared } from '#store/trusts.ts';
import { insertZoneKey } from '#store/zone-keys.ts';
import { insertZone, lockZone, lockZoneName, lockZoneTree, touchZone, type ZoneRow } from '#store/zones.ts';
import { type Owner, sameOwner } from '../accounts/actor.ts';
import { serialAfter } from '../change/history.ts';
import { busy } from '../change/queue.ts';
import { SERVICE_KEY } from '../owners/leases.ts';
import { insist } from '../refusal.ts';
import { planImportBulk } from '../zonefile/apply.ts';
import { readChildren } from '../zones/children.ts';
import { mustHaveChildren } from '../zones/create.ts';
import { mustNotOverlap } from '../zones/overlap.ts';
import { mustNotBePublic, mustNotBeReserved } from '../zones/owner.ts';
import { findParentZone, touchParent } from '../zones/parent.ts';
import { mustNotBeKept, takeName } from '../zones/quarantine.ts';
import { zoneView } from '../zones/view.ts';
import type { Copy } from './salvage-choice.ts';
import type { ZoneOrigin } from './seal.ts';

export interface SalvagedZone {
  name: string;
  /** The id at the name server. */
  id: string;
  owner: Owner;
  state: ZoneOrigin['state'];
  defaultTtl: number | null;
  denial: ZoneOrigin['denial'];
  keys: Copy['keys'];
  /** The latest serial that a name server had. */
  serial: number;
  /** Whether this database sealed id, keys and owner. */
  isSealed: boolean;
  records: readonly ParsedRecord[];
  /** The zones below, for which the records were judged. */
  children: readonly string[];
}

/** Values that the administrator's command has in place of the api's. */
export interface SalvageContext {
  random(bytes: number): Buffer;
  now(): Date;
  nameservers: string[];
  keyring: Keyring;
}

/**
 * The records of a zone, from the RRsets of a name server. SOA, the service's own NS, and the delegations of `children`
 * are not among them.
 * @param zone a default TTL that is not sealed is a guess: each record then has its TTL as its own, so that it stays
 * when the owner sets the default
 * @param parts the parts that a node sent, in their order
 * @throws Error if a part is missing, or a record is none that this zone may have
 */
export async function readSalvagedRecords(
  zone: { name: string; defaultTtl: number; isSealed: boolean; end: { sets: number; digest: string } },
  parts: readonly (readonly ServedSet[])[],
  children: readonly string[],
): Promise<ParsedRecord[]> {
  const { name, defaultTtl, isSealed, end } = zone;
  const names = new Set(children);
  const all: FileRecord[] = [];
  let [count, digest] = [0, EMPTY_DIGEST];
  for (const sets of parts) {
    count += sets.length;
    digest = addToDigest(digest, sets);
    const lines = writeRecords(
      sets.filter(({ type }) => type !== PLACEHOLDER.type).flatMap((set) => toLines(set, isSealed ? defaultTtl : null)),
    );
    // Without $TTL, a line without a TTL has that of the line before it (RFC 1035, 5.1).
    const text = `$TTL ${defaultTtl}\n${lines}`;
    const { records, problems } = await finishInTurns(zoneFileSteps(text, { zone: name, defaultTtl, children: names }));
    if (problems[0] !== undefined) throw new Error(`a record is not valid: ${problems[0].message}`);
    for (const record of records) all.push(record);
  }
  if (count !== end.sets || digest !== end.digest) throw new Error('a part of the zone is missing');
  const known = children.map((child) => ({ id: '', name: child }));
  const [problem] = await finishInTurns(zoneCheckSteps(all, name, known));
  if (problem !== undefined) throw new Error(`a record is not valid: ${problem.message}`);
  return all.map(({ record }) => record);
}

/**
 * @throws Refusal bad_request (name), forbidden (a name that no zone may have), conflict (it exists, overlaps with a
 * zone of another owner, or is kept for one), busy
 */
export async function importSalvagedZone(
  db: Db,
  context: SalvageContext,
  zone: SalvagedZone,
  dryRun: boolean,
): Promise<ZoneRow> {
  let imported: ZoneRow | undefined;
  try {
    await db.transaction(async (tx) => {
      imported = await importZone(tx, context, zone);
      if (dryRun) throw new Error('A dry run writes nothing.');
    });
  } catch (error) {
    if (!dryRun || imported === undefined) throw error;
  }
  return imported as ZoneRow;
}

async function importZone(tx: Tx, context: SalvageContext, salvaged: SalvagedZone): Promise<ZoneRow> {
  const { owner, isSealed } = salvaged;
  const name = insist(parseZoneName(salvaged.name));
  if (!isSealed) {
    // The api has judged the name of a sealed zone by its own settings, which this command does not have.
    mustNotBeReserved(name, []);
    mustNotBePublic(name);
  }
  await lockZoneName(tx, name);
  const above = await findParentZone(tx, name);
  const parent = above && sameOwner(above, owner) ? above : null;
  if (parent) await lockZone(tx, parent.id);
  const mustFit = async (addedZone: ZoneRow | null) => {
    await mustNotOverlap(tx, owner, name, parent, addedZone);
    await mustNotBeKept(tx, { quarantineMs: 1, now: context.now }, owner, name);
  };
  await mustFit(null);
  const below = await readChildren(tx, { tree: orderName(name) });
  if (below.some((child) => !salvaged.children.includes(child.name))) throw busy();
  const zone = await insertSalvaged(tx, context, { ...salvaged, name });
  const touched = await writeRecordsOf(tx, context, zone, salvaged.records);
  await lockZoneTree(tx);
  await mustFit(zone);
  await mustHaveChildren(tx, zone, below);
  await endDepartures(tx, name, zone.id);
  // The name servers have the zone, and the zone above still delegates it there: no moment without the delegation.
  await touchParent(tx, context, name);
  return touched;
}

async function insertSalvaged(tx: Tx, context: SalvageContext, salvaged: SalvagedZone): Promise<ZoneRow> {
  const { name, owner, state, defaultTtl, denial, keys, serial } = salvaged;
  const now = context.now();
  const id = await chooseId(tx, context, salvaged);
  const deleted = await lastDeletedSerial(tx, name);
  await forgetDeletion(tx, id);
  const zone = await insertZone(tx, {
    id,
    ...owner,
    name,
    tree: orderName(name),
    state,
    defaultTtl: defaultTtl ?? DEFAULT_TTL,
    denial,
    // Secondaries have seen the serials of the name servers.
    serial: serialAfter(isLater(deleted, serial) ? deleted : serial, now),
    ds: wantedDs(name, keys),
    recordCount: 0,
    storedBytes: 0,
    managedBy: null,
    comment: null,
    createdAt: now,
    updatedAt: now,
  });
  for (const key of keys)
    await insertZoneKey(tx, context.keyring, id, key, { since: now, lookAt: isRolling(key) ? now : null });
  await takeName(tx, name);
  await grantDeclared(tx, zone);
  await refreshZoneNames(tx, zone.id);
  return zone;
}

/** The id of a node that invents one must not lead to the history of another zone. */
async function chooseId(tx: Tx, context: SalvageContext, { id, isSealed }: SalvagedZone): Promise<string> {
  const isUsable = isSealed || (/^zone_[0-9a-f]{20}$/.test(id) && !(await isKnownZoneId(tx, id)));
  return isUsable ? id : `zone_${context.random(10).toString('hex')}`;
}

async function writeRecordsOf(
  tx: Tx,
  context: SalvageContext,
  zone: ZoneRow,
  records: readonly ParsedRecord[],
): Promise<ZoneRow> {
  const { id: zoneId, name: zoneName, teamId, userId, serial } = zone;
  const author = { zoneId, zoneName, teamId, userId, keyId: SERVICE_KEY, requestId: 'command-line' };
  const now = context.now();
  const after = zoneView(zone, context.nameservers);
  await insertChanges(tx, [{ ...author, action: 'zone.create', before: null, after, serial }]);
  const diff = { creates: [...records], updates: [], deletes: [], unchanged: 0 };
  const bulk = records.length === 0 ? null : await planImportBulk(tx, context, zone, diff);
  await bulk?.write({ zone, history: { ...author, serial }, at: now, reverseScope: {} });
  const growth = bulk?.growth ?? { records: 0, bytes: 0 };
  return touchZone(tx, zone.id, { serial, changedNames: null, growth }, now);
}

/** A TTL that is the default of the zone is none of its own. @param defaultTtl null: the default is not known */
function toLines({ name, type, ttl, rdata }: ServedSet, defaultTtl: number | null) {
  return rdata.map((text) => ({ name, type: type as RecordType, rdata: text, ttl: ttl === defaultTtl ? null : ttl }));
}
