// Writes a secondary of the administrator with its zones and its offers.
import { plainName } from '#dns/names/plain.ts';
import type { SecondaryKey } from '#dns/secondaries/secondary.ts';
import { sqlFailure, type Tx } from '#store/database.ts';
import { teamByName } from '#store/keys.ts';
import { changePlan, delistZone, listedZones, listZone, putSecondary, type SecondaryRow } from '#store/secondaries.ts';
import { writeOffers } from '#store/secondary-offers.ts';
import { zonesNamed } from '#store/zones.ts';
import { type OfferInput, parseOfferedNamespace, type SecondaryInput, secondaryRow } from './input.ts';
import { settleNames } from './names.ts';

export interface WrittenSecondary {
  isNew: boolean;
  /** Whether the secret of the key was made now. */
  made: boolean;
  key: SecondaryKey;
}

/**
 * Writes the values of the input. The secondaries are locked.
 * @param before the secondary as it is; null: there is none
 * @throws Error if the input is wrong, or names a zone or a team that does not exist
 */
export async function writeSecondary(
  tx: Tx,
  input: SecondaryInput,
  before: SecondaryRow | null,
  random: (bytes: number) => Buffer,
  now: Date,
): Promise<WrittenSecondary> {
  const currentTerms = before && { key: toSecondaryKey(before), offeredToAll: before.offeredToAll };
  const { row, made } = secondaryRow(input, currentTerms, random);
  await putSecondary(tx, row).catch((error: unknown) => {
    if (sqlFailure(error)?.constraint !== 'secondaries_tsig_name_key') throw error;
    throw new Error(`another secondary has the TSIG key ${row.tsigName}; give each a key of its own`);
  });
  if (Array.isArray(input.zones)) await setZones(tx, input.name, input.zones);
  if (input.offer !== undefined) await setOffers(tx, input.name, input.offer);
  await settleNames(tx, null, now);
  await changePlan(tx);
  return { isNew: before === null, made, key: toSecondaryKey(row) };
}

/** @throws Error if one of the names is unknown */
export async function changeZones(
  tx: Tx,
  secondary: string,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<void> {
  for (const id of await findZoneIds(tx, add)) await listZone(tx, id, secondary);
  for (const id of await findZoneIds(tx, remove)) await delistZone(tx, id, secondary);
}

export function toSecondaryKey(row: Pick<SecondaryRow, 'tsigName' | 'tsigAlgorithm' | 'tsigSecret'>): SecondaryKey {
  return { name: row.tsigName, algorithm: row.tsigAlgorithm as SecondaryKey['algorithm'], secret: row.tsigSecret };
}

async function setZones(tx: Tx, secondary: string, names: readonly string[]): Promise<void> {
  const wantedIds = new Set(await findZoneIds(tx, names));
  for (const { id } of await listedZones(tx, secondary)) if (!wantedIds.has(id)) await delistZone(tx, id, secondary);
  for (const id of wantedIds) await listZone(tx, id, secondary);
}

/** @throws Error if a team does not exist */
async function setOffers(tx: Tx, secondary: string, { teams = [], namespaces = [] }: OfferInput): Promise<void> {
  const wantedOffers = [...teams.map((team) => ({ team, namespace: '' })), ...namespaces.map(parseOfferedNamespace)];
  const offers = [];
  for (const { team, namespace } of wantedOffers) {
    const offeredTeam = await teamByName(tx, team);
    if (offeredTeam === null) throw new Error(`there is no team ${team}; "zonestead admin teams list" shows the names`);
    offers.push({ teamId: offeredTeam.id, namespace });
  }
  await writeOffers(tx, secondary, offers);
}

/** A secondary is to have a zone that does not exist. */
export class UnknownZone extends Error {
  /** In lower case, without a final dot. */
  readonly zone: string;

  constructor(zone: string) {
    super(`there is no zone ${zone}`);
    this.zone = zone;
  }
}

/** @throws {UnknownZone} */
async function findZoneIds(tx: Tx, names: readonly string[]): Promise<string[]> {
  const canonical = names.map(plainName);
  const zoneRows = await zonesNamed(tx, canonical);
  const missingName = canonical.find((name) => zoneRows.every((zone) => zone.name !== name));
  if (missingName !== undefined) throw new UnknownZone(missingName);
  return zoneRows.map(({ id }) => id);
}
