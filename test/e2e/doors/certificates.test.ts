// certbot and lego get a certificate for a name and its wildcard through the PowerDNS API and through DNS updates, at the protocol's
// own server and at ours, with a key that may only answer challenges. They leave no record behind.
import { beforeAll, expect, test } from 'vitest';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { byCertbot, byLego } from '../../support/doors/certificate.ts';
import { type DoorServer, powerDnsServers, secretOf, updateServers } from '../../support/doors/servers.ts';
import { startPebble } from '../../support/pebble.ts';
import { startTestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { ensurePythonTools } from '../../support/tools/python.ts';

const progress = (line: string) => process.stdout.write(`${line}\n`);
const { signal } = new AbortController();
const environment = await ensurePythonTools(progress, signal);
const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });

beforeAll(() => ensureTools([{ command: 'lego', package: 'lego' }], { progress, signal }));

interface Case {
  client: string;
  server: DoorServer;
  run(zone: string, folder: string, pebble: Awaited<ReturnType<typeof startPebble>>): Promise<string[]>;
}

const resolverOf = ({ dns }: DoorServer) => `${dns.address}:${dns.port}`;

const cases: Case[] = [
  ...(await powerDnsServers(service, ['lego-pdns.example'])).flatMap((server): Case[] => [
    {
      client: 'lego, pdns',
      server,
      run: (zone, folder, pebble) =>
        byLego({
          ...{ folder, pebble, zone, resolver: resolverOf(server), provider: 'pdns' },
          settings: { PDNS_API_URL: server.url, PDNS_API_KEY: server.challengeKey },
        }),
    },
  ]),
  ...(await updateServers(service, ['lego-rfc2136.example', 'certbot-rfc2136.example'])).flatMap((server): Case[] => [
    {
      client: 'lego, rfc2136',
      server,
      run: (zone, folder, pebble) =>
        byLego({
          ...{ folder, pebble, zone, resolver: resolverOf(server), provider: 'rfc2136' },
          settings: {
            RFC2136_NAMESERVER: `127.0.0.1:${server.port}`,
            RFC2136_TSIG_KEY: server.challengeKey.name,
            RFC2136_TSIG_SECRET: secretOf(server.challengeKey),
            RFC2136_TSIG_ALGORITHM: 'hmac-sha256.',
          },
        }),
    },
    {
      client: 'certbot, dns-rfc2136',
      server,
      run: (zone, folder, pebble) =>
        byCertbot({
          ...{ environment, folder, pebble, zone, plugin: 'dns-rfc2136' },
          credentials: {
            server: '127.0.0.1',
            port: server.port,
            name: server.challengeKey.name,
            secret: secretOf(server.challengeKey),
            algorithm: 'HMAC-SHA256',
          },
        }),
    },
  ]),
];

test.concurrent.for(cases.map((each) => ({ ...each, title: each.server.title })))(
  '$client, gets a certificate from $title',
  async ({ client, server, run }) => {
    const zone = `${client.replace(', dns-', '-').replace(', ', '-')}.example`;
    const folder = await temporaryFolder('certificate');
    const pebble = await startPebble(folder, server.dns, signal);
    try {
      expect(await run(zone, folder, pebble)).toEqual([`DNS:*.${zone}`, `DNS:${zone}`]);
      expect(await server.records(zone)).toEqual([]);
    } finally {
      await pebble.part.stop();
    }
  },
);
