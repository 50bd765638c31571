// The one call that creates a value at the service, the same for the first attempt and for a repeated one.
import type { DnsRecord } from '../client/client.ts';
import type { Clock } from '../kube/clock.ts';
import { type House, markOf } from './house.ts';
import type { DNSRecord } from './resources/dnsrecord.ts';
import { sendChange } from './send.ts';

export interface Value {
  content: string;
  priority: number | null;
  ttl: number | null;
}

/** A TXT record that proves control over a name to a certificate authority (RFC 8555 section 8.4). */
export function isChallenge({ spec: { type, name } }: DNSRecord): boolean {
  return type === 'TXT' && /^_acme-challenge(\.|$)/i.test(name);
}

/** ACME challenges first; deletions and updates next; creations last. */
export function laneOf(object: DNSRecord, otherwise: 'change' | 'create'): 'acme' | 'change' | 'create' {
  return isChallenge(object) ? 'acme' : otherwise;
}

/** What the service is told of a value: nothing where its own default is meant. */
export function bodyOf(object: DNSRecord, { content, priority, ttl }: Value) {
  // The name as the spec spells it: it is immutable, so a repeated request is the same to the letter.
  const { name, type } = object.spec;
  return { name, type, content, ...(ttl === null ? {} : { ttl }), ...(priority === null ? {} : { priority }) };
}

/** @param intent from the ledger: with the uid it makes the request happen once */
export function createAtService(
  house: House,
  clock: Clock,
  object: DNSRecord,
  zoneId: string,
  value: Value,
  intent: string,
  requestId: string,
  signal: AbortSignal,
): Promise<DnsRecord> {
  const idempotencyKey = `${object.metadata.uid}:${intent}`;
  const managedBy = markOf('DNSRecord', object);
  const change = { action: 'create', record: bodyOf(object, value), idempotencyKey, managedBy } as const;
  const job = { lane: laneOf(object, 'create'), zone: zoneId, signal, requestId, change };
  return sendChange(house.dispatcher, clock, job) as Promise<DnsRecord>;
}
