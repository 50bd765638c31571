// The certificate that the solver makes for itself and shares with all its replicas.
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { type OwnCertificate, renewed } from '#kube/certificates/own-certificate.ts';
import { keepOwnCertificate, serviceHosts } from '#kube/certificates/own-secret.ts';
import type { ResourceType } from '#kube/objects/resource.ts';
import { ownCertificate } from '#solver/own-serving.ts';
import { memoryApi } from '../../support/kube/memory-api.ts';

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

test('the certificate is valid for the name that kube-apiserver checks, and has an authority of its own', async () => {
  const made = await renewed(undefined, { hosts, now: NOW });
  const leaf = new X509Certificate(made.certificate);
  // Kubernetes checks <service>.<namespace>.svc (kube-aggregator, proxy handler).
  expect(leaf.checkHost('zonestead-solver.dns.svc')).toBe('zonestead-solver.dns.svc');
  expect(leaf.checkHost('other.dns.svc')).toBeUndefined();
  expect([leaf.ca, new X509Certificate(made.authorities).ca]).toEqual([false, true]);
  expectTrusted(made);
});

test('the certificate stays until a month before it expires, and is then replaced with a new key by the same authority', async () => {
  const first = await renewed(undefined, { hosts, now: NOW });
  expect(await renewed(first, { hosts, now: later(59) })).toBe(first);
  const next = await renewed(first, { hosts, now: later(61) });
  expect(next.authorities).toBe(first.authorities);
  expect(next.key).not.toBe(first.key);
  expectTrusted(next);
});

test('the certificate is made again for another name, and if the stored one is damaged', async () => {
  const first = await renewed(undefined, { hosts, now: NOW });
  const renamed = await renewed(first, { hosts: serviceHosts('other', 'dns'), now: NOW });
  expect(new X509Certificate(renamed.certificate).checkHost('other.dns.svc')).toBe('other.dns.svc');
  const damages = [{ key: 'half a' }, { certificate: '' }, { authorityKey: '' }, { authorities: 'x' }];
  for (const damage of damages) expectTrusted(await renewed({ ...first, ...damage }, { hosts, now: NOW }));
});

test('the former authority stays trusted with the new one, for replicas that still serve with its certificate', async () => {
  const first = await renewed(undefined, { hosts, now: NOW });
  const next = await renewed(first, { hosts, now: later(3_625) });
  expect(pems(next.authorities)).toHaveLength(2);
  expectTrusted({ certificate: first.certificate, authorities: next.authorities });
  expectTrusted(next);
  // After ten years the first authority has expired.
  expect(pems((await renewed(next, { hosts, now: later(7_250) })).authorities)).toHaveLength(2);
});

test('a new authority is trusted for a day before it signs, for clients that learn of it later than the server', async () => {
  const announceMs = DAY;
  const first = await renewed(undefined, { hosts, now: NOW, announceMs });
  const soon = await renewed(first, { hosts, now: later(3_615), announceMs });
  expect(pems(soon.authorities)).toEqual(pems(first.authorities));
  const announced = await renewed(soon, { hosts, now: later(3_621), announceMs });
  expect(pems(announced.authorities)).toHaveLength(2);
  expectTrusted({ certificate: announced.certificate, authorities: first.authorities });
  const waiting = await renewed(announced, { hosts, now: later(3_621.9), announceMs });
  expect(waiting.authorities).toBe(announced.authorities);
  const signed = await renewed(announced, { hosts, now: later(3_622), announceMs });
  // Clients that have not read the bundle since the announcement trust the certificate, and so do those that read it
  // now.
  expectTrusted({ certificate: signed.certificate, authorities: announced.authorities });
  expect(() => expectTrusted({ certificate: signed.certificate, authorities: first.authorities })).toThrow();
  expect(pems(signed.authorities).toReversed()).toEqual(pems(announced.authorities));
  expect(await renewed(signed, { hosts, now: later(3_623), announceMs })).toBe(signed);
});

test('an expired authority is replaced at once, and no certificate outlives its authority', async () => {
  const announceMs = DAY;
  const first = await renewed(undefined, { hosts, now: NOW, announceMs });
  expectTrusted(await renewed(first, { hosts, now: later(3_651), announceMs }));
  const last = await renewed(first, { hosts, now: later(3_619), announceMs });
  expect(new X509Certificate(last.certificate).validToDate).toEqual(later(3_650));
});

test('the certificate is also for addresses', async () => {
  const made = await renewed(undefined, { hosts: ['localhost', '127.0.0.1'], now: NOW });
  expect(new X509Certificate(made.certificate).checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(await renewed(made, { hosts: ['localhost', '127.0.0.1'], now: NOW })).toBe(made);
  expect(await renewed(made, { hosts: ['127.0.0.2'], now: NOW })).not.toBe(made);
});

const APISERVICES: ResourceType = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  plural: 'apiservices',
  kind: 'APIService',
  namespaced: false,
};

test('all replicas share the certificate, and kube-apiserver gets its authority before a replica serves with it', async () => {
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

test('the certificate is not served while the APIService cannot be written', async () => {
  const { api } = memoryApi();
  const own = { api, at: { namespace: 'dns', name: 'tls' }, hosts, now: () => NOW };
  await expect(ownCertificate(own, signal)).rejects.toThrow('apiservices v1alpha1.acme.zonestead.dev not found');
});

test('a certificate is valid since an hour, so that a client whose clock is behind accepts it', async () => {
  const { certificate, authorities } = await renewed(undefined, { hosts, now: NOW });
  const hourBefore = new Date(NOW.getTime() - 3_600_000);
  for (const pem of [certificate, authorities]) expect(new X509Certificate(pem).validFromDate).toEqual(hourBefore);
});

test('a replica whose clock is up to an hour behind keeps the certificate of another one', async () => {
  const made = await renewed(undefined, { hosts, now: NOW });
  expect(await renewed(made, { hosts, now: new Date(NOW.getTime() - 7_100_000) })).toBe(made);
  expect(await renewed(made, { hosts, now: new Date(NOW.getTime() - 7_300_000) })).not.toBe(made);
});

test.each([
  [2 * 3_600_000, '120 minutes ahead of'],
  [-90 * DAY, '129600 minutes behind'],
])(
  'a process whose clock differs by %i ms from that of kube-apiserver replaces no certificate, and says so',
  async (difference, words) => {
    const { api, objects } = memoryApi();
    const at = { namespace: 'dns', name: 'tls' };
    const keep = (now: Date, clockDifference: () => number | null) =>
      keepOwnCertificate(api, at, { hosts, now, clockDifference }, signal);
    const made = await keep(NOW, () => 3_500_000);
    const before = objects.get('secrets dns/tls');
    const off = () => keep(new Date(NOW.getTime() + 100 * DAY), () => difference);
    await expect(off()).rejects.toThrow(
      `the clock of this machine is ${words} that of kube-apiserver, so no certificate is made: correct the clock that is wrong`,
    );
    expect(objects.get('secrets dns/tls')).toBe(before);
    // A certificate that needs no replacement is used with any clock.
    expect(await keep(NOW, () => difference)).toEqual(made);
  },
);
