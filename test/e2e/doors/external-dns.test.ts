// external-dns' own providers pdns and rfc2136 make zones like DNSEndpoints of a real kube-apiserver, at the protocol's
// own server and at ours. They change only records that their TXT registry names. At ours, the key may do only what the
// provider needs.
import { test } from 'vitest';
import { readSteps } from '#cli/import/read.ts';
import { useRegistry } from '#cli/import/registry.ts';
import { parseZoneFileSource } from '#cli/import/sources/zone-file.ts';
import { updateKey } from '../../support/doors/dns-update/client.ts';
import { runScript } from '../../support/doors/dns-update/primary.ts';
import { powerDnsClient, replace } from '../../support/doors/powerdns/client.ts';
import { runClient } from '../../support/doors/run.ts';
import { powerDnsServers, secretOf, updateServers } from '../../support/doors/servers.ts';
import { startDnsEndpointCluster } from '../../support/external-dns/dnsendpoint-cluster.ts';
import { ensureExternalDns } from '../../support/external-dns/external-dns.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const { command, crd } = await ensureExternalDns(new AbortController().signal);
const folder = await temporaryFolder('external-dns');
const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });
const cluster = await startDnsEndpointCluster(folder, crd);
const BY_API = 'external-api.example';
const BY_UPDATES = 'external-update.example';
const powerDns = await powerDnsServers(service, [BY_API]);
const updates = await updateServers(service, [BY_UPDATES]);

/** Everything in one zone, and nothing else. */
async function narrow(zone: string) {
  const [row] = await service.sql`select id from zones where name = ${zone}`;
  return { records: 'none', manageZones: 'none', grants: { [row?.id]: 'write' } } as const;
}
const types = ['A', 'AAAA', 'CNAME', 'TXT'];
const apiKey = (await service.key({ ...(await narrow(BY_API)), onlyTypes: types })).text;
// A transfer needs a key that may read all records of the zone.
const tsigKey = await updateKey(service, await narrow(BY_UPDATES));

const cases = [
  ...powerDns.map(({ title, url, key, records }) => ({
    ...{ title, records, zone: BY_API, provider: 'pdns' },
    args: [`--pdns-server=${url}`, `--pdns-api-key=${title === 'Zonestead' ? apiKey : key}`],
    add: async (name: string, address: string) => {
      const rrset = replace(`${name}.${BY_API}.`, 'A', [address]);
      await powerDnsClient(url, key)('PATCH', `/zones/${BY_API}.`, { rrsets: [rrset] });
    },
  })),
  ...updates.map(({ title, port, key: first, records }) => {
    const key = title === 'Zonestead' ? tsigKey : first;
    return {
      ...{ title, records, zone: BY_UPDATES, provider: 'rfc2136' },
      args: [
        ...['--rfc2136-host=127.0.0.1', `--rfc2136-port=${port}`, `--rfc2136-zone=${BY_UPDATES}`],
        ...['--rfc2136-tsig-axfr', `--rfc2136-tsig-keyname=${key.name}`],
        ...[`--rfc2136-tsig-secret=${secretOf(key)}`, `--rfc2136-tsig-secret-alg=${key.algorithm}`],
      ],
      add: async (name: string, address: string) => {
        const lines = [`update add ${name}.${BY_UPDATES} 300 A ${address}`, 'send'];
        await runScript('nsupdate', { port, key: first, zone: BY_UPDATES }, lines);
      },
    };
  }),
];

interface Wanted {
  name: string;
  type: string;
  targets: readonly string[];
}
const FIRST: Wanted[] = [
  { name: 'www', type: 'A', targets: ['192.0.2.1', '192.0.2.2'] },
  { name: 'six', type: 'AAAA', targets: ['2001:db8::1'] },
  { name: 'alias', type: 'CNAME', targets: ['target.example.net'] },
];
/** One name is changed, one is gone and one is new. */
const SECOND: Wanted[] = [
  { name: 'www', type: 'A', targets: ['192.0.2.2', '192.0.2.3'] },
  { name: 'alias', type: 'CNAME', targets: ['other.example.net'] },
  { name: 'new', type: 'A', targets: ['192.0.2.4'] },
];
/**
 * Another owner has this name. The provider rfc2136 continues without records when a transfer takes longer than 2 s,
 * and would then add this one.
 */
const TAKEN: Wanted = { name: 'taken', type: 'A', targets: ['192.0.2.66'] };

/** A namespace with a DNSEndpoint for each zone. */
const objects = (namespace: string, wanted: readonly Wanted[]) => [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  ...[BY_API, BY_UPDATES].map((zone) => ({
    apiVersion: 'externaldns.k8s.io/v1alpha1',
    kind: 'DNSEndpoint',
    metadata: { namespace, name: zone },
    spec: {
      endpoints: [...wanted, ...(zone === BY_API ? [TAKEN] : [])].map(({ name, type, targets }) => ({
        dnsName: `${name}.${zone}`,
        recordType: type,
        recordTTL: 300,
        targets,
      })),
    },
  })),
];
/** The owner of each name in these lines of a zone file, after an import. */
function ownersIn(zone: string, lines: readonly string[]) {
  const steps = readSteps(parseZoneFileSource('zone', `${lines.join('\n')}\n`, zone), {
    defaultTtl: 3600,
    children: [],
  });
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { records } = useRegistry(step.value, {});
  return Object.fromEntries(records.map(({ record, owner }) => [record.name, owner]));
}
await cluster.apply(...objects('first', FIRST), ...objects('second', SECOND));
await cluster.kubectl('create', 'namespace', 'none');

test.concurrent.for(cases)(
  'external-dns, $provider, creates, changes and deletes its own records at $title',
  async ({ zone, provider, args, records, add }, { expect }) => {
    const run = (namespace: string) =>
      runClient(
        [command],
        [
          ...[`--provider=${provider}`, ...args, `--domain-filter=${zone}`, '--policy=sync'],
          ...['--registry=txt', '--txt-owner-id=cluster', '--source=crd', `--namespace=${namespace}`],
          ...['A', 'AAAA', 'CNAME'].map((type) => `--managed-record-types=${type}`),
          ...[`--kubeconfig=${cluster.kubeconfig}`, '--once', '--metrics-address=127.0.0.1:0'],
        ],
        { cwd: folder },
      );
    const isOfRegistry = (record: string) => record.includes('heritage=external-dns');
    /** A round, and the zone after it. external-dns comes again in the next round when an answer is late. */
    const round = async (namespace: string) => {
      const error = await run(namespace).then(() => null, String);
      const all = await records(zone);
      return {
        error,
        records: all.filter((record) => !isOfRegistry(record)),
        registered: all.filter(isOfRegistry).map((record) => record.split('.')[0]),
      };
    };
    const rounds = (namespace: string) => expect.poll(() => round(namespace), { timeout: 200_000, interval: 500 });
    await add('taken', '192.0.2.9');
    const others = [`taken.${zone}. 300 A 192.0.2.9`];

    await rounds('first').toEqual({
      error: null,
      records: [
        `alias.${zone}. 300 CNAME target.example.net.`,
        `six.${zone}. 300 AAAA 2001:db8::1`,
        ...others,
        `www.${zone}. 300 A 192.0.2.1`,
        `www.${zone}. 300 A 192.0.2.2`,
      ],
      registered: ['a-www', 'aaaa-six', 'cname-alias'],
    });
    await expect.poll(() => run('first').catch(String)).toContain('All records are already up to date');
    await rounds('second').toEqual({
      error: null,
      records: [
        `alias.${zone}. 300 CNAME other.example.net.`,
        `new.${zone}. 300 A 192.0.2.4`,
        ...others,
        `www.${zone}. 300 A 192.0.2.2`,
        `www.${zone}. 300 A 192.0.2.3`,
      ],
      registered: ['a-new', 'a-www', 'cname-alias'],
    });
    // `zonestead import --external-dns` makes owners of this registry.
    const object = `external-dns:cluster/crd/second/${zone}`;
    expect(ownersIn(zone, await records(zone))).toEqual({ alias: object, new: object, taken: undefined, www: object });
    await rounds('none').toEqual({ error: null, records: others, registered: [] });
  },
);
