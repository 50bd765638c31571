// Zone transfers over TLS (RFC 9103) from our knotd to the Knot DNS, BIND and NSD of Debian 13, with the configurations
// that Zonestead generates for both sides. Each secondary reaches the source through a port that records what it sends.
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { catalogName } from '#dns/secondaries/catalog.ts';
import type { PrimaryTls, PrimaryView } from '#dns/secondaries/primary.ts';
import { checkedSecondaries } from '#dns/secondaries/secondary.ts';
import { type OwnCertificate, renewed } from '#kube/certificates/own-certificate.ts';
import { writeCatalog } from '#nameserver/knot/catalog.ts';
import { ensureTools } from '../../../../deploy/local/parts/apt.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { ensureKnot, startKnot } from '../../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { ensureSecondary } from '../../../../deploy/local/parts/secondary-servers.ts';
import { pinOf } from '../../../support/http/pins.ts';
import { localCertificate } from '../../../support/http/serving-files.ts';
import {
  type Kind,
  parseDigRecords,
  type RunningSecondary,
  startRunning,
  startSource,
  transfer,
} from '../../../support/knot/secondaries.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const progress = () => undefined;
const KINDS: readonly Kind[] = ['knot', 'bind', 'nsd'];
const LIMIT = { timeout: 100_000, interval: 50 };
const ZONE = 'secret.test';
const programs = await ensureKnot({ version: '3.4', progress, signal });
const servers = {
  knot: { name: 'knot', command: programs.knotd, args: ['-c'] },
  bind: await ensureSecondary('bind', { version: '13', progress, signal }),
  nsd: await ensureSecondary('nsd', { version: '13', progress, signal }),
};
const kdig = (await ensureTools([{ command: 'kdig', package: 'knot-dnsutils' }], { progress, signal })).kdig as string;
const folder = await temporaryFolder('transfers-over-tls');
const ports = await allocatePorts(
  [{ name: 'tls' }, ...[...KINDS, ...KINDS.map((kind) => `strange-${kind}`)].map((name) => ({ name, dns: true }))],
  { stateDir: folder },
);

interface Identity {
  certificate: string;
  key: string;
  authorities: string;
  pin: string;
}

async function identity(name: string, own: OwnCertificate): Promise<Identity> {
  const files = { certificate: `${name}.crt`, key: `${name}.key`, authorities: `${name}-ca.crt` } as const;
  for (const [part, file] of Object.entries(files))
    await writeFile(join(folder, file), own[part as keyof typeof files], { mode: 0o600 });
  const path = (file: string) => join(folder, file);
  return {
    certificate: path(files.certificate),
    key: path(files.key),
    authorities: path(files.authorities),
    pin: pinOf(own.certificate),
  };
}

const client = (name: string) =>
  renewed(undefined, { hosts: [`${name}.test`], now: new Date() }).then((own) => identity(name, own));
const node = await identity('node', await localCertificate());
const stranger = await identity('stranger', await localCertificate());
const clients = { knot: await client('knot'), bind: await client('bind'), nsd: await client('nsd') };

/** A port that leads to another one. @returns the first octets that each client sent */
async function startTap(to: number): Promise<{ port: number; sent: () => Buffer[] }> {
  const records: Buffer[][] = [];
  const server = createServer((incoming) => {
    const record: Buffer[] = [];
    records.push(record);
    const outgoing = connect(to, '127.0.0.1');
    incoming.on('data', (chunk: Buffer) => record.push(chunk));
    incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
    outgoing.on('error', () => incoming.destroy()).pipe(incoming);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  return { port: (server.address() as AddressInfo).port, sent: () => records.map((record) => Buffer.concat(record)) };
}

const secret = (kind: Kind) => Buffer.alloc(32, kind).toString('base64');
const secondaries = checkedSecondaries(
  KINDS.map((kind) => ({
    name: kind,
    addresses: [{ address: '127.0.0.1', port: ports[kind] as number }],
    key: { name: `${kind}.key.test`, algorithm: 'hmac-sha256', secret: secret(kind) },
    zones: kind === 'nsd' ? [ZONE] : 'all',
    catalog: kind !== 'nsd',
    notify: true,
    requireTls: true,
    pins: [clients[kind].pin],
  })),
);
const tlsSettings = { port: ports.tls as number, certificateFile: node.certificate, keyFile: node.key };
const source = await startSource(undefined, { programs, settings: { tls: tlsSettings } });
const wish = { secondaries, zones: [ZONE], role: 'source', overTls: true } as const;
await source.add(ZONE, 100);
await source.configure(wish);
for (const { name, catalog } of secondaries) {
  const serial = { least: 100, slot: 0, source: true };
  if (catalog)
    await writeCatalog(source.control, { secondary: name, members: [{ id: 'z', name: ZONE }], serial }, signal);
}
const taps = { knot: await startTap(ports.tls!), bind: await startTap(ports.tls!), nsd: await startTap(ports.tls!) };

function viewOf(kind: Kind, tls: Partial<PrimaryTls> = {}, port = taps[kind].port): PrimaryView {
  return {
    primaries: [{ address: '127.0.0.1', port }],
    key: secondaries.find(({ name }) => name === kind)!.key,
    zones: kind === 'nsd' ? [ZONE] : null,
    catalog: catalogName(kind),
    tls: {
      hostName: 'localhost',
      authorities: node.authorities,
      pins: [node.pin],
      certificate: { file: clients[kind].certificate, keyFile: clients[kind].key },
      ...tls,
    },
  };
}

const started = await Promise.all(
  KINDS.map(async (kind) => [kind, await startRunning(kind, ports[kind]!, viewOf(kind), servers[kind])] as const),
);
const running = Object.fromEntries(started) as Record<Kind, RunningSecondary>;
const addressAt = async (server: RunningSecondary) => (await server.resolver.lookup(`www.${ZONE}`, 'A')).answers.join();

test.each(KINDS)('%s of Debian 13 gets a zone and its changes over TLS alone', async (kind) => {
  await expect.poll(() => addressAt(running[kind]), LIMIT).toContain('192.0.2.1');
});

test('every secondary gets a change after its NOTIFY, and sends no octet that is not TLS', async () => {
  for (const kind of KINDS) await expect.poll(() => addressAt(running[kind]), LIMIT).toContain('192.0.2.1');
  await source.change(ZONE, 104, 'www', '192.0.2.4');
  for (const kind of KINDS) {
    await expect.poll(() => addressAt(running[kind]), LIMIT).toContain('192.0.2.4');
    const sent = taps[kind].sent();
    expect(sent.length).toBeGreaterThan(0);
    for (const octets of sent) {
      // A record of the type handshake (RFC 8446 section 5.1) begins it.
      expect(octets.subarray(0, 2).toString('hex')).toBe('1603');
      expect(octets.includes('secret')).toBe(false);
    }
  }
});

test('the configuration of the source costs no command if nothing differs', async () => {
  expect(await source.configure(wish)).toBe(0);
});

/** The output of kdig for a transfer over TLS. */
async function transferOverTls(kind: Kind, from: Identity | null, key = secret(kind)): Promise<string> {
  const words = ['@127.0.0.1', '-p', String(ports.tls), '+tls', `+tls-ca=${node.authorities}`];
  const own = from === null ? [] : [`+tls-certfile=${from.certificate}`, `+tls-keyfile=${from.key}`];
  const tsig = ['-y', `hmac-sha256:${kind}.key.test:${key}`];
  const args = [...words, '+tls-hostname=localhost', ...own, ...tsig, '+timeout=10', '+retry=0', ZONE, 'AXFR'];
  return (await runCommand({ command: kdig, args, timeoutMs: 60_000, signal })).out;
}

test('kdig transfers a zone over TLS with the key and a certificate of the secondary', async () => {
  const output = await transferOverTls('bind', clients.bind);
  expect(parseDigRecords(output).some((line) => line.startsWith(`www.${ZONE}. A 192.0.2.`))).toBe(true);
});

test.each([
  ['without a certificate', null, secret('bind')],
  ['with the certificate of a stranger', stranger, secret('bind')],
  ['with the certificate of another secondary', clients.nsd, secret('bind')],
  ['with a wrong secret', clients.bind, secret('nsd')],
] as const)('a transfer over TLS is refused %s', async (_, from, key) => {
  const output = await transferOverTls('bind', from, key);
  expect(output).not.toContain('192.0.2.');
  expect(output).not.toMatch(/SOA\s+ns1/);
});

test.each(KINDS)('a transfer without TLS is refused with the key of %s, from its address', async (kind) => {
  for (const type of ['AXFR', 'IXFR=100'])
    expect(await transfer(source.port, ZONE, { key: `hmac-sha256:${kind}.key.test:${secret(kind)}`, type })).toContain(
      'Transfer failed',
    );
});

const REFUSES = {
  knot: /refresh, failed/,
  bind: /TLS peer certificate verification failed/,
  nsd: /certificate verify failed/,
};
const WRONG = [
  ['knot', 'pin', { pins: [stranger.pin] }],
  ['bind', 'authority', { authorities: stranger.authorities }],
  ['bind', 'name', { hostName: 'other.test' }],
  ['nsd', 'authority', { authorities: stranger.authorities }],
  ['nsd', 'name', { hostName: 'other.test' }],
] as const;

test.each(WRONG)('%s transfers nothing from a source whose certificate has another %s', async (kind, _, tls) => {
  const tap = await startTap(ports.tls!);
  const server = await startRunning(kind, ports[`strange-${kind}`]!, viewOf(kind, tls, tap.port), servers[kind]);
  try {
    await expect.poll(() => server.log(), LIMIT).toMatch(REFUSES[kind]);
    expect(tap.sent().length).toBeGreaterThan(0);
    expect(await addressAt(server)).toBe('');
  } finally {
    await server.stop();
  }
});

test('Knot DNS refuses transfers without TLS also after its version was replaced by one that knows none over TLS', async () => {
  await source.part.stop();
  const host = await ensureKnot({ version: 'host', progress, signal });
  const stateDir = join(source.folder.root, '..');
  const older = await startKnot({ programs: host, stateDir, port: source.port, signal });
  try {
    const key = `hmac-sha256:bind.key.test:${secret('bind')}`;
    await expect.poll(() => transfer(source.port, ZONE, { key }), LIMIT).toContain('Transfer failed');
    expect((await source.resolver.lookup(`www.${ZONE}`, 'A')).answers.join()).toContain('192.0.2.4');
  } finally {
    await older.part.stop();
  }
});
