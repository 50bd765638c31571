// The request that creates a value at the service, the same for the first attempt and for each repetition. An entry of the ledger
// without an id announces a creation whose response was lost: the operator repeats the same request with the same Idempotency-Key,
// and the service returns the first response or creates the record now.

import { settleAll } from '#base/settle-all.ts';
import type { DnsRecord } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import type { Lane } from '#client/pace/lanes.ts';
import { isChallenge } from '#resources/challenge.ts';
import type { DNSRecord, LedgerEntry } from '#resources/dnsrecord.ts';
import type { Connection } from '../access/credentials.ts';
import { failureOf } from '../run/failures.ts';
import type { RecordRun } from '../run/run.ts';
import { sendChange } from '../run/send.ts';
import { markOfRecord } from './orphans.ts';
import { type Owned, owns } from './plan.ts';

export interface Value {
  content: string;
  priority: number | null;
  ttl: number | null;
}

/**
 * The place of a write in the dispatcher: namespaces take turns, and within a namespace challenges go first, deletions and
 * updates next, and creations last.
 */
export function placeOf(object: DNSRecord, otherwise: 'change' | 'create'): { lane: Lane; group: string } {
  return { lane: isChallenge(object) ? 'acme' : otherwise, group: object.metadata.namespace ?? '' };
}

/** The body of the request; fields for which the default of the service applies are omitted. */
export function bodyOf(object: DNSRecord, { content, priority, ttl }: Value) {
  // The name is spelled as in the spec: it is immutable, so that a repeated request has the same bytes.
  const { name, type } = object.spec;
  return { name, type, content, ...(ttl === null ? {} : { ttl }), ...(priority === null ? {} : { priority }) };
}

/** @param intent from the ledger; with the uid it is the Idempotency-Key, so that the service executes the request once */
export function createAtService(
  run: RecordRun,
  { dispatcher }: Connection,
  zoneId: string,
  value: Value,
  intent: string,
): Promise<DnsRecord> {
  const { context, object } = run;
  const idempotencyKey = `${object.metadata.uid}:${intent}`;
  const managedBy = markOfRecord(object, context.cluster());
  const change = { action: 'create', record: bodyOf(object, value), idempotencyKey, managedBy } as const;
  const job = { ...placeOf(object, 'create'), ...run.call, zone: zoneId, change };
  return sendChange(dispatcher, context.clock, job) as Promise<DnsRecord>;
}

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
