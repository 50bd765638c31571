// The certificate that the solver makes for itself, and keeps for all its replicas.
import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ResourceType } from '../../../src/kube/resource.ts';
import { type OwnCertificate, renewed } from '../../../src/solver/own-certificate.ts';
import { ownCertificate, serviceHosts } from '../../../src/solver/own-serving.ts';
import { memoryApi } from '../../support/memory-api.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const DAY = 86_400_000;
const later = (days: number) => new Date(NOW.getTime() + days * DAY);
const hosts = serviceHosts('zonestead-solver', 'dns');
const { signal } = new AbortController();
const pems = (text: string) => text.match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g) ?? [];

function expectBelieved({ certificate, authorities }: Pick<OwnCertificate, 'certificate' | 'authorities'>) {
  const leaf = new X509Certificate(certificate);
  const issuers = pems(authorities).map((pem) => new X509Certificate(pem));
  expect(issuers.some((issuer) => leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey))).toBe(true);
}

it('is good for the name that kube-apiserver checks, from an authority of its own', async () => {
  const made = await renewed(undefined, hosts, NOW);
  const leaf = new X509Certificate(made.certificate);
  // Kubernetes checks <service>.<namespace>.svc (kube-aggregator, proxy handler).
  expect(leaf.checkHost('zonestead-solver.dns.svc')).toBe('zonestead-solver.dns.svc');
  expect(leaf.checkHost('other.dns.svc')).toBeUndefined();
  expect([leaf.ca, new X509Certificate(made.authorities).ca]).toEqual([false, true]);
  expectBelieved(made);
});

it('stays until a month before its end, and gets a new key then from the same authority', async () => {
  const first = await renewed(undefined, hosts, NOW);
  expect(await renewed(first, hosts, later(59))).toBe(first);
  const next = await renewed(first, hosts, later(61));
  expect(next.authorities).toBe(first.authorities);
  expect(next.key).not.toBe(first.key);
  expectBelieved(next);
});

it('is made anew for another name, and when what is kept is damaged', async () => {
  const first = await renewed(undefined, hosts, NOW);
  const renamed = await renewed(first, serviceHosts('other', 'dns'), NOW);
  expect(new X509Certificate(renamed.certificate).checkHost('other.dns.svc')).toBe('other.dns.svc');
  const damages = [{ key: 'half a' }, { certificate: '' }, { authorityKey: '' }, { authorities: 'x' }];
  for (const damage of damages) expectBelieved(await renewed({ ...first, ...damage }, hosts, NOW));
});

it('has the authority before believed beside the new one, for replicas that still serve with its certificate', async () => {
  const first = await renewed(undefined, hosts, NOW);
  const next = await renewed(first, hosts, later(3_625));
  expect(pems(next.authorities)).toHaveLength(2);
  expectBelieved({ certificate: first.certificate, authorities: next.authorities });
  expectBelieved(next);
  // Ten years on, the first one has ended.
  expect(pems((await renewed(next, hosts, later(7_250))).authorities)).toHaveLength(2);
});

const APISERVICES: ResourceType = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  plural: 'apiservices',
  kind: 'APIService',
  namespaced: false,
};

it('is shared by all replicas, and kube-apiserver learns its authority before anybody serves with it', async () => {
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
  expectBelieved({ ...one, authorities: Buffer.from(spec.caBundle, 'base64').toString() });
  const before = writes.length;
  await ownCertificate(own, signal);
  expect(writes).toHaveLength(before);
});

it('is not served while kube-apiserver cannot be told', async () => {
  const { api } = memoryApi();
  const own = { api, at: { namespace: 'dns', name: 'tls' }, hosts, now: () => NOW };
  await expect(ownCertificate(own, signal)).rejects.toThrow('apiservices v1alpha1.acme.zonestead.dev not found');
});
