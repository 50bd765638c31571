// cert-manager renews the solver's serving certificate while the solver works.
import { connect } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { renew, revisionAfter, secretCertificate } from '../../support/cert-manager/certificates.ts';
import { connectChallenges } from '../../support/cert-manager/challenge-client.ts';
import type { TestStack } from '../../support/stack/stack.ts';
import { untilIs } from '../../support/time/until.ts';

const LOOPS = 8;
/** The answers that the loops get with the new certificate. */
const AFTER = 20 * LOOPS;
const PATIENCE = { timeout: 100_000, interval: 1_000 };

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
  test("the solver's serving certificate is renewed and loaded without a dropped request", async () => {
    const stack = theStack();
    const { issuance } = stack.stack;
    if (!issuance) throw new Error('the stack has no issuance');
    const client = await connectChallenges(issuance.certManagerKubeconfig, LOOPS);
    const served = () => secretCertificate(stack, 'zonestead-solver-tls', 'zonestead');
    // cert-manager may have issued it again since the solver started.
    const before = await vi.waitFor(async () => {
      await issuance.refreshSolverTls();
      const shown = await shownBy(issuance.solverPort);
      expect((await served()).serialNumber).toBe(shown);
      return shown;
    }, PATIENCE);
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
      const old = await renew(stack, 'zonestead-solver', 'zonestead');
      await revisionAfter(stack, old, 'zonestead-solver', 'zonestead');
      // cert-manager may issue another certificate meanwhile, so compare with the Secret at that time.
      const takenUp = async () => {
        await issuance.refreshSolverTls();
        const { serialNumber } = await served();
        expect(serialNumber).not.toBe(before);
        expect(await shownBy(issuance.solverPort)).toBe(serialNumber);
      };
      await vi.waitFor(takenUp, PATIENCE);
      // Discovery and the open connections of kube-apiserver keep working with the new certificate.
      const since = answered;
      await untilIs(
        'answers with the new certificate',
        () => answered - since,
        (more) => more > AFTER,
      );
    } finally {
      going = false;
      await Promise.all(loops);
      await client.close();
    }
    expect(failures).toEqual([]);
    await stack.kubectl(
      'wait',
      '--for=condition=Available',
      '--timeout=115s',
      'apiservice/v1alpha1.acme.zonestead.dev',
    );
  });
}
