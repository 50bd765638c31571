// The index of the DNSRecords with a health check. All of them have one value.
import type { DNSRecord } from '#resources/dnsrecord.ts';

export const BY_CHECKED = 'checked';
export const CHECKED = 'true';

export function indexChecked({ spec }: DNSRecord): string[] {
  return spec.healthCheck === undefined ? [] : [CHECKED];
}
