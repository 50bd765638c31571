// cert-manager renews the solver's serving certificate while the solver works.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { renew, revisionAfter, secretCertificate } from '../../support/certificates.ts';
import { connectChallenges } from '../../support/challenge-client.ts';
import type { TestStack } from '../../support/stack.ts';

const LOOPS = 8;

/** The serial number of the certificate that the solver serves. */
function shownBy(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

export function rotatesUnnoticed(theStack: () => TestStack): void {
  describe("the solver's serving certificate", () => {
    it('is renewed and loaded without a dropped request', async () => {
      const test = theStack();
      const { issuance } = test.stack;
      if (!issuance) throw new Error('the stack has no issuance');
      const client = await connectChallenges(issuance.certManagerKubeconfig, LOOPS);
      const served = () => secretCertificate(test, 'zonestead-solver-tls', 'zonestead');
      const before = await shownBy(issuance.solverPort);
      expect((await served()).serialNumber).toBe(before);
      let answered = 0;
      let going = true;
      const failures: string[] = [];
      const loops = Array.from({ length: LOOPS }, async (_, at) => {
        while (going) {
          await client
            .send('CleanUp', `nothing-${at}.site.example`, 'never-there')
            .catch((error) => failures.push(String(error)));
          answered += 1;
        }
      });
      try {
        const old = await renew(test, 'zonestead-solver', 'zonestead');
        await revisionAfter(test, old, 'zonestead-solver', 'zonestead');
        // cert-manager may issue another certificate meanwhile, so compare with the Secret at that time.
        const takenUp = async () => {
          await issuance.refreshSolverTls();
          const { serialNumber } = await served();
          expect(serialNumber).not.toBe(before);
          expect(await shownBy(issuance.solverPort)).toBe(serialNumber);
        };
        await vi.waitFor(takenUp, { timeout: 20_000, interval: 1_000 });
        // Discovery and the open connections of kube-apiserver keep working with the new certificate.
        await sleep(1_000);
      } finally {
        going = false;
        await Promise.all(loops);
        await client.close();
      }
      expect(failures).toEqual([]);
      expect(answered).toBeGreaterThan(LOOPS * 10);
      const available = await test.kubectl(
        'get',
        'apiservice',
        'v1alpha1.acme.zonestead.dev',
        '-o',
        'jsonpath={.status.conditions[?(@.type=="Available")].status}',
      );
      expect(available).toBe('True');
    });
  });
}
