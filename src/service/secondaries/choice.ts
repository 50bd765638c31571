// The secondaries that the owner of a zone may choose, and the choice. The list of the administrator is kept apart:
// neither removes an entry of the other.
import { MAX_CHOSEN } from '#dns/secondaries/secondary.ts';
import { insertChanges } from '#store/changes.ts';
import type { Db, Tx } from '#store/database.ts';
import { changePlan } from '#store/secondaries.ts';
import {
  chosenByOwner,
  lockSecondaries,
  offeredTo,
  type SecondaryOffer,
  secondariesOfZone,
  writeChoice,
} from '#store/secondary-offers.ts';
import type { ZoneRow } from '#store/zones.ts';
import { type Actor, mustManageZones, teamsOfActor } from '../accounts/actor.ts';
import { buildHistoryHead } from '../change/history.ts';
import { inTurn, lockZoneFor } from '../change/locked.ts';
import { mustBeAsSeen, mustMatchZone } from '../conditions/condition.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { findParentZone } from '../zones/parent.ts';
import { seeZone } from '../zones/zones.ts';
import { settleNames } from './names.ts';
import { type SecondaryView, secondaryView } from './state.ts';

/** The secondaries that are offered to the teams of the key, by name. */
export async function readOffered({ db }: ServiceContext, actor: Actor): Promise<SecondaryOffer[]> {
  return offeredTo(db, teamsOfActor(actor));
}

/** Those that are offered to the owner of a zone. @throws Refusal no_zone */
export async function readOfferedForZone(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
): Promise<SecondaryOffer[]> {
  return offeredToOwner(context.db, await seeZone(context, actor, zoneId, 'no_zone'));
}

/** The secondaries that have a zone, with their state. @throws Refusal no_zone */
export async function readZoneSecondaries(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
): Promise<SecondaryView[]> {
  // Every proof of the operator asks this, and waits for the answer.
  const [{ name }, zoneSecondaries] = await Promise.all([
    seeZone(context, actor, zoneId, 'no_zone'),
    secondariesOfZone(context.db, zoneId),
  ]);
  return zoneSecondaries.map((each) => secondaryView(each, name));
}

/**
 * Replaces the owner's choice. A secondary that is chosen already may stay, also when it is no longer offered.
 * @param seenNames the choice that a person saw; another one refuses the change. Absent: any
 * @throws Refusal no_zone, forbidden (the key, or a secondary that is not offered to the owner of the zone),
 * bad_request (too many), busy
 */
export async function chooseSecondaries(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  names: readonly string[],
  seenNames?: readonly string[],
): Promise<SecondaryView[]> {
  const wantedNames = [...new Set(names)].sort();
  const { name } = await seeZone(context, caller.actor, zoneId, 'no_zone');
  // The NS records of the delegation change with those of the zone.
  const parent = await findParentZone(context.db, name);
  return inTurn(context, caller, parent ? [parent.id, zoneId] : [zoneId], async (tx) => {
    await lockSecondaries(tx, 'owner');
    const zone = await lockZoneFor(tx, context, caller, zoneId);
    mustManageZones(caller.actor);
    mustMatchZone(caller, zone, context);
    if (wantedNames.length > MAX_CHOSEN) throw refusal('too-many-secondaries', { limit: MAX_CHOSEN });
    const before = await chosenByOwner(tx, zoneId);
    mustBeAsSeen('secondaries', seenNames && [...seenNames].sort().join(', '), before.join(', '));
    if (before.join() === wantedNames.join()) return listViews(tx, zone);
    const offers = await offeredToOwner(tx, zone);
    const missingName = wantedNames.find((each) => !before.includes(each) && offers.every(({ name }) => name !== each));
    if (missingName !== undefined) {
      const choice = offers.length === 0 ? 'none' : offers.map(({ name }) => name).join(', ');
      throw refusal('secondary-not-offered', { name: missingName, offered: choice });
    }
    await writeChoice(tx, zoneId, wantedNames);
    const serial = await settleNames(tx, zoneId, context.now());
    await changePlan(tx);
    const change = {
      action: 'zone.change' as const,
      before: { secondaries: before },
      after: { secondaries: wantedNames },
    };
    await insertChanges(tx, [{ ...buildHistoryHead(zone, caller), ...change, serial: serial ?? zone.serial }]);
    return listViews(tx, zone);
  });
}

function offeredToOwner(db: Db | Tx, { teamId }: Pick<ZoneRow, 'teamId'>): Promise<SecondaryOffer[]> {
  return offeredTo(db, teamId === null ? [] : [teamId]);
}

async function listViews(db: Db | Tx, { id, name }: Pick<ZoneRow, 'id' | 'name'>): Promise<SecondaryView[]> {
  return (await secondariesOfZone(db, id)).map((each) => secondaryView(each, name));
}
