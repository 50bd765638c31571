// Writes a step of a key roll in a transaction that has locked the zone.
import { applyMoves, currentStep, type KeyMove } from '#dns/dnssec/key-roll.ts';
import { wantedDs } from '#dns/dnssec/key-states.ts';
import { keyTag } from '#dns/dnssec/signing-key.ts';
import type { Tx } from '#store/database.ts';
import { deleteZoneKey, setKeyState, type ZoneKeyRow } from '#store/zone-keys.ts';
import type { ZoneRow } from '#store/zones.ts';
import type { Entry } from '../change/history.ts';
import type { ServiceContext } from '../context.ts';

/** The history and the zone after a step. */
export interface WrittenMoves {
  entry: Entry;
  /** RDATA of the DS records that the parent should have now. */
  ds: string[];
  keys: ZoneKeyRow[];
}

/** @param keys all keys of the zone, as the transaction read them */
export async function writeMoves(
  tx: Tx,
  { now }: Pick<ServiceContext, 'now'>,
  zone: ZoneRow,
  keys: readonly ZoneKeyRow[],
  moves: readonly KeyMove[],
): Promise<WrittenMoves> {
  const since = now();
  const later = applyMoves(keys, moves);
  const carrierId = currentStep(later)?.carrier.id ?? null;
  const lookAtOf = (id: number) => (id === carrierId ? since : null);
  // One row of a zone has the next look, so that those without it are written first.
  const ordered = moves.toSorted((one, other) => Number(one.id === carrierId) - Number(other.id === carrierId));
  for (const { id, to } of ordered) {
    const key = { zoneId: zone.id, id };
    if (to === null) await deleteZoneKey(tx, key);
    else await setKeyState(tx, key, to, { since, lookAt: lookAtOf(id) });
  }
  const ds = wantedDs(zone.name, later);
  return { entry: keysEntry(zone, keys, { ds, keys: later }), ds, keys: later };
}

/** The entry of the history for other keys, or other states of them. */
export function keysEntry(
  zone: ZoneRow,
  keys: readonly ZoneKeyRow[],
  after: { ds: readonly string[]; keys: readonly ZoneKeyRow[] },
): Entry {
  return { action: 'zone.keys', before: shown(zone.ds, keys), after: shown(after.ds, after.keys) };
}

function shown(ds: readonly string[], keys: readonly ZoneKeyRow[]) {
  return { keys: keys.map((key) => ({ keyTag: keyTag(key), algorithm: key.algorithm, state: key.state })), ds };
}
