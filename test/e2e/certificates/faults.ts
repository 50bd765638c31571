// Parts that die in the middle of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { certificateObject, issued, leavesNothing, watchChallenges } from '../../support/certificates.ts';
import type { TestStack } from '../../support/stack.ts';
import { doctor } from './doctor.ts';
import { namespaceObject } from './ground.ts';

const API_SERVICE = 'apiservice/v1alpha1.acme.zonestead.dev';
/** Of Postgres. */
const AWAY_MS = 8_000;

/** Three that have begun: at least one challenge has its record. */
async function begin(test: TestStack, name: string): Promise<object[]> {
  const names = [0, 1, 2].map((n) => `${name}${n}.site.example`);
  const certificates = names.map((dnsName, n) => certificateObject(`${name}-${n}`, [dnsName]));
  const challenges = watchChallenges(test);
  try {
    await test.apply(...certificates);
    await expect.poll(() => challenges.seen(...names), { timeout: 60_000 }).not.toEqual([]);
  } finally {
    await challenges.stop();
  }
  return certificates;
}

export function survivesFaults(theStack: () => TestStack): void {
  describe('in the middle of a challenge', () => {
    it('a solver that is killed is no harm once it is back', async () => {
      const test = theStack();
      const crew = test.stack.issuance?.crew;
      const certificates = await begin(test, 'killed');
      await crew?.part('solver').stop({ signal: 'SIGKILL' });
      await crew?.start('solver');
      await issued(test, 55, ...certificates);
      await leavesNothing(test, 'killed0.site.example');
    });

    it('a database that is away for 8 s is no harm once it is back', async () => {
      const test = theStack();
      const { crew } = test.stack.service;
      const certificates = await begin(test, 'dry');
      await crew.part('postgres').stop({ signal: 'SIGKILL' });
      await sleep(AWAY_MS);
      await crew.start('postgres');
      await issued(test, 55, ...certificates);
      await leavesNothing(test, 'dry0.site.example');
    });
  });

  describe('a solver that is not there', () => {
    it('keeps namespaces from being deleted, which the doctor says, and no longer when it is back', async () => {
      const test = theStack();
      const crew = test.stack.issuance?.crew;
      const phase = () => test.kubectl('get', 'namespace', 'leaving', '--ignore-not-found', '-o', 'jsonpath={.status}');
      // Discovery is looked at once a minute.
      const patient = { timeout: 120_000, interval: 500 };
      await test.apply(namespaceObject('leaving'));
      await crew?.part('solver').stop();
      await test.kubectl('wait', '--for=condition=Available=False', '--timeout=55s', API_SERVICE);
      await test.kubectl('delete', 'namespace', 'leaving', '--wait=false');
      const { failures, text } = await doctor(test);
      expect(failures.join()).toMatch(/is not available.*The solver does not answer/);
      expect(text).toContain('Is the solver running');
      expect(text).toContain('no namespace can be deleted');
      await expect.poll(phase, patient).toContain('DiscoveryFailed');
      await crew?.start('solver');
      await expect.poll(phase, patient).toBe('');
    }, 300_000);
  });
}
