// Ledger entries without an id: a creation was announced, and its answer got lost. The same request is sent again under
// the same Idempotency-Key, and gets the first answer, or is made now.
import { ApiError, isAbsent } from '../client/errors.ts';
import type { Clock } from '../kube/clock.ts';
import type { ReconcileContext } from '../kube/controller.ts';
import type { House } from './house.ts';
import { createAtService } from './record-create.ts';
import type { Owned } from './record-plan.ts';
import type { DNSRecord, LedgerEntry } from './resources/dnsrecord.ts';
import { troubleOf } from './trouble.ts';

/** The ledger with an id in every entry. @throws what the service answers, but for refusals: those made nothing */
export async function resolveIntents(
  house: House,
  clock: Clock,
  object: DNSRecord,
  zoneId: string,
  ledger: readonly LedgerEntry[],
  { reconcileId, signal }: ReconcileContext,
): Promise<Owned[]> {
  const owned: Owned[] = [];
  for (const entry of ledger) {
    if (entry.id !== undefined) {
      owned.push({ id: entry.id, content: entry.content, priority: entry.priority });
      continue;
    }
    if (entry.intent === undefined) continue;
    try {
      // To the letter what was sent then: the spec may have changed since, and a key belongs to one request.
      const value = { content: entry.content, priority: entry.priority, ttl: entry.ttl ?? null };
      const record = await createAtService(house, clock, object, zoneId, value, entry.intent, reconcileId, signal);
      owned.push({ id: record.id, content: record.content, priority: record.priority });
    } catch (error) {
      if (isAbsent(error)) throw error;
      if (error instanceof ApiError && troubleOf(error)?.kind === 'refused') continue;
      throw error;
    }
  }
  return owned;
}
