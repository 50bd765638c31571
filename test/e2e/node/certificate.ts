// A certificate for the zone of the examples, through cert-manager, Pebble and the release's solver, all of them pods:
// word for word what deploy/examples says.
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { PROJECT } from '../../../deploy/image/parts.ts';
import type { TestCluster } from '../../support/kubelet/cluster.ts';
import { startIssuance } from '../../support/kubelet/issuance.ts';
import type { Release } from '../../support/kubelet/release.ts';

const EXAMPLES = join(PROJECT, 'deploy/examples');
const NAMESPACE = 'shop';
const LIMIT = '--timeout=240s';

/** cert-manager comes after the solver: that one has to take notice by itself. */
export async function issuesCertificate(cluster: TestCluster, release: Release): Promise<void> {
  await startIssuance(cluster, release);
  const kubectl = (...args: string[]) => cluster.kubectl('-n', NAMESPACE, ...args);
  await cluster.kubectl('create', 'namespace', NAMESPACE);
  await kubectl('apply', '-f', join(EXAMPLES, 'quickstart.yaml'));
  const startedAt = performance.now();
  await kubectl('apply', '-f', join(EXAMPLES, 'certificate.yaml'));
  await kubectl('wait', '--for=condition=Ready', LIMIT, 'certificate/quickstart');
  process.stdout.write(`a Certificate in the cluster: ${Math.round(performance.now() - startedAt) / 1_000} s\n`);
  const text = await kubectl('get', 'secret', 'quickstart-tls', '-o=jsonpath={.data.tls\\.crt}');
  const { subjectAltName, issuer } = new X509Certificate(Buffer.from(text, 'base64'));
  expect(subjectAltName?.split(', ').sort()).toEqual(['DNS:*.quickstart.example', 'DNS:quickstart.example']);
  expect(issuer).toMatch(/Pebble/);
  const left = () => kubectl('get', 'zdr', '-l', 'app.kubernetes.io/managed-by=zonestead-solver', '-o=name');
  await expect.poll(left, { timeout: 240_000, interval: 500 }).toBe('');
  await expect
    .poll(async () => (await release.dns.lookup('_acme-challenge.quickstart.example', 'TXT')).rcode)
    .toBe('NXDOMAIN');
  await cluster.kubectl('delete', 'namespace', NAMESPACE, LIMIT);
}
