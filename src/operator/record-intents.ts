// Ledger entries without an id: a creation was announced, and its answer got lost. The same request is sent again under
// the same Idempotency-Key, and gets the first answer, or is made now.
import { ApiError, isAbsent } from '../client/errors.ts';
import type { Clock } from '../kube/clock.ts';
import type { ReconcileContext } from '../kube/controller.ts';
import type { House } from './house.ts';
import { createAtService } from './record-create.ts';
import { type Owned, owns } from './record-plan.ts';
import type { DNSRecord, LedgerEntry } from './resources/dnsrecord.ts';
import { settled } from './settled.ts';
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
  const resolve = async ({ id, intent, content, priority, ttl }: LedgerEntry): Promise<Owned[]> => {
    if (id !== undefined) return [{ id, content, priority }];
    if (intent === undefined) return [];
    try {
      // To the letter what was sent then: the spec may have changed since, and a key belongs to one request.
      const value = { content, priority, ttl: ttl ?? null };
      return [owns(await createAtService(house, clock, object, zoneId, value, intent, reconcileId, signal))];
    } catch (error) {
      if (!isAbsent(error) && error instanceof ApiError && troubleOf(error)?.kind === 'refused') return [];
      throw error;
    }
  };
  // All at once, so that they can go as one batch.
  return (await settled(ledger.map(resolve))).flat();
}
