// An ALIAS is resolved ahead of its transaction, so that its answer is there when it commits. Best effort: the row of the
// target comes with the record in any case, and the worker resolves it.
import { parseRdata } from '../dns/types/index.ts';
import { zoneById } from '../store/zones.ts';
import { type Actor, maySee, recordLevel } from './actor.ts';
import type { House } from './change.ts';

/** Waits at most about 1 s. Who may not write the zone's records causes no question to a resolver. */
export async function prepareAlias(
  house: House,
  actor: Actor,
  zoneId: string,
  input: { type: string; content: string },
): Promise<void> {
  if (input.type !== 'ALIAS' || !house.prepareAlias) return;
  const parsed = parseRdata('ALIAS', input.content, null);
  if (!parsed.ok || recordLevel(actor, zoneId) !== 'write') return;
  const zone = await zoneById(house.db, zoneId);
  if (zone && maySee(actor, zone)) await house.prepareAlias(parsed.value.rdata);
}
