// Converts targets of external-dns and contents of the service to each other. Pure.
//
//   external-dns            service
//   MX "10 mail.example"    MX mail.example, priority 10
//   CNAME, alias=true       ALIAS
//   all others              the same; both sides are compared in the canonical form of the service
import { clampTtl } from '#dns/record.ts';
import { parseRdata, type RecordType } from '#dns/types/index.ts';

/** The record types that both external-dns and the service support. */
export const ENDPOINT_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NAPTR', 'NS', 'PTR', 'SRV', 'TXT'] as const;
type EndpointType = (typeof ENDPOINT_TYPES)[number];

export function isEndpointType(text: string): text is EndpointType {
  return (ENDPOINT_TYPES as readonly string[]).includes(text);
}

export interface EndpointValue {
  content: string;
  priority: number | null;
}

export function splitTarget(type: RecordType, target: string): EndpointValue {
  const [, priority, host] = type === 'MX' ? (/^([0-9]{1,5})\s+(\S+)$/.exec(target) ?? []) : [];
  return host === undefined ? { content: target, priority: null } : { content: host, priority: Number(priority) };
}

/**
 * The target of a value in canonical form; an invalid target stays as it is, and the service refuses it with a reason.
 */
export function toTarget(type: RecordType, { content, priority }: EndpointValue): string {
  const parsed = parseRdata(type, content, priority);
  const text = parsed.ok ? parsed.value.content : content;
  return type === 'MX' ? `${parsed.ok ? parsed.value.priority : priority} ${text}` : text;
}

export function canonicalTarget(type: RecordType, target: string): string {
  return toTarget(type, splitTarget(type, target));
}

/** The TTL in the form of the service; undefined: the zone's default. */
export function toServedTtl(seconds: number | undefined): number | undefined {
  if (seconds === undefined || seconds <= 0) return undefined;
  return clampTtl(seconds);
}
