// Parts that fail during a challenge.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { certificateObject, issued, leavesNothing, watchChallenges } from '../../support/cert-manager/certificates.ts';
import type { TestStack } from '../../support/stack/stack.ts';
import { doctor } from './doctor.ts';
import { namespaceObject } from './ground.ts';

const API_SERVICE = 'apiservice/v1alpha1.acme.zonestead.dev';
/** The length of the outage of Postgres. */
const AWAY_MS = 8_000;

/** Starts three certificates and waits until at least one challenge has its record. */
async function begin(stack: TestStack, name: string): Promise<object[]> {
  const names = [0, 1, 2].map((n) => `${name}${n}.site.example`);
  const certificates = names.map((dnsName, n) => certificateObject(`${name}-${n}`, [dnsName]));
  const challenges = await watchChallenges(stack);
  try {
    await stack.apply(...certificates);
    await expect.poll(() => challenges.seen(...names)).not.toEqual([]);
  } finally {
    await challenges.stop();
  }
  return certificates;
}

export function survivesFaults(theStack: () => TestStack): void {
  test('in the middle of a challenge, a killed solver does not prevent the certificate after it has restarted', async () => {
    const stack = theStack();
    const running = stack.stack.issuance?.running;
    const certificates = await begin(stack, 'killed');
    await running?.part('solver').stop({ signal: 'SIGKILL' });
    await running?.start('solver');
    await issued(stack, ...certificates);
    await leavesNothing(stack, 'killed0.site.example');
  });

  test('in the middle of a challenge, an outage of the database of 8 s does not prevent the certificate', async () => {
    const stack = theStack();
    const { running } = stack.stack.service;
    const certificates = await begin(stack, 'dry');
    await running.part('postgres').stop({ signal: 'SIGKILL' });
    await sleep(AWAY_MS);
    await running.start('postgres');
    await issued(stack, ...certificates);
    await leavesNothing(stack, 'dry0.site.example');
  });

  test('an unavailable solver blocks the deletion of namespaces until it is back, and the doctor reports that', async () => {
    const stack = theStack();
    const running = stack.stack.issuance?.running;
    const phase = async () => {
      const namespaces = await stack.kube.list('namespace');
      const leaving = namespaces.find(({ metadata }) => metadata.name === 'leaving');
      return leaving === undefined ? '' : JSON.stringify((leaving as { status?: object }).status);
    };
    // Discovery is refreshed once a minute.
    const patient = { timeout: 200_000, interval: 500 };
    await stack.apply(namespaceObject('leaving'));
    await running?.part('solver').stop();
    await stack.kubectl('wait', '--for=condition=Available=False', '--timeout=115s', API_SERVICE);
    await stack.kubectl('delete', 'namespace', 'leaving', '--wait=false');
    const { failures, text } = await doctor(stack);
    expect(failures.join()).toMatch(/is not available.*The solver does not answer/);
    expect(text).toContain('Is the solver running');
    expect(text).toContain('no namespace can be deleted');
    await expect.poll(phase, patient).toContain('DiscoveryFailed');
    await running?.start('solver');
    await expect.poll(phase, patient).toBe('');
  }, 600_000);
}
