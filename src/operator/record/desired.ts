// Checks the spec of a DNSRecord against its zone: returns the values to serve, or the problem. The rules are the same as the
// service's, so that the operator reports a mistake without a request.
import { fqdn } from '#dns/names/name.ts';
import { type ParsedRecord, parseRecord } from '#dns/record.ts';
import type { RecordType } from '#dns/types/index.ts';
import { type DNSRecord, recordSpec } from '#resources/dnsrecord.ts';
import { valuesOf } from '#resources/summary.ts';

export interface DesiredValue {
  content: string;
  priority: number | null;
  /** Null for the default of the zone. */
  ttl: number | null;
  /** The canonical wire form in hexadecimal digits, which is equal for two spellings of one value. */
  identity: string;
  wire: Uint8Array;
}

export interface Desired {
  /** Canonical and relative to the zone. */
  name: string;
  fqdn: string;
  type: RecordType;
  values: DesiredValue[];
}

type DesiredVerdict = { ok: true; desired: Desired } | { ok: false; message: string };

/** @param zoneName as the service spells it */
export function desiredOf(record: DNSRecord, zoneName: string): DesiredVerdict {
  const spec = recordSpec.safeParse(record.spec);
  if (!spec.success) {
    return {
      ok: false,
      message: spec.error.issues.map((issue) => `spec.${issue.path.join('.')}: ${issue.message}`).join('; '),
    };
  }
  const parsed: ParsedRecord[] = [];
  for (const { content, priority } of valuesOf(spec.data)) {
    const verdict = parseRecord(
      { name: spec.data.name, type: spec.data.type, content, ttl: spec.data.ttl, priority },
      zoneName,
    );
    if (!verdict.ok) return { ok: false, message: `spec.${verdict.problem.field}: ${verdict.problem.message}` };
    parsed.push(verdict.value);
  }
  const first = parsed[0];
  if (!first) return { ok: false, message: 'spec.content: set content, or set values with at least one entry.' };
  const values = parsed.map(({ content, priority, ttl, wire }) => ({
    content,
    priority,
    ttl,
    wire,
    identity: identityOf(wire),
  }));
  const twice = values.find((value, at) => values.findIndex((other) => other.identity === value.identity) < at);
  if (twice) return { ok: false, message: `spec.values: ${twice.content} is a duplicate; remove one of the two.` };
  return { ok: true, desired: { name: first.name, fqdn: fqdn(first.name, zoneName), type: first.type, values } };
}

export function identityOf(wire: Uint8Array): string {
  return Buffer.from(wire).toString('hex');
}
