// external-dns with --create-ptr: the PTR records of the addresses of DNSEndpoints reach the reverse zone and follow
// their addresses, through the webhook provider, and through the PowerDNS API as at a real PowerDNS.
import { afterAll, expect, test, vi } from 'vitest';
import { scenario } from '../../support/docs/scenario.ts';
import { runClient } from '../../support/doors/run.ts';
import { powerDnsServers } from '../../support/doors/servers.ts';
import { startDnsEndpointCluster } from '../../support/external-dns/dnsendpoint-cluster.ts';
import { type ExternalDns, ensureExternalDns, startExternalDns } from '../../support/external-dns/external-dns.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const { signal } = new AbortController();
const [, documented] = await scenario('external-dns');
const service = await startTestService();
const { command, crd } = await ensureExternalDns(signal);
const folder = await temporaryFolder('external-dns');
const cluster = await startDnsEndpointCluster(folder, crd);
const PATIENT = { timeout: 100_000, interval: 200 };
vi.setConfig({ testTimeout: 400_000 });
let webhook: ExternalDns | undefined;
afterAll(() => webhook?.stop());

const SIX = `1.0.0.0${'.0'.repeat(20)}`;
const six = (zone: string) => `${SIX}.${zone}`;
const addresses = (namespace: string, zone: string, wanted: Readonly<Record<string, readonly string[]>>) => ({
  apiVersion: 'externaldns.k8s.io/v1alpha1',
  kind: 'DNSEndpoint',
  metadata: { namespace, name: 'addresses' },
  spec: {
    endpoints: Object.entries(wanted).map(([name, targets]) => ({
      dnsName: `${name}.${zone}`,
      recordType: targets[0]?.includes(':') ? 'AAAA' : 'A',
      recordTTL: 300,
      targets,
    })),
  },
});

test('the webhook provider creates, changes and deletes the PTR records of addresses', async () => {
  const [four, ip6] = ['100.51.198.in-addr.arpa', '8.b.d.0.1.0.0.2.ip6.arpa'];
  for (const name of ['hooked.example', four, ip6]) await service.zone(name);
  await cluster.kubectl('create', 'namespace', 'hooked');
  const key = (await service.key({ manageZones: 'none' })).text;
  const common = { command, documented: documented?.text ?? '', kubeconfig: cluster.kubeconfig, url: service.url };
  webhook = await startExternalDns({ ...common, key, owner: 'hooked', stateDir: folder, signal });
  const pointers = async (name: string) => (await service.dns.lookup(name, 'PTR')).answers;
  const apply = (wanted: Readonly<Record<string, readonly string[]>>) =>
    cluster.apply(addresses('hooked', 'hooked.example', wanted));

  await apply({ www: ['198.51.100.1', '198.51.100.2'], web: ['198.51.100.2'], six: ['2001:db8::1'] });
  await expect.poll(() => pointers(`1.${four}`), PATIENT).toEqual([`1.${four} 300 PTR www.hooked.example`]);
  await expect
    .poll(() => pointers(`2.${four}`), PATIENT)
    .toEqual([`2.${four} 300 PTR web.hooked.example`, `2.${four} 300 PTR www.hooked.example`]);
  await expect.poll(() => pointers(six(ip6)), PATIENT).toEqual([`${six(ip6)} 300 PTR six.hooked.example`]);
  // A round without changes writes nothing.
  const rows = () => service.sql`select id, xmin::text from records order by id`;
  const before = await rows();
  const rounds = await webhook.rounds();
  await expect.poll(() => webhook?.rounds(), PATIENT).toBeGreaterThan(rounds + 2);
  expect(await rows()).toEqual(before);

  await apply({ www: ['198.51.100.3'], six: ['2001:db8::1'] });
  await expect.poll(() => pointers(`3.${four}`), PATIENT).toEqual([`3.${four} 300 PTR www.hooked.example`]);
  await expect.poll(() => pointers(`1.${four}`), PATIENT).toEqual([]);
  await expect.poll(() => pointers(`2.${four}`), PATIENT).toEqual([]);
  await cluster.kubectl('-n', 'hooked', 'delete', 'dnsendpoint', 'addresses');
  await expect.poll(() => pointers(`3.${four}`), PATIENT).toEqual([]);
  await expect.poll(() => pointers(six(ip6)), PATIENT).toEqual([]);
});

const FORWARD = 'pdns-forward.example';
const REVERSE = '2.0.192.in-addr.arpa';
const servers = await powerDnsServers(service, [FORWARD, REVERSE]);
for (const [namespace, wanted] of [
  ['first', { www: ['192.0.2.1', '192.0.2.2'], web: ['192.0.2.2'] }],
  ['second', { www: ['192.0.2.2', '192.0.2.3'] }],
] as const) {
  await cluster.kubectl('create', 'namespace', namespace);
  await cluster.apply(addresses(namespace, FORWARD, wanted));
}
await cluster.kubectl('create', 'namespace', 'nothing');

test.concurrent.for(servers)(
  'the provider pdns creates, changes and deletes PTR records at $title',
  async ({ url, key, records }, { expect: expectOf }) => {
    const round = async (namespace: string) => {
      const filters = [FORWARD, REVERSE].map((zone) => `--domain-filter=${zone}`);
      const types = ['A', 'AAAA', 'CNAME', 'PTR'].map((type) => `--managed-record-types=${type}`);
      const args = [
        ...['--provider=pdns', `--pdns-server=${url}`, `--pdns-api-key=${key}`, ...filters, '--policy=sync'],
        ...['--registry=txt', '--txt-owner-id=cluster', '--source=crd', `--namespace=${namespace}`],
        ...[...types, '--create-ptr', `--kubeconfig=${cluster.kubeconfig}`, '--once', '--metrics-address=127.0.0.1:0'],
      ];
      await runClient([command], args, { cwd: folder }).catch(() => undefined);
      return (await records(REVERSE)).filter((record) => !record.includes('heritage=external-dns'));
    };
    const rounds = (namespace: string) => expectOf.poll(() => round(namespace), { timeout: 200_000, interval: 500 });
    const pointer = (host: number, name: string) => `${host}.${REVERSE}. 300 PTR ${name}.${FORWARD}.`;
    await rounds('first').toEqual([pointer(1, 'www'), pointer(2, 'web'), pointer(2, 'www')]);
    await rounds('second').toEqual([pointer(2, 'www'), pointer(3, 'www')]);
    await rounds('nothing').toEqual([]);
  },
);
