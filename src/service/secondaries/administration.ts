// The administrator's commands about secondaries. They use the database directly and need no key.
import type { Secondary } from '#dns/secondaries/secondary.ts';
import { withDatabase } from '#store/admin.ts';
import type { Tx } from '#store/database.ts';
import {
  allSecondaries,
  changePlan,
  deleteSecondary,
  type ListedZone,
  listedZones,
  type SecondaryRow,
  secondaryByName,
} from '#store/secondaries.ts';
import { allOffers, lockSecondaries, type Offer } from '#store/secondary-offers.ts';
import { type StoredReport, secondaryStates } from '#store/transfers.ts';
import { setLockTimeout } from '#store/zones.ts';
import { type DryRun, inTransaction } from '../administrator.ts';
import { isLockFailure } from '../change/once.ts';
import { changedInput, type SecondaryChange, type SecondaryInput } from './input.ts';
import { settleNames } from './names.ts';
import { changeZones, toSecondaryKey, type WrittenSecondary, writeSecondary } from './write.ts';

type Random = (bytes: number) => Buffer;

/**
 * Adds the secondary, or makes the one with this name what the input says; its key stays unless the input has another
 * one.
 * @returns the key; `made` if its secret was made now
 * @throws Error if the input is wrong, or names a zone or a team that does not exist
 */
export async function adminPutSecondary(
  url: string,
  input: SecondaryInput,
  random: Random,
  now: Date,
  options: DryRun = {},
): Promise<WrittenSecondary> {
  return alone(url, options, async (tx) =>
    writeSecondary(tx, input, await secondaryByName(tx, input.name), random, now),
  );
}

/** As adminPutSecondary. @throws Error also if there is a secondary of this name */
export async function adminAddSecondary(
  url: string,
  input: SecondaryInput,
  random: Random,
  now: Date,
  options: DryRun = {},
): Promise<WrittenSecondary> {
  return alone(url, options, async (tx) => {
    if ((await secondaryByName(tx, input.name)) === null) return writeSecondary(tx, input, null, random, now);
    throw new Error(
      `there is a secondary ${input.name} already; "zonestead admin secondaries change ${input.name}" changes it, and "zonestead admin secondaries show ${input.name}" shows it`,
    );
  });
}

/** Changes the given values, and nothing else. @throws Error as adminPutSecondary, and if there is no such secondary */
export async function adminChangeSecondary(
  url: string,
  name: string,
  change: SecondaryChange,
  random: Random,
  now: Date,
  options: DryRun = {},
): Promise<WrittenSecondary> {
  return alone(url, options, async (tx) => {
    const before = await secondaryByName(tx, name);
    if (before === null) throw new UnknownSecondary(name);
    return writeSecondary(tx, changedInput(before, change), before, random, now);
  });
}

/** @throws Error if there is no such secondary */
export async function adminRemoveSecondary(url: string, name: string, now: Date, options: DryRun = {}): Promise<void> {
  await alone(url, options, async (tx) => {
    if (!(await deleteSecondary(tx, name))) throw new UnknownSecondary(name);
    await settleNames(tx, null, now);
    await changePlan(tx);
  });
}

/** Adds zones to the list of a secondary, or takes them out. @throws Error if one of the names is unknown */
export async function adminChangeListedZones(
  url: string,
  name: string,
  zones: { add: readonly string[]; remove: readonly string[] },
  now: Date,
  options: DryRun = {},
): Promise<void> {
  await alone(url, options, async (tx) => {
    const secondary = await secondaryByName(tx, name);
    if (secondary === null) throw new UnknownSecondary(name);
    if (secondary.allZones) throw new Error(`the secondary ${name} has all zones, so it has no list`);
    await changeZones(tx, name, zones);
    await settleNames(tx, null, now);
    await changePlan(tx);
  });
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
    const [rows, zoneList, states] = [await allSecondaries(db), await listedZones(db), await secondaryStates(db)];
    const offers = await allOffers(db);
    return rows.map(({ offeredToAll, ...row }) => ({
      ...row,
      offer: toShownOffer(
        offeredToAll,
        offers.filter(({ secondary }) => secondary === row.name),
      ),
      zones: zoneList.filter(({ secondary }) => secondary === row.name),
      report: states.find(({ secondary }) => secondary === row.name) ?? null,
    }));
  });
}

function toShownOffer(all: boolean, offers: readonly Offer[]): ShownSecondary['offer'] {
  return {
    all,
    teams: offers.flatMap(({ team, namespace }) => (namespace === '' ? [team] : [])),
    namespaces: offers.flatMap(({ team, namespace }) => (namespace === '' ? [] : [`${team}/${namespace}`])),
  };
}

/** @throws Error if there is no such secondary */
export async function adminShowSecondary(url: string, name: string): Promise<ShownSecondary> {
  const secondary = (await adminListSecondaries(url)).find((each) => each.name === name);
  if (secondary === undefined) throw new UnknownSecondary(name);
  return secondary;
}

/** The secondary as the configuration of a name server needs it. */
export function toSecondary(row: Omit<SecondaryRow, 'offeredToAll'>, zones: readonly { name: string }[]): Secondary {
  const { name, addresses, transfersFrom, allZones, catalog, notify, requireTls, pins } = row;
  const names = allZones ? 'all' : zones.map((zone) => zone.name);
  const key = toSecondaryKey(row);
  return { name, addresses, transfersFrom, key, zones: names, catalog, notify, requireTls, pins };
}

/** Longer than an owner's choice waits for its zone. */
const LOCK_MS = 30_000;

/** No choice of an owner runs meanwhile. @throws Error also if zones stayed locked for 30 s; nothing is written then */
async function alone<T>(url: string, options: DryRun, work: (tx: Tx) => Promise<T>): Promise<T> {
  const runLocked = async (tx: Tx) => {
    await setLockTimeout(tx, LOCK_MS);
    await lockSecondaries(tx, 'administrator');
    return work(tx);
  };
  return inTransaction(url, runLocked, options).catch((error: unknown) => {
    if (!isLockFailure(error)) throw error;
    throw new Error('other changes of these zones did not end in time, and nothing was changed; run the command again');
  });
}

/** No secondary has this name. */
export class UnknownSecondary extends Error {
  constructor(name: string) {
    super(`there is no secondary ${name}; "zonestead admin secondaries list" shows the names`);
  }
}
