// The creation status: DESIGN section 3, row "create status".
import { expect, test } from 'vitest';
import { type CreationStatus, creationStatus, type DelegationSeen } from '../../../src/zones/delegation.ts';

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
  // The root delegates it: a domain like others.
  ['org', false, 'insecure', 'ds_required'],
  ['org', false, 'secure', 'done'],
  ['corp', false, 'absent', 'done'],
  // NS and DS are in the parent zone already.
  ['sub.example.com', true, null, 'done'],
  ['sub.example.com', true, 'absent', 'done'],
  ['sub.corp', true, 'unknown', 'done'],
])('%s (hosted parent: %s), seen as %s: %s', (zone, hosted, seen, status) => {
  expect(creationStatus(zone, hosted, PRIVATE, seen)).toBe(status);
});
