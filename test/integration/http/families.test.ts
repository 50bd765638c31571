// Clients of both families at one api that listens on all addresses of the machine. Its sockets serve both families, so
// the kernel reports an IPv4 client as ::ffff:127.0.0.1. The networks of keys, trusted proxies and DNS updates see
// 127.0.0.1.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { adminMintKey } from '#service/credentials/administration.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startApiProcess } from '../../support/service/api-process.ts';
import { startTestService } from '../../support/service/service.ts';

const folder = await temporaryFolder('families');
const ports = await allocatePorts([{ name: 'http' }, { name: 'updates', dns: true }], { stateDir: folder });
const service = await startTestService({ nameserver: false });
await startApiProcess(service, {
  ZONESTEAD_LISTEN: `*:${ports.http}`,
  ZONESTEAD_UPDATE_LISTEN: `*:${ports.updates}`,
  ZONESTEAD_UPDATE_NAMESERVERS: '[::1]:1',
  ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1,::1',
});
const zone = await service.zone('families.example');
const keys = {
  ipv4: await service.key({ networks: ['127.0.0.0/8'] }),
  ipv6: await service.key({ networks: ['::1/128'] }),
};
const HOSTS = { ipv4: '127.0.0.1', ipv6: '[::1]' };
type Family = keyof typeof HOSTS;
const FAMILIES: Family[] = ['ipv4', 'ipv6'];

const read = async (host: string, key: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`http://${host}:${ports.http}/v1/dns/zones`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  await answer.arrayBuffer();
  return answer.status;
};

test.each(FAMILIES)('A key for a network of %s works for clients of that family alone', async (family) => {
  for (const client of FAMILIES) {
    expect(await read(HOSTS[client], keys[family].text)).toBe(client === family ? 200 : 401);
  }
});

describe.each(FAMILIES)('A trusted proxy that connects over %s', (family) => {
  const host = HOSTS[family];

  test.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.0/24'],
    ['2001:DB8:7::1', '2001:db8:7::/48'],
    ['[2001:db8:7::1]:4711', '2001:db8:7::/48'],
    ['198.51.100.1, 203.0.113.7, ::1, 127.0.0.1', '203.0.113.0/24'],
  ])(`names the client %s of the network %s over ${family}`, async (forwarded, network) => {
    const key = await service.key({ networks: [network] });
    expect(await read(host, key.text, { 'x-forwarded-for': forwarded })).toBe(200);
  });

  test(`does not make a client of the other family one of a network over ${family}`, async () => {
    const everyone = {
      ipv4: await service.key({ networks: ['0.0.0.0/0'] }),
      ipv6: await service.key({ networks: ['::/0'] }),
    };
    const of = (forwarded: string) => ({ 'x-forwarded-for': forwarded });
    expect(await read(host, everyone.ipv6.text, of('203.0.113.7'))).toBe(401);
    expect(await read(host, everyone.ipv6.text, of('::ffff:203.0.113.7'))).toBe(401);
    expect(await read(host, everyone.ipv4.text, of('2001:db8::7'))).toBe(401);
    expect(await read(host, everyone.ipv6.text, of('2001:db8::7'))).toBe(200);
  });
});

describe.each([
  ['UDP', []],
  ['TCP', ['-v']],
])('A DNS update over %s', (protocol, options) => {
  const update = async (client: Family, key: { name: string; secret: string }, name: string) => {
    const file = join(folder, `${name}-${protocol}`);
    const commands = [
      `server ${client === 'ipv4' ? '127.0.0.1' : '::1'} ${ports.updates}`,
      `key hmac-sha256:${key.name} ${key.secret}`,
      'zone families.example',
      `update add ${name}.families.example 60 AAAA 2001:db8::1`,
      'send',
    ];
    await writeFile(file, `${commands.join('\n')}\n`);
    const { signal } = new AbortController();
    const { code } = await runCommand({
      ...{ command: inject('tools').nsupdate, args: [...options, file], timeoutMs: 60_000, signal },
    });
    return code === 0;
  };

  test.each(FAMILIES)(`needs a client in the networks of its key, here over ${protocol} and %s`, async (family) => {
    const networks = [family === 'ipv4' ? '127.0.0.0/8' : '::1/128'];
    const terms = { name: `${protocol}-${family}`, records: 'write', networks, tsig: 'hmac-sha256' } as const;
    const { tsig } = await adminMintKey(service.database.url, { team: 'first' }, terms, randomBytes, new Date());
    if (tsig === null) throw new Error('the key has no TSIG key');
    for (const client of FAMILIES) {
      const name = `${protocol}-${family}-${client}`.toLowerCase();
      expect(await update(client, tsig, name)).toBe(client === family);
      const { body } = await service.request('GET', `/zones/${zone.id}/records?name=${name}`);
      expect((body as { records: unknown[] }).records).toHaveLength(client === family ? 1 : 0);
    }
  });
});
