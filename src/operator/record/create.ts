// The request that creates a value at the service, the same for the first attempt and for each repetition.

import type { DnsRecord } from '#client/client.ts';
import type { Lane } from '#client/pace/lanes.ts';
import { isChallenge } from '#resources/challenge.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { Connection } from '../access/credentials.ts';
import { callOf, type RecordRun } from '../run/run.ts';
import { sendChange } from '../run/send.ts';
import { markOfRecord } from './orphans.ts';

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
  const job = { ...placeOf(object, 'create'), ...callOf(run), zone: zoneId, change };
  return sendChange(dispatcher, context.clock, job) as Promise<DnsRecord>;
}
