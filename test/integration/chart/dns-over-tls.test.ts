// DNS over TLS in the chart: the certificate, the ports and the policies of name servers and edges.
import { expect, test } from 'vitest';
import { one, type Rendered, render, type Values } from '../../support/chart/chart.ts';
import { letsIn, toTarget } from '../../support/chart/network-policies.ts';

const tls = { knot: { tls: { existingSecret: 'dns-tls' } } };
const PUBLIC: Values = { networkPolicy: { enabled: true } };
const STRANGER = { pod: { app: 'stranger' }, namespace: { 'kubernetes.io/metadata.name': 'tenant' } };
const OWN = { 'kubernetes.io/metadata.name': 'zonestead' };

const podOf = (objects: readonly Rendered[], component: string) =>
  one(objects, 'StatefulSet', `zonestead-${component}`).spec.template.spec;
const portsOf = (objects: readonly Rendered[], name: string) =>
  (one(objects, 'Service', name).spec.ports as { name: string; port: number; protocol: string }[])
    .filter((each) => each.name === 'dns-tls')
    .map(({ port, protocol }) => `${port}/${protocol}`);
const reaches = (objects: readonly Rendered[], component: string) =>
  letsIn(
    objects,
    toTarget(one(objects, 'StatefulSet', `zonestead-${component}`)),
    { number: 8853, protocol: 'TCP' },
    STRANGER,
    OWN,
  );

test('without a certificate, nothing of the release speaks of DNS over TLS', async () => {
  expect(JSON.stringify(await render({ ...PUBLIC, edge: { enabled: true } }))).not.toMatch(/dns-tls|KNOT_TLS/);
});

test.each([
  ['nameserver', { nameserver: tls }, ['knot', 'nameserver']],
  ['edge', { edge: { ...tls, enabled: true } }, ['knot']],
] as const)(
  'with a certificate, each %s answers over TLS at port 853 of the DNS Service',
  async (component, values, names) => {
    const objects = await render({ ...PUBLIC, ...values });
    const { containers, volumes } = podOf(objects, component);
    const secret = volumes.find(({ name }: Rendered) => name === 'dns-tls')?.secret;
    expect(secret).toEqual({
      secretName: 'dns-tls',
      defaultMode: 0o440,
      items: ['tls.crt', 'tls.key'].map((key) => ({ key, path: key })),
    });
    for (const name of names) {
      const { env, volumeMounts } = containers.find((each: Rendered) => each.name === name);
      expect(env).toEqual(
        expect.arrayContaining([
          { name: 'ZONESTEAD_KNOT_TLS_CERT_FILE', value: '/etc/zonestead/dns-tls/tls.crt' },
          { name: 'ZONESTEAD_KNOT_TLS_KEY_FILE', value: '/etc/zonestead/dns-tls/tls.key' },
          { name: 'ZONESTEAD_KNOT_TLS_PORT', value: '8853' },
        ]),
      );
      // The kubelet does not renew a file that is mounted with a subPath.
      expect(volumeMounts).toContainEqual({ name: 'dns-tls', mountPath: '/etc/zonestead/dns-tls', readOnly: true });
    }
    expect(portsOf(objects, 'zonestead-dns')).toEqual(['853/TCP']);
    expect(reaches(objects, component)).toBe(true);
  },
);

test('with two DNS Services, that of TCP has the port of DNS over TLS', async () => {
  const objects = await render({ nameserver: tls, dns: { service: { split: true, tlsPort: 8530 } } });
  expect(portsOf(objects, 'zonestead-dns')).toEqual([]);
  expect(portsOf(objects, 'zonestead-dns-tcp')).toEqual(['8530/TCP']);
});

test('the certificate of hidden name servers is not that of the DNS Service', async () => {
  const objects = await render({ nameserver: tls, edge: { enabled: true } });
  expect(portsOf(objects, 'zonestead-dns')).toEqual([]);
});
