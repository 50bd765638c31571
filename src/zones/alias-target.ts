// An ALIAS is resolved ahead of its transaction, so that its answer is there when it commits. Best effort: the row of the
// target comes with the record in any case, and the worker resolves it.
import { parseRdata } from '../dns/types/index.ts';
import { zoneById } from '../store/zones.ts';
import { type Actor, maySee, recordLevel } from './actor.ts';
import type { House } from './change.ts';

/** Of one request: what many would cost the caller, the worker does as well, a moment later. */
const TARGETS_AT_ONCE = 16;

/**
 * For the records that a request is about to write. Waits at most about 1 s. Who may not write the zone's records causes no
 * question to a resolver.
 */
export async function prepareAliases(
  house: House,
  actor: Actor,
  zoneId: string,
  inputs: readonly { type: string; content: string }[],
): Promise<void> {
  const prepare = house.prepareAlias;
  if (!prepare || recordLevel(actor, zoneId) !== 'write') return;
  const targets = targetsOf(inputs);
  if (targets.length === 0) return;
  const zone = await zoneById(house.db, zoneId);
  if (zone && maySee(actor, zone)) await Promise.all(targets.map((target) => prepare(target)));
}

function targetsOf(inputs: readonly { type: string; content: string }[]): string[] {
  const targets = new Set<string>();
  for (const { type, content } of inputs) {
    const parsed = type === 'ALIAS' ? parseRdata('ALIAS', content, null) : null;
    if (parsed?.ok) targets.add(parsed.value.rdata);
    if (targets.size === TARGETS_AT_ONCE) break;
  }
  return [...targets];
}
