// cert-manager without the solver: its built-in acme-dns provider with the API's acme-dns endpoint.
import { describe, expect, test } from 'vitest';
import { certificateObject, issue, namesIn } from '../../support/cert-manager/certificates.ts';
import { recordObject, type TestStack, zoneObject } from '../../support/stack/stack.ts';

interface ClusterIssuer {
  spec: { acme: { server: string; caBundle: string } };
}

export function besideTheSolver(theStack: () => TestStack): void {
  describe.concurrent("cert-manager's built-in acmeDNS solver", () => {
    test("cert-manager's built-in acmeDNS solver gets a certificate through the endpoint for a name whose challenges are delegated to it", async () => {
      const stack = theStack();
      const { url, keys } = stack.stack.service;
      // No grant is needed, because the solver is not involved.
      await stack.apply(zoneObject('outside', 'outside.example'));
      await stack.ready('zdz/outside');
      // In the same zone: the CA of the test asks the name server itself, which follows a CNAME to no other zone, as a
      // resolver would.
      const basic = Buffer.from(`auth.outside.example:${keys.first.key}`).toString('base64');
      const authorization = `Basic ${basic}`;
      const answer = await fetch(`${url}/acme/acme-dns/register`, { method: 'POST', headers: { authorization } });
      expect(answer.status).toBe(201);
      const account = (await answer.json()) as { fulldomain: string };
      const delegation = { name: '_acme-challenge.www', type: 'CNAME', content: account.fulldomain };
      const { spec } = JSON.parse(
        await stack.kubectl('get', 'clusterissuer', 'zonestead', '-o', 'json'),
      ) as ClusterIssuer;
      const { server, caBundle } = spec.acme;
      await stack.apply(recordObject('delegation', 'outside', delegation), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'acme-dns', namespace: 'default' },
        stringData: { 'accounts.json': JSON.stringify({ 'www.outside.example': account }) },
      });
      await stack.ready('zdr/delegation');
      const acmeDNS = {
        host: `${url}/acme/acme-dns`,
        accountSecretRef: { name: 'acme-dns', key: 'accounts.json' },
      };
      await stack.apply({
        apiVersion: 'cert-manager.io/v1',
        kind: 'Issuer',
        metadata: { name: 'acme-dns', namespace: 'default' },
        spec: {
          acme: {
            ...{ server, caBundle, privateKeySecretRef: { name: 'acme-dns-account' } },
            solvers: [{ waitInsteadOfSelfCheck: '1s', dns01: { acmeDNS } }],
          },
        },
      });
      const issuer = { kind: 'Issuer', name: 'acme-dns' };
      await issue(stack, certificateObject('beside', ['www.outside.example'], 'default', issuer));
      expect(await namesIn(stack, 'beside')).toEqual(['www.outside.example']);
    });
  });
}
