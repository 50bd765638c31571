// dnscontrol makes zones like its configuration, through the PowerDNS API and through DNS updates, at the protocol's
// own server and at ours. It reads a zone first: by the API, or by a transfer with the key of the updates.
import { test } from 'vitest';
import { createResolver } from '../../support/dns/resolver.ts';
import { powerDnsServers, secretOf, updateServers } from '../../support/doors/servers.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';
import { ensureDnscontrol } from '../../support/tools/dnscontrol.ts';
import { dnsControl } from './dnscontrol.support.ts';

const command = await ensureDnscontrol((line) => process.stdout.write(`${line}\n`), new AbortController().signal);
const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });
/** dnscontrol creates this one itself. */
const CREATED = 'dnscontrol-api.example';
const UPDATED = 'dnscontrol-update.example';

const cases = [
  ...(await powerDnsServers(service, [])).map(({ title, dns, url, key, records }) => ({
    ...{ title, dns, records, zone: CREATED, door: 'the PowerDNS API' },
    credentials: { TYPE: 'POWERDNS', apiUrl: url, apiKey: key, serverName: 'localhost' },
  })),
  ...(await updateServers(service, [UPDATED])).map(({ title, dns, port, key, records }) => {
    const tsig = `${key.algorithm}:${key.name}:${secretOf(key)}`;
    const credentials = { TYPE: 'AXFRDDNS', master: `127.0.0.1:${port}`, 'update-key': tsig, 'transfer-key': tsig };
    return { title, dns, records, zone: UPDATED, door: 'DNS updates', credentials };
  }),
];

const KEEP_SOA = "IGNORE('@', 'SOA')";
const FIRST = [
  "A('www', '192.0.2.1')",
  "A('www', '192.0.2.2')",
  "CNAME('alias', 'www')",
  // BIND refuses an MX record whose host in the zone has no address.
  "MX('@', 10, 'mail')",
  "A('mail', '192.0.2.3')",
  "CAA('@', 'issue', 'ca.example.net')",
];
const SECOND = [
  "A('www', '192.0.2.2')",
  "A('alias', '192.0.2.4')",
  "TXT('text', 'two words')",
  "SRV('_sip._tcp', 10, 5, 5060, 'sip.example.net.')",
];
const EXPECTED = (zone: string) => [
  `_sip._tcp.${zone}. 300 SRV 10 5 5060 sip.example.net.`,
  `alias.${zone}. 300 A 192.0.2.4`,
  `text.${zone}. 300 TXT "two words"`,
  `www.${zone}. 300 A 192.0.2.2`,
];

test.concurrent.for(cases)(
  'dnscontrol pushes a zone to $title by $door, and changes it',
  async ({ title, dns, zone, credentials, records }, { expect }) => {
    const folder = await temporaryFolder('dnscontrol');
    const client = dnsControl(command, folder, zone, credentials);
    await client.push(FIRST);
    // Without IGNORE, dnscontrol deletes the SOA record by the PowerDNS API, and PowerDNS serves such a zone no more.
    const { lookup } = createResolver(dns, folder);
    const soa = async () => (await lookup(zone, 'SOA')).answers.length;
    await expect.poll(soa).toBe(title === 'PowerDNS' ? 0 : 1);
    for (const wanted of [FIRST, SECOND]) {
      await client.push([...wanted, KEEP_SOA]);
      await client.expectSame([...wanted, KEEP_SOA]);
    }
    expect(await records(zone)).toEqual(EXPECTED(zone));
  },
);
