import { expect, test } from 'vitest';
import { no } from '#operator/run/conditions.ts';
import { missingZone, refusedZone } from '#operator/zone/status.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { zoneStatus } from '#resources/dnszone-status.ts';

const FIELDS = Object.keys(zoneStatus.shape);
const KNOWN: Record<string, unknown> = { conditions: [], origin: 'Observed' };
const observed = {
  metadata: { namespace: 'default', name: 'zone' },
  spec: { zoneName: 'example.org', managementPolicy: 'Observe' },
  status: Object.fromEntries(FIELDS.map((field) => [field, KNOWN[field] ?? 'secret'])),
} as unknown as DNSZone;
const answer = no('NotPermitted', 'Not for this namespace.');

test('a namespace without a right to a zone keeps nothing in the status that the service told about it', () => {
  for (const { fields = {} } of [refusedZone(observed, answer), missingZone(observed, answer)]) {
    const left = { ...observed.status, ...fields } as Record<string, unknown>;
    expect(FIELDS.filter((field) => left[field] !== undefined).sort()).toEqual([
      'conditions',
      'intent',
      'nextAttemptTime',
      'observedGeneration',
    ]);
  }
});
