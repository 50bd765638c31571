// cert-manager's own test suite for DNS-01 solvers with the running chain.
import { describe, expect, test } from 'vitest';
import { challengeRecords } from '../../support/cert-manager/certificates.ts';
import { runConformance } from '../../support/cert-manager/conformance.ts';
import { type TestStack, zoneObject } from '../../support/stack/stack.ts';
import { untilNone } from '../../support/time/until.ts';

export function passesUpstreamsSuite(theStack: () => TestStack): void {
  describe.concurrent("cert-manager's own test suite", () => {
    test("cert-manager's own test suite passes, basic and extended, with the rights of its account and without any Challenge", async () => {
      const stack = theStack();
      const { issuance, service } = stack.stack;
      // The suite's namespace does not exist in this cluster, and its record name is not a challenge name.
      const target = ['cert-manager-dns01-tests'];
      const acme = { namespaces: { from: 'All' }, names: target, targets: target };
      await stack.apply(zoneObject('suite', 'suite.example', { acme }));
      await stack.ready('zdz/suite');
      const { code, tail } = await runConformance({
        kubeconfig: issuance?.certManagerKubeconfig ?? '',
        zone: 'suite.example.',
        dns: `${service.dns.address}:${service.dns.port}`,
      });
      expect(code, tail).toBe(0);
      expect(tail).toContain('--- PASS: TestSolver');
      await untilNone('the records of the suite to be gone', () => challengeRecords(stack, 'example.com'));
    });
  });
}
