// certbot and lego get a certificate for a name and its wildcard through the PowerDNS API and through DNS updates, at
// the protocol's own server and at ours, with a key that may only answer challenges. They leave no record behind.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { startPebble } from '../../support/cert-manager/pebble.ts';
import { type DoorServer, powerDnsServers, secretOf, updateServers } from '../../support/doors/servers.ts';
import { walk } from '../../support/doors/walk.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';
import { ensurePythonTools, pythonTool } from '../../support/tools/python.ts';
import { byCertbot, byLego, NOT_SEEN, readCertificateNames } from './certificate.support.ts';

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

test.concurrent('a reader of docs/how-to/certbot.md gets a certificate with a key that may do nothing else', async () => {
  const folder = await temporaryFolder('certbot-page');
  const owner = await service.key({ team: 'platform' });
  const { id } = await service.zone('example.com', owner);
  const pebble = await startPebble(folder, service.dns, signal);
  const certificates = join(folder, 'letsencrypt');
  const settings = {
    server: pebble.url,
    'config-dir': certificates,
    'work-dir': join(folder, 'work'),
    'logs-dir': join(folder, 'logs'),
    'non-interactive': true,
    'agree-tos': true,
    'register-unsafely-without-email': true,
  };
  await mkdir(join(folder, '.config/letsencrypt'), { recursive: true });
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(join(folder, '.config/letsencrypt/cli.ini'), lines.join(''));
  const port = service.updatePort();
  try {
    await walk('certbot by updates', {
      service,
      folder,
      own: {
        'server 192.0.2.53 53': `server 127.0.0.1 ${port}`,
        'dns_rfc2136_server = 192.0.2.53': 'dns_rfc2136_server = 127.0.0.1',
        'dns_rfc2136_port = 53': `dns_rfc2136_port = ${port}`,
        '/etc/letsencrypt': certificates,
      },
      programs: { certbot: pythonTool(environment, 'certbot') },
      env: { REQUESTS_CA_BUNDLE: pebble.authority.file },
      again: NOT_SEEN,
    });
    expect(await readCertificateNames(join(certificates, 'live/example.com/cert.pem'))).toEqual([
      'DNS:*.example.com',
      'DNS:example.com',
    ]);
    const left = await service.request('GET', `/zones/${id}/records`, undefined, owner.text);
    expect(left.body).toEqual({ records: [] });
  } finally {
    await pebble.part.stop();
  }
});
