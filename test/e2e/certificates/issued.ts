// Permitted certificates are issued and renewed, and leave no records behind.
import { describe, expect, it } from 'vitest';
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
    it('is issued for a name of a zone that permits it, is renewed, and leaves no record behind', async () => {
      const test = theStack();
      await issue(test, certificateObject('single', ['www.site.example']));
      expect(await namesIn(test, 'single')).toEqual(['www.site.example']);
      await leavesNothing(test, 'www.site.example');
      const first = await secretCertificate(test, 'single-tls', 'default');
      const old = await renew(test, 'single');
      await revisionAfter(test, old, 'single');
      const second = await secretCertificate(test, 'single-tls', 'default');
      expect(second.serialNumber).not.toBe(first.serialNumber);
      expect(second.checkHost('www.site.example')).toBe('www.site.example');
      await leavesNothing(test, 'www.site.example');
    });

    it('is issued for a zone and its wildcard, which have two values at one name', async () => {
      const test = theStack();
      await issue(test, certificateObject('both', ['site.example', '*.site.example']));
      expect(await namesIn(test, 'both')).toEqual(['*.site.example', 'site.example']);
      await leavesNothing(test, 'site.example');
    });

    it('is issued to a namespace with the labels that the zone requires, and not renewed once the grant is gone', async ({
      expect,
    }) => {
      const test = theStack();
      const certificate = certificateObject('labelled', ['a.shared.example'], 'tenant');
      const challenges = await watchChallenges(test);
      try {
        await issue(test, certificate);
        // The record was in the namespace of the certificate.
        expect(challenges.seen('a.shared.example')).toEqual([expect.stringMatching(/^tenant\/acme-/)]);
      } finally {
        await challenges.stop();
      }
      await leavesNothing(test, 'a.shared.example');
      const { serialNumber } = await secretCertificate(test, 'labelled-tls', 'tenant');

      await test.apply(zoneObject('shared', 'shared.example', { acme: {} }));
      await test.ready('zdz/shared');
      const old = await renew(test, 'labelled', 'tenant');
      await challengeSays(
        test,
        'tenant',
        'DNSZone default/shared takes no ACME challenges from namespace tenant; its owner can permit them in spec.acme.namespaces',
      );
      expect(await challengeRecords(test, 'a.shared.example')).toEqual([]);
      expect((await secretCertificate(test, 'labelled-tls', 'tenant')).serialNumber).toBe(serialNumber);

      await test.apply(sharedZone());
      await revisionAfter(test, old, 'labelled', 'tenant');
      await leavesNothing(test, 'a.shared.example');
    });

    it('is issued twenty times at once', async () => {
      const test = theStack();
      const many = Array.from({ length: 20 }, (_, n) => certificateObject(`many-${n}`, [`m${n}.site.example`]));
      await issue(test, ...many);
      await leavesNothing(test, 'm0.site.example');
    });
  });

  describe.concurrent('the solver', () => {
    it('loses none of 100 values that arrive at one name at once, and removes each again', async ({ expect }) => {
      const test = theStack();
      const client = await connectChallenges(test.stack.issuance?.certManagerKubeconfig ?? '', 100);
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
      const served = async () => (await test.dig('_acme-challenge.hundred.site.example', 'TXT', '+tcp')).length;
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
