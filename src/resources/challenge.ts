// The label that the ACME solver puts on the DNSRecords it creates. This label makes a record a challenge, not its
// name: every user may create records named _acme-challenge. The label gives a record priority within its own namespace
// only, so a tenant that forges it takes nothing from other tenants.
import type { DNSRecord } from './dnsrecord.ts';

/** Every DNSRecord of the solver has this label; the solver changes no object without it. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const SOLVER_MANAGER = 'zonestead-solver';

/**
 * Whether the solver created the record to prove control over a name to a certificate authority (RFC 8555 section 8.4).
 */
export function isChallenge({ metadata, spec }: Pick<DNSRecord, 'metadata' | 'spec'>): boolean {
  return spec.type === 'TXT' && metadata.labels?.[MANAGED_BY_LABEL] === SOLVER_MANAGER;
}
