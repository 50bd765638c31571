// The service resolves the target of an ALIAS before the transaction that writes the record, so that the record can be
// served as soon as the transaction commits. If this fails, the background worker resolves the target a moment later.
import { parseRecord, type RecordInput } from '#dns/record.ts';
import { type Actor, maySee, mayWriteRecord, recordLevel } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { zoneIdentity } from '../zones/identity.ts';

/**
 * The number of targets that one request resolves. The worker resolves the others, so that the caller does not have to
 * wait.
 */
const TARGETS_AT_ONCE = 16;

/**
 * Resolves the targets of the records that a request is about to write. It takes at most about 1 s. The targets of
 * records that the key may not write are not resolved.
 */
export async function prepareAliases(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  inputs: readonly RecordInput[],
): Promise<void> {
  const prepare = context.prepareAlias;
  if (!prepare || recordLevel(actor, zoneId) !== 'write' || !inputs.some(({ type }) => type === 'ALIAS')) return;
  const zone = await zoneIdentity(context.db, zoneId);
  if (!zone || !maySee(actor, zone)) return;
  const owner = zone.teamId ?? zone.userId ?? '';
  await Promise.all(listTargets(actor, zone, inputs).map((target) => prepare({ target, owner })));
}

function listTargets(actor: Actor, zone: { id: string; name: string }, inputs: readonly RecordInput[]): string[] {
  const targets = new Set<string>();
  for (const input of inputs) {
    if (input.type !== 'ALIAS') continue;
    const parsed = parseRecord(input, zone.name);
    if (parsed.ok && mayWriteRecord(actor, zone.id, parsed.value)) targets.add(parsed.value.rdata);
    if (targets.size === TARGETS_AT_ONCE) break;
  }
  return [...targets];
}
