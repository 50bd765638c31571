// Creating a zone: the owner rule, the overlap guard, and a signing key from birth.
import { dsRecords, generateCsk } from '../dns/dnssec.ts';
import { orderName, parseZoneName, suffixesOf } from '../dns/name.ts';
import { nextSerial } from '../dns/serial.ts';
import { insertChange } from '../store/changes.ts';
import { sqlFailure, type Tx } from '../store/database.ts';
import { namesBelow, recordsAt } from '../store/records.ts';
import { insertZone, lockZone, lockZoneTree, type ZoneRow, zoneById, zonesBelow, zonesNamed } from '../store/zones.ts';
import { type Actor, mustManageZones } from './actor.ts';
import { type Caller, type House, historyOf, once } from './change.ts';
import { type CreationStatus, readStatus } from './delegation.ts';
import { insist, Refusal } from './refusal.ts';
import { type ZoneView, zoneView } from './view.ts';

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
  mustOwn(caller.actor, input.owner);
  mustManageZones(caller.actor);
  const name = insist(parseZoneName(input.zoneName));
  try {
    const created = await once(house, caller, async (tx) => {
      await lockZoneTree(tx);
      await mustNotOverlap(tx, caller.actor, name);
      const now = house.now();
      const csk = generateCsk();
      const zone = await insertZone(tx, {
        id: `zone_${house.random(10).toString('hex')}`,
        teamId: caller.actor.teamId,
        name,
        tree: orderName(name),
        state: 'active',
        defaultTtl: input.defaultTtl ?? DEFAULT_TTL,
        // The clock, so that a zone made anew under an old name goes on from higher serials (RFC 1982).
        serial: nextSerial(0, Math.floor(now.getTime() / 1000)),
        cskPrivate: csk.privateKey,
        cskPublic: csk.publicKey,
        ds: dsRecords(name, csk.publicKey).map((ds) => `${ds.keyTag} ${ds.algorithm} ${ds.digestType} ${ds.digest}`),
        createdAt: now,
        updatedAt: now,
      });
      const view = zoneView(zone, house.nameservers);
      await insertChange(tx, {
        ...historyOf(zone, caller),
        action: 'zone.create',
        before: null,
        after: view,
        serial: zone.serial,
      });
      return view;
    });
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

/** SPEC 4, POST /zones, rules 1 and 2. */
function mustOwn(actor: Actor, owner: string | undefined): void {
  const own = `org:${actor.teamId}`;
  if (owner === own) return;
  throw new Refusal('forbidden', `An app can only create zones in its own team: set "owner" to "${own}".`);
}

/** A zone above or below another team's zone would take names away from one of them. */
async function mustNotOverlap(tx: Tx, actor: Actor, name: string): Promise<void> {
  const [enclosing, below] = await Promise.all([
    zonesNamed(tx, suffixesOf(name)),
    zonesBelow(tx, orderName(name), 1000),
  ]);
  const foreign = [...enclosing, ...below].some((zone) => zone.teamId !== actor.teamId);
  if (foreign) throw new Refusal('conflict', `zoneName: ${name} overlaps with a zone of another team.`);
  const nearest = enclosing[0];
  if (nearest?.name === name) {
    throw new Refusal('conflict', `zoneName: ${name} exists already in this team, as ${nearest.id}.`);
  }
  if (nearest) await mustNotHide(tx, nearest, name);
}

/** Names of the parent zone at or below the new apex would silently stop being served. */
async function mustNotHide(tx: Tx, parent: ZoneRow, name: string): Promise<void> {
  const locked = await lockZone(tx, parent.id);
  if (!locked) return;
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
