// The addresses in the memory of the process that probes.
import { expect, test } from 'vitest';
import type { ProbeDefinition } from '#base/probes/definition.ts';
import { isPending, type StoredTarget, Targets } from '#service/checks/targets.ts';

const PROBE = { type: 'tcp', port: 80, interval: 10, timeout: 2, failures: 3, retryInterval: 0.5, successes: 2 };

function target(definition: object, state: StoredTarget['state'] = 'Healthy') {
  const stored = { owner: 'team_a', checkName: 'web', address: '192.0.2.1', state, reason: null, since: 0, pin: null };
  const [first] = new Targets().update([{ ...stored, down: false, definition: definition as ProbeDefinition }]);
  if (first === undefined) throw new Error('no target');
  return first;
}

test('the brake counts an address from its first failure on, and not while it is unhealthy', () => {
  const probed = target(PROBE);
  expect(isPending(probed)).toBe(false);
  probed.track = { ...probed.track, failures: 1 };
  expect(isPending(probed)).toBe(true);
  const down = target(PROBE, 'Unhealthy');
  down.track = { ...down.track, failures: 1 };
  expect(isPending(down)).toBe(false);
});

test('where name servers or a monitor decide, their decision counts and no probe of the api', () => {
  const decided = target(PROBE);
  decided.track = { ...decided.track, failures: 1 };
  decided.decision = { state: 'Healthy', total: 3, unhealthy: 1, reason: null };
  expect(isPending(decided)).toBe(false);
  decided.decision = { state: 'Unhealthy', total: 3, unhealthy: 2, reason: null };
  expect(isPending(decided)).toBe(true);
  const signalled = target({ type: 'signal' });
  signalled.signalled = 'Unhealthy';
  expect(isPending(signalled)).toBe(true);
});
