// A zone must not be created in place of one that only the name servers still have, because their database was
// restored: the new zone would have another DNSSEC key, and the nodes would give up the old one for it.
import { listSuffixes } from '#dns/names/name.ts';
import type { Tx } from '#store/database.ts';
import { heldAround } from '#store/held-zones.ts';
import { busy } from '../change/queue.ts';
import { refusal } from '../refusal.ts';

/** Nodes report within a second after an api starts. Without a report for this long, they do not hold up creations. */
const UNKNOWN_MS = 30_000;
/** When this process first met the database as it runs now. */
let firstSeen = { epoch: '', at: 0 };

/**
 * @throws Refusal conflict (a name server holds the zone), busy (none has reported since the database started, or one
 * holds more zones than it names)
 */
export async function mustNotBeHeld(tx: Tx, context: { now(): Date }, name: string): Promise<void> {
  const { epoch, isUnknown, isUnnamed, held } = await heldAround(tx, name, listSuffixes(name));
  if (held !== null) throw refusal('zone-held', { name, held });
  if (isUnnamed) throw busy();
  if (!isUnknown) return;
  const now = context.now().getTime();
  if (firstSeen.epoch !== epoch) firstSeen = { epoch, at: now };
  if (now - firstSeen.at < UNKNOWN_MS) throw busy();
}
