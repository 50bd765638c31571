// The administrator's commands about secondaries. They use the database directly and need no key.
import type { Secondary, TsigKey } from '#dns/secondaries/secondary.ts';
import { sqlFailure, type Tx } from '#store/database.ts';
import { teamByName } from '#store/keys.ts';
import {
  allSecondaries,
  changePlan,
  deleteSecondary,
  delistZone,
  type ListedZone,
  listedZones,
  listZone,
  putSecondary,
  type SecondaryRow,
  secondaryByName,
} from '#store/secondaries.ts';
import { allOffers, lockSecondaries, type Offer, writeOffers } from '#store/secondary-offers.ts';
import { type StoredReport, secondaryStates } from '#store/transfers.ts';
import { zonesNamed } from '#store/zones.ts';
import { withDatabase } from '../accounts/administration.ts';
import { type OfferInput, offeredNamespaceOf, type SecondaryInput, secondaryRow } from './input.ts';
import { settleNames } from './names.ts';

type Random = (bytes: number) => Buffer;

/**
 * Adds the secondary, or makes the one with this name what the input says; its key stays unless the input has another one.
 * @returns the key; `made` if its secret was made now
 * @throws Error if the input is wrong, or names a zone that does not exist
 */
export async function adminPutSecondary(
  url: string,
  input: SecondaryInput,
  random: Random,
  now: Date,
): Promise<{ isNew: boolean; made: boolean; key: TsigKey }> {
  return withDatabase(url, (db) =>
    db.transaction(async (tx) => {
      await lockSecondaries(tx, 'administrator');
      const before = await secondaryByName(tx, input.name);
      const { row, made } = secondaryRow(
        input,
        before && { key: keyOf(before), offeredToAll: before.offeredToAll },
        random,
      );
      await putSecondary(tx, row).catch((error: unknown) => {
        if (sqlFailure(error)?.constraint !== 'secondaries_tsig_name_key') throw error;
        throw new Error(`another secondary has the TSIG key ${row.tsigName}; give each a key of its own`);
      });
      if (Array.isArray(input.zones)) await setZones(tx, input.name, input.zones);
      if (input.offer !== undefined) await setOffers(tx, input.name, input.offer);
      await settleNames(tx, null, now);
      await changePlan(tx);
      return { isNew: before === null, made, key: keyOf(row) };
    }),
  );
}

/** @throws Error if there is no such secondary */
export async function adminRemoveSecondary(url: string, name: string, now: Date): Promise<void> {
  await withDatabase(url, (db) =>
    db.transaction(async (tx) => {
      await lockSecondaries(tx, 'administrator');
      if (!(await deleteSecondary(tx, name))) throw noSecondary(name);
      await settleNames(tx, null, now);
      await changePlan(tx);
    }),
  );
}

/** Adds zones to the list of a secondary, or takes them out. @throws Error if one of the names is unknown */
export async function adminListZones(
  url: string,
  name: string,
  zones: { add: readonly string[]; remove: readonly string[] },
  now: Date,
): Promise<void> {
  await withDatabase(url, (db) =>
    db.transaction(async (tx) => {
      await lockSecondaries(tx, 'administrator');
      const secondary = await secondaryByName(tx, name);
      if (secondary === null) throw noSecondary(name);
      if (secondary.allZones) throw new Error(`the secondary ${name} has all zones, so it has no list`);
      for (const id of await idsOf(tx, zones.add)) await listZone(tx, id, name);
      for (const id of await idsOf(tx, zones.remove)) await delistZone(tx, id, name);
      await settleNames(tx, null, now);
      await changePlan(tx);
    }),
  );
}

export interface ShownSecondary extends Omit<SecondaryRow, 'offeredToAll'> {
  /** With the names of teams. */
  offer: { all: boolean; teams: readonly string[]; namespaces: readonly string[] };
  zones: readonly ListedZone[];
  report: StoredReport | null;
}

/** All secondaries, by name, with the zones that are listed for them and what the source saw last. */
export async function adminListSecondaries(url: string): Promise<ShownSecondary[]> {
  return withDatabase(url, async (db) => {
    const [rows, listed, states] = [await allSecondaries(db), await listedZones(db), await secondaryStates(db)];
    const offers = await allOffers(db);
    return rows.map(({ offeredToAll, ...row }) => ({
      ...row,
      offer: offerOf(
        offeredToAll,
        offers.filter(({ secondary }) => secondary === row.name),
      ),
      zones: listed.filter(({ secondary }) => secondary === row.name),
      report: states.find(({ secondary }) => secondary === row.name) ?? null,
    }));
  });
}

function offerOf(all: boolean, offers: readonly Offer[]): ShownSecondary['offer'] {
  return {
    all,
    teams: offers.flatMap(({ team, namespace }) => (namespace === '' ? [team] : [])),
    namespaces: offers.flatMap(({ team, namespace }) => (namespace === '' ? [] : [`${team}/${namespace}`])),
  };
}

/** @throws Error if there is no such secondary */
export async function adminShowSecondary(url: string, name: string): Promise<ShownSecondary> {
  const found = (await adminListSecondaries(url)).find((each) => each.name === name);
  if (found === undefined) throw noSecondary(name);
  return found;
}

/** The secondary as the configuration of a name server needs it. */
export function secondaryOf(row: Omit<SecondaryRow, 'offeredToAll'>, zones: readonly { name: string }[]): Secondary {
  const { name, addresses, transfersFrom, allZones, catalog, notify } = row;
  const names = allZones ? 'all' : zones.map((zone) => zone.name);
  return { name, addresses, transfersFrom, key: keyOf(row), zones: names, catalog, notify };
}

function keyOf(row: Pick<SecondaryRow, 'tsigName' | 'tsigAlgorithm' | 'tsigSecret'>): TsigKey {
  return { name: row.tsigName, algorithm: row.tsigAlgorithm as TsigKey['algorithm'], secret: row.tsigSecret };
}

async function setZones(tx: Tx, secondary: string, names: readonly string[]): Promise<void> {
  const wanted = new Set(await idsOf(tx, names));
  for (const { id } of await listedZones(tx, secondary)) if (!wanted.has(id)) await delistZone(tx, id, secondary);
  for (const id of wanted) await listZone(tx, id, secondary);
}

/** @throws Error if a team does not exist */
async function setOffers(tx: Tx, secondary: string, { teams = [], namespaces = [] }: OfferInput): Promise<void> {
  const wanted = [...teams.map((team) => ({ team, namespace: '' })), ...namespaces.map(offeredNamespaceOf)];
  const offers = [];
  for (const { team, namespace } of wanted) {
    const found = await teamByName(tx, team);
    if (found === null) throw new Error(`there is no team ${team}; "zonestead teams list" shows the names`);
    offers.push({ teamId: found.id, namespace });
  }
  await writeOffers(tx, secondary, offers);
}

async function idsOf(tx: Tx, names: readonly string[]): Promise<string[]> {
  const canonical = names.map((name) => name.toLowerCase().replace(/\.$/, ''));
  const found = await zonesNamed(tx, canonical);
  const missing = canonical.find((name) => found.every((zone) => zone.name !== name));
  if (missing !== undefined) throw new Error(`there is no zone ${missing}`);
  return found.map(({ id }) => id);
}

function noSecondary(name: string): Error {
  return new Error(`there is no secondary ${name}; "zonestead secondaries list" shows the names`);
}
