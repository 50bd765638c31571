// octoDNS moves a zone in and out through the PowerDNS API and through DNS updates, at the protocol's own server and at
// ours.
import { expect, test } from 'vitest';
import { readSteps } from '#cli/import/read.ts';
import { readOctodns } from '#cli/import/sources/octodns.ts';
import { powerDnsServers, secretOf, updateServers } from '../../support/doors/servers.ts';
import { walk } from '../../support/doors/walk.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';
import { ensurePythonTools, pythonTool } from '../../support/tools/python.ts';
import { octoDns, type Provider } from './octodns.support.ts';

const progress = (line: string) => process.stdout.write(`${line}\n`);
const environment = await ensurePythonTools(progress, new AbortController().signal);
const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });
const UPDATED = 'updated.example';
/** octoDNS creates this one itself. */
const CREATED = 'created.example';

const FIRST = `
'':
  - {type: MX, ttl: 3600, values: [{exchange: mail.example.net., preference: 10}]}
  - {type: CAA, ttl: 3600, values: [{flags: 0, tag: issue, value: ca.example.net}]}
  - {type: TXT, ttl: 3600, values: ['v=spf1 -all', 'a semicolon\\; here']}
'*.wild': {type: A, ttl: 300, value: 192.0.2.9}
_sip._tcp: {type: SRV, ttl: 600, values: [{port: 5060, priority: 10, target: sip.example.net., weight: 5}]}
alias: {type: CNAME, ttl: 300, value: target.example.net.}
www:
  - {type: A, ttl: 300, values: [192.0.2.1, 192.0.2.2]}
  - {type: AAAA, ttl: 300, value: '2001:db8::1'}
`;
/** One RRset is changed, one has another type, one is gone and one is new. */
const SECOND = FIRST.replace('values: [192.0.2.1, 192.0.2.2]', 'values: [192.0.2.2, 192.0.2.3]')
  .replace('{type: CNAME, ttl: 300, value: target.example.net.}', '{type: A, ttl: 300, value: 192.0.2.4}')
  .replace(/^_sip.*\n/m, 'new: {type: NS, ttl: 300, value: ns.example.net.}\n');

const powerDns = (await powerDnsServers(service, [])).map((server) => ({
  ...server,
  zone: CREATED,
  door: 'the PowerDNS API',
  provider: {
    class: 'octodns_powerdns.PowerDnsProvider',
    host: '127.0.0.1',
    port: Number(new URL(server.url).port),
    scheme: 'http',
    api_key: server.key,
  } as Provider,
}));
const updates = (await updateServers(service, [UPDATED])).map((server) => ({
  ...server,
  zone: UPDATED,
  door: 'DNS updates',
  provider: {
    class: 'octodns_bind.Rfc2136Provider',
    host: '127.0.0.1',
    port: server.port,
    key_name: server.key.name,
    key_secret: secretOf(server.key),
    key_algorithm: server.key.algorithm,
  } as Provider,
}));

const EXPECTED = (zone: string) =>
  [
    `${zone}. 3600 CAA 0 issue "ca.example.net"`,
    `${zone}. 3600 MX 10 mail.example.net.`,
    `${zone}. 3600 TXT "a semicolon; here"`,
    `${zone}. 3600 TXT "v=spf1 -all"`,
    `*.wild.${zone}. 300 A 192.0.2.9`,
    `alias.${zone}. 300 A 192.0.2.4`,
    `new.${zone}. 300 NS ns.example.net.`,
    `www.${zone}. 300 A 192.0.2.2`,
    `www.${zone}. 300 A 192.0.2.3`,
    `www.${zone}. 300 AAAA 2001:db8::1`,
  ].sort();

function importedFrom(text: string, zone: string) {
  const steps = readSteps(readOctodns('file', text, zone), { defaultTtl: 3600, children: [] });
  let step = steps.next();
  while (!step.done) step = steps.next();
  const records = step.value.records.map(({ record: { name, ttl, type, rdata } }) => `${name} ${ttl} ${type} ${rdata}`);
  return { refused: step.value.refused, records: records.sort() };
}

test.concurrent.for([...powerDns, ...updates])(
  'octoDNS moves a zone to $title by $door, changes it, and moves it out',
  async ({ provider, zone, records }) => {
    const client = await octoDns(environment, await temporaryFolder('octodns'), zone, provider);
    await client.write(FIRST);
    expect(await client.sync()).toMatch(/Creates=8/);
    expect(await client.sync()).toMatch(/No changes were planned/);
    await client.write(SECOND);
    await client.sync();
    expect(await client.sync()).toMatch(/No changes were planned/);
    expect(await records(zone)).toEqual(EXPECTED(zone));
    const dumped = await client.dump();
    await client.write(dumped);
    expect(await client.sync()).toMatch(/No changes were planned/);
    expect(dumped).toContain('new:');
    // `zonestead import` reads the file that octoDNS wrote.
    const [found, expected] = [dumped, SECOND].map((text) => importedFrom(text, zone));
    expect(found?.refused).toEqual([]);
    expect(found?.records).toEqual(expected?.records);
  },
);

test.concurrent('a reader of docs/how-to/octodns.md moves a zone in, changes it, and moves it out', async () => {
  const folder = await temporaryFolder('octodns-page');
  const { hostname, port } = new URL(service.url);
  const own = {
    'host: dns.example.net': `host: ${hostname}`,
    'port: 443': `port: ${port}`,
    'scheme: https': 'scheme: http',
    'https://dns.example.net': service.url,
    '@ns1.example.net': `@${service.dns.address} -p ${service.dns.port}`,
  };
  const programs = Object.fromEntries(
    ['octodns-sync', 'octodns-dump'].map((name) => [name, pythonTool(environment, name)]),
  );
  await service.key({ team: 'platform' });
  await walk('octodns', { service, folder, own, programs });
  // The page deletes the zone in the end.
  const actions = await service.sql`select action from changes where zone_name = 'example.com' order by serial`;
  expect(actions.map(({ action }) => action)).toEqual([
    'zone.create',
    ...Array.from({ length: 4 }, () => 'record.create'),
    'record.update',
    'zone.delete',
  ]);
});
