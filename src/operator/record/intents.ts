// Resolves the ledger entries without an id: a creation was announced, but its response was lost. The operator repeats the same
// request with the same Idempotency-Key, and the service returns the first response or creates the record now.

import { settleAll } from '#base/settle-all.ts';
import { ApiError } from '#client/errors.ts';
import type { LedgerEntry } from '#resources/dnsrecord.ts';
import type { Connection } from '../access/credentials.ts';
import { failureOf } from '../run/failures.ts';
import type { RecordRun } from '../run/run.ts';
import { createAtService } from './create.ts';
import { type Owned, owns } from './plan.ts';

/**
 * Returns the ledger with an id in every entry. A refused request created nothing, so its entry is dropped.
 * @throws every other error of the requests
 */
export async function resolveIntents(
  run: RecordRun,
  service: Connection,
  zoneId: string,
  ledger: readonly LedgerEntry[],
): Promise<Owned[]> {
  const resolve = async ({ id, intent, content, priority, ttl }: LedgerEntry): Promise<Owned[]> => {
    if (id !== undefined) return [{ id, content, priority }];
    if (intent === undefined) return [];
    try {
      // The request must have the same bytes as the first one: a key belongs to one request, and the spec may have changed.
      const value = { content, priority, ttl: ttl ?? null };
      return [owns(await createAtService(run, service, zoneId, value, intent))];
    } catch (error) {
      if (error instanceof ApiError && failureOf(error)?.kind === 'refused') return [];
      throw error;
    }
  };
  // All requests are sent at once, so that they can share a batch.
  return (await settleAll(ledger.map(resolve))).flat();
}
