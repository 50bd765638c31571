// The certificate that the solver makes for itself and shares with all its replicas.
import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ResourceType } from '#kube/objects/resource.ts';
import { type OwnCertificate, renewed } from '#solver/own-certificate.ts';
import { ownCertificate, serviceHosts } from '#solver/own-serving.ts';
import { memoryApi } from '../../support/memory-api.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const DAY = 86_400_000;
const later = (days: number) => new Date(NOW.getTime() + days * DAY);
const hosts = serviceHosts('zonestead-solver', 'dns');
const { signal } = new AbortController();
const pems = (text: string) => text.match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g) ?? [];

function expectTrusted({ certificate, authorities }: Pick<OwnCertificate, 'certificate' | 'authorities'>) {
  const leaf = new X509Certificate(certificate);
  const issuers = pems(authorities).map((pem) => new X509Certificate(pem));
  expect(issuers.some((issuer) => leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey))).toBe(true);
}

it('The certificate is valid for the name that kube-apiserver checks, and has an authority of its own', async () => {
  const made = await renewed(undefined, hosts, NOW);
  const leaf = new X509Certificate(made.certificate);
  // Kubernetes checks <service>.<namespace>.svc (kube-aggregator, proxy handler).
  expect(leaf.checkHost('zonestead-solver.dns.svc')).toBe('zonestead-solver.dns.svc');
  expect(leaf.checkHost('other.dns.svc')).toBeUndefined();
  expect([leaf.ca, new X509Certificate(made.authorities).ca]).toEqual([false, true]);
  expectTrusted(made);
});

it('The certificate stays until a month before it expires, and is then replaced with a new key by the same authority', async () => {
  const first = await renewed(undefined, hosts, NOW);
  expect(await renewed(first, hosts, later(59))).toBe(first);
  const next = await renewed(first, hosts, later(61));
  expect(next.authorities).toBe(first.authorities);
  expect(next.key).not.toBe(first.key);
  expectTrusted(next);
});

it('The certificate is made again for another name, and if the stored one is damaged', async () => {
  const first = await renewed(undefined, hosts, NOW);
  const renamed = await renewed(first, serviceHosts('other', 'dns'), NOW);
  expect(new X509Certificate(renamed.certificate).checkHost('other.dns.svc')).toBe('other.dns.svc');
  const damages = [{ key: 'half a' }, { certificate: '' }, { authorityKey: '' }, { authorities: 'x' }];
  for (const damage of damages) expectTrusted(await renewed({ ...first, ...damage }, hosts, NOW));
});

it('The former authority stays trusted with the new one, for replicas that still serve with its certificate', async () => {
  const first = await renewed(undefined, hosts, NOW);
  const next = await renewed(first, hosts, later(3_625));
  expect(pems(next.authorities)).toHaveLength(2);
  expectTrusted({ certificate: first.certificate, authorities: next.authorities });
  expectTrusted(next);
  // After ten years the first authority has expired.
  expect(pems((await renewed(next, hosts, later(7_250))).authorities)).toHaveLength(2);
});

const APISERVICES: ResourceType = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  plural: 'apiservices',
  kind: 'APIService',
  namespaced: false,
};

it('All replicas share the certificate, and kube-apiserver gets its authority before a replica serves with it', async () => {
  const { api, put, objects, writes } = memoryApi();
  put(APISERVICES, {
    apiVersion: 'v1',
    kind: 'APIService',
    metadata: { name: 'v1alpha1.acme.zonestead.dev' },
    spec: {},
  });
  const own = { api, at: { namespace: 'dns', name: 'tls' }, hosts, now: () => NOW };
  const [one, two] = await Promise.all([ownCertificate(own, signal), ownCertificate(own, signal)]);
  expect(one).toEqual(two);
  const { spec } = objects.get('apiservices v1alpha1.acme.zonestead.dev') as unknown as { spec: { caBundle: string } };
  expectTrusted({ ...one, authorities: Buffer.from(spec.caBundle, 'base64').toString() });
  const before = writes.length;
  await ownCertificate(own, signal);
  expect(writes).toHaveLength(before);
});

it('The certificate is not served while the APIService cannot be written', async () => {
  const { api } = memoryApi();
  const own = { api, at: { namespace: 'dns', name: 'tls' }, hosts, now: () => NOW };
  await expect(ownCertificate(own, signal)).rejects.toThrow('apiservices v1alpha1.acme.zonestead.dev not found');
});
