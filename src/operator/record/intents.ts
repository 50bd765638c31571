// Resolves the ledger entries without an id: a creation was announced, but its response was lost. The operator repeats the same
// request with the same Idempotency-Key, and the service returns the first response or creates the record now.

import type { Clock } from '#base/clock.ts';
import { settleAll } from '#base/settle-all.ts';
import { ApiError, isAbsent } from '#client/errors.ts';
import type { ReconcileContext } from '#kube/controller/controller.ts';
import type { DNSRecord, LedgerEntry } from '#resources/dnsrecord.ts';
import type { OperatorContext } from '../access/context.ts';
import { failureOf } from '../run/failures.ts';
import { createAtService } from './create.ts';
import { type Owned, owns } from './plan.ts';

/**
 * Returns the ledger with an id in every entry. A refused request created nothing, so its entry is dropped.
 * @throws every other error of the requests
 */
export async function resolveIntents(
  context: OperatorContext,
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
      // The request must have the same bytes as the first one: a key belongs to one request, and the spec may have changed.
      const value = { content, priority, ttl: ttl ?? null };
      return [owns(await createAtService(context, clock, object, zoneId, value, intent, reconcileId, signal))];
    } catch (error) {
      if (!isAbsent(error) && error instanceof ApiError && failureOf(error)?.kind === 'refused') return [];
      throw error;
    }
  };
  // All requests are sent at once, so that they can share a batch.
  return (await settleAll(ledger.map(resolve))).flat();
}
