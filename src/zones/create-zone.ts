// Creating a zone: the owner rule, the overlap guard, and a signing key from birth.
import { dsRecords, generateCsk } from '../dns/dnssec.ts';
import { orderName, parseZoneName, suffixesOf } from '../dns/name.ts';
import { isPublicSuffix } from '../dns/public-suffix.ts';
import { nextSerial } from '../dns/serial.ts';
import { insertChange } from '../store/changes.ts';
import { sqlFailure, type Tx } from '../store/database.ts';
import { keyStanding } from '../store/keys.ts';
import { namesBelow, recordsAt } from '../store/records.ts';
import { insertZone, lockZone, lockZoneTree, type ZoneRow, zonesBelow, zonesNamed } from '../store/zones.ts';
import { type Actor, actsFor, mustManageZones, type Owner, sameOwner } from './actor.ts';
import { type Caller, type House, historyOf, keyRevoked, once } from './change.ts';
import { insist, Refusal } from './refusal.ts';
import { type ZoneView, zoneView } from './view.ts';

export interface ZoneInput {
  zoneName: string;
  owner?: string | undefined;
  defaultTtl?: number | undefined;
}

export type CreatedZone = ZoneView & { status: 'done' };

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
  try {
    return await once(house, caller, async (tx) => {
      const [, standing] = await Promise.all([
        lockZoneTree(tx),
        keyStanding(tx, caller.actor.keyId, { teamId: owner.teamId }, house.now()),
      ]);
      if (!standing.valid) throw keyRevoked();
      if (!standing.member) throw noTeamOfYours();
      await mustNotOverlap(tx, owner, name);
      const now = house.now();
      const csk = generateCsk();
      const zone = await insertZone(tx, {
        id: `zone_${house.random(10).toString('hex')}`,
        ...owner,
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
      return { ...view, status: 'done' as const };
    });
  } catch (error) {
    // Not reached while the tree lock is held; the constraint stands behind it.
    if (sqlFailure(error)?.constraint?.startsWith('zones_'))
      throw new Refusal('conflict', `zoneName: ${name} exists already.`);
    throw error;
  }
}

/** SPEC 4, POST /zones: rules 1 and 2 for app accounts; a person creates for itself or in one of its teams. */
function ownerFor(actor: Actor, owner: string | undefined): Owner {
  if (actor.user === null) {
    const own = `org:${actor.teamId}`;
    if (owner === own) return { teamId: actor.teamId, userId: null };
    throw new Refusal('forbidden', `An app can only create zones in its own team: set "owner" to "${own}".`);
  }
  if (owner === undefined || owner === 'personal') return { teamId: null, userId: actor.user.id };
  const [, teamId] = /^org:(.+)$/.exec(owner) ?? [];
  if (teamId === undefined) {
    throw new Refusal('bad_request', 'owner: must be "org:<teamId>", or "personal" (also when left out).');
  }
  const wanted = { teamId, userId: null };
  if (actsFor(actor, wanted)) return wanted;
  throw noTeamOfYours();
}

function noTeamOfYours(): Refusal {
  return new Refusal('forbidden', 'owner: you can only create zones in a team that you are a member of, or "personal".');
}

/** Whoever held a public suffix could take every name that is registered below it. */
function mustNotBePublic(name: string): void {
  if (!isPublicSuffix(name)) return;
  throw new Refusal(
    'forbidden',
    `zoneName: ${name} is a public suffix, below which anybody may register names; create a zone for a name below it.`,
  );
}

/** A zone above or below another team's zone would take names away from one of them. */
async function mustNotOverlap(tx: Tx, owner: Owner, name: string): Promise<void> {
  const [enclosing, below] = await Promise.all([
    zonesNamed(tx, suffixesOf(name)),
    zonesBelow(tx, orderName(name), 1000),
  ]);
  const foreign = [...enclosing, ...below].some((zone) => !sameOwner(zone, owner));
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
