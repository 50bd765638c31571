// Permitted certificates are issued and renewed, and leave no records behind.
import { describe, expect, test } from 'vitest';
import {
  certificateObject,
  challengeRecords,
  challengeSays,
  issue,
  leavesNothing,
  namesIn,
  renew,
  revisionAfter,
  secretCertificate,
  watchChallenges,
} from '../../support/cert-manager/certificates.ts';
import { connectChallenges } from '../../support/cert-manager/challenge-client.ts';
import { type TestStack, zoneObject } from '../../support/stack/stack.ts';
import { sharedZone } from './ground.ts';

export function isIssued(theStack: () => TestStack): void {
  describe.concurrent('a certificate from cert-manager', () => {
    test('a certificate from cert-manager is issued for a name of a zone that permits it, is renewed, and leaves no record behind', async () => {
      const stack = theStack();
      await issue(stack, certificateObject('single', ['www.site.example']));
      expect(await namesIn(stack, 'single')).toEqual(['www.site.example']);
      await leavesNothing(stack, 'www.site.example');
      const first = await secretCertificate(stack, 'single-tls', 'default');
      const old = await renew(stack, 'single');
      await revisionAfter(stack, old, 'single');
      const second = await secretCertificate(stack, 'single-tls', 'default');
      expect(second.serialNumber).not.toBe(first.serialNumber);
      expect(second.checkHost('www.site.example')).toBe('www.site.example');
      await leavesNothing(stack, 'www.site.example');
    });

    test('a certificate from cert-manager is issued for a zone and its wildcard, which have two values at one name', async () => {
      const stack = theStack();
      await issue(stack, certificateObject('both', ['site.example', '*.site.example']));
      expect(await namesIn(stack, 'both')).toEqual(['*.site.example', 'site.example']);
      await leavesNothing(stack, 'site.example');
    });

    test('a certificate from cert-manager is issued to a namespace with the labels that the zone requires, and not renewed once the grant is gone', async ({
      expect,
    }) => {
      const stack = theStack();
      const certificate = certificateObject('labelled', ['a.shared.example'], 'tenant');
      const challenges = await watchChallenges(stack);
      try {
        await issue(stack, certificate);
        // The record was in the namespace of the certificate.
        expect(challenges.seen('a.shared.example')).toEqual([expect.stringMatching(/^tenant\/acme-/)]);
      } finally {
        await challenges.stop();
      }
      await leavesNothing(stack, 'a.shared.example');
      const { serialNumber } = await secretCertificate(stack, 'labelled-tls', 'tenant');

      await stack.apply(zoneObject('shared', 'shared.example', { acme: {} }));
      await stack.ready('zdz/shared');
      const old = await renew(stack, 'labelled', 'tenant');
      await challengeSays(
        stack,
        'tenant',
        'DNSZone default/shared takes no ACME challenges from namespace tenant; its owner can permit them in spec.acme.namespaces',
      );
      expect(await challengeRecords(stack, 'a.shared.example')).toEqual([]);
      expect((await secretCertificate(stack, 'labelled-tls', 'tenant')).serialNumber).toBe(serialNumber);

      await stack.apply(sharedZone());
      await revisionAfter(stack, old, 'labelled', 'tenant');
      await leavesNothing(stack, 'a.shared.example');
    });

    test('a certificate from cert-manager is issued twenty times at once', async () => {
      const stack = theStack();
      const many = Array.from({ length: 20 }, (_, n) => certificateObject(`many-${n}`, [`m${n}.site.example`]));
      await issue(stack, ...many);
      await leavesNothing(stack, 'm0.site.example');
    });
  });

  describe.concurrent('the solver', () => {
    test('the solver loses none of 100 values that arrive at one name at once, and removes each again', async ({
      expect,
    }) => {
      const stack = theStack();
      const client = await connectChallenges(stack.stack.issuance?.certManagerKubeconfig ?? '', 100);
      const keys = Array.from({ length: 100 }, (_, n) => `at-once-${n}`);
      /** Retries a challenge that was not live in time, as cert-manager does. */
      const all = (action: 'Present' | 'CleanUp', limit: number) =>
        Promise.all(
          keys.map(async (key) => {
            for (let attempt = 1; ; attempt += 1) {
              try {
                return await client.send(action, 'hundred.site.example', key);
              } catch (error) {
                if (attempt === limit) throw error;
              }
            }
          }),
        );
      const served = async () => (await stack.dig('_acme-challenge.hundred.site.example', 'TXT', '+tcp')).length;
      try {
        await all('Present', 10);
        // Present answers only when the value is served, so the test does not wait.
        expect(await served()).toBe(100);
        await all('CleanUp', 10);
        await expect.poll(served).toBe(0);
      } finally {
        await client.close();
      }
    });
  });
}
