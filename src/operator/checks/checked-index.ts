// The indexes of the DNSRecords with a health check, and of those whose addresses follow a Service. All have one value.
import type { DNSRecord } from '#resources/dnsrecord.ts';

export const BY_CHECKED = 'checked';
export const CHECKED = 'true';
export const BY_FOLLOWING = 'following';
export const FOLLOWING = 'true';

export function isChecked({ spec }: DNSRecord): boolean {
  return spec.healthCheck !== undefined || spec.healthFrom !== undefined;
}

export function indexChecked(record: DNSRecord): string[] {
  return isChecked(record) ? [CHECKED] : [];
}

export function indexFollowing({ spec }: DNSRecord): string[] {
  return spec.healthFrom === undefined ? [] : [FOLLOWING];
}
