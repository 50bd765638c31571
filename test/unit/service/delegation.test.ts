// The creation status of a zone (contract Z6).
import { expect, test } from 'vitest';
import type { DelegationSeen } from '#dns/dnssec/delegation.ts';
import { type CreationStatus, creationStatus } from '#service/zones/delegation.ts';

const PRIVATE = new Set(['corp']);

test.each<[string, boolean, DelegationSeen | null, CreationStatus]>([
  // The check is off.
  ['example.com', false, null, 'done'],
  ['mytld', false, null, 'handshake_claim_required'],
  ['corp', false, null, 'done'],
  // The check is on.
  ['example.com', false, 'secure', 'done'],
  ['example.com', false, 'insecure', 'ds_required'],
  ['example.com', false, 'absent', 'ds_required'],
  ['example.com', false, 'unknown', 'ds_required'],
  ['mytld', false, 'absent', 'handshake_claim_required'],
  ['mytld', false, 'unknown', 'handshake_claim_required'],
  // The root delegates this name, so it is an ordinary domain.
  ['org', false, 'insecure', 'ds_required'],
  ['org', false, 'secure', 'done'],
  ['corp', false, 'absent', 'done'],
  // NS and DS are in the parent zone already.
  ['sub.example.com', true, null, 'done'],
  ['sub.example.com', true, 'absent', 'done'],
  ['sub.corp', true, 'unknown', 'done'],
])('%s (hosted parent: %s) with the delegation %s has the status %s', (zone, hosted, seen, status) => {
  expect(creationStatus(zone, hosted, PRIVATE, seen)).toBe(status);
});
