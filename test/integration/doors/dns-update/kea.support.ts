// Kea's DHCP-DDNS daemon (D2): a DHCP server tells it about leases by JSON over UDP, and it sends DNS updates with
// DHCID records (RFC 4703). One daemon updates one server.
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { TsigKey } from '#dns/message/tsig.ts';
import { nameToWire } from '#dns/wire/octets.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { startReady, waitFor } from '../../../../deploy/local/parts/process.ts';
import { secretOf } from '../../../support/doors/servers.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const LIMIT_MS = 120_000;
const TTL = 3_600;

/** The start, the renewal or the end of a lease. */
export interface NameChange {
  change: 'add' | 'remove';
  /** Without the final dot. */
  name: string;
  address: string;
  /** Stands for the hardware address or the identifier of the DHCP client. */
  client: string;
  /** False: it does not look whether the name has another client. (Default: true.) */
  conflictResolution?: boolean;
}

export interface KeaD2 {
  /** Sends one request and waits for its end. @returns `ADD_SUCCEEDED`, for example */
  request(change: NameChange): Promise<string>;
  /** The last lines of its log. */
  log(): Promise<string>;
}

export interface KeaOptions {
  /** The port of the server, over UDP. */
  port: number;
  key: TsigKey;
  /** Without the final dots. */
  forward: string;
  reverse: readonly string[];
}

/** To be called at the top of a test file. */
export async function startKea(options: KeaOptions): Promise<KeaD2> {
  const folder = await temporaryFolder('kea');
  const { ncr: port } = await allocatePorts([{ name: 'ncr', dns: true }], { stateDir: folder });
  const file = join(folder, 'kea.json');
  await writeFile(file, JSON.stringify(buildConfig(options, port)), { mode: 0o600 });
  const socket = createSocket('udp4');
  // Refused while the daemon starts.
  socket.on('error', () => undefined);
  const send = (text: string) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(text));
    socket.send(Buffer.concat([length, Buffer.from(text)]), port, '127.0.0.1');
  };
  const part = await startReady(
    {
      name: 'kea-dhcp-ddns',
      command: 'kea-dhcp-ddns',
      args: ['-c', file],
      env: { PATH: process.env.PATH, KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder },
      logFile: join(folder, 'kea.log'),
    },
    async (_limit, started) => {
      // It says nothing when it begins to listen, but it complains about a request that it cannot read.
      send('{}');
      return (await started.tail(500)).includes('DHCP_DDNS_INVALID_NCR');
    },
    { what: 'kea-dhcp-ddns to read a request', timeoutMs: LIMIT_MS, intervalMs: 50, signal },
  );
  afterAll(async () => {
    socket.close();
    await part.stop();
  });
  const ends = async () => {
    const found = (await part.tail(1_000)).matchAll(/DHCP_DDNS_((?:ADD|REMOVE)_(?:SUCCEEDED|FAILED))/g);
    return [...found].map(([, end = '']) => end);
  };
  let sent = 0;
  return {
    request: async (change) => {
      sent += 1;
      send(JSON.stringify(nameChangeRequest(change)));
      const waiting = { what: `the end of request ${sent}`, timeoutMs: LIMIT_MS, intervalMs: 20, part, signal };
      await waitFor(async () => (await ends()).length >= sent, waiting);
      return (await ends())[sent - 1] ?? '';
    },
    log: () => part.tail(1_000),
  };
}

function buildConfig({ port, key, forward, reverse }: KeaOptions, listen: number): object {
  const domain = (name: string) => ({
    name: `${name}.`,
    'key-name': key.name,
    'dns-servers': [{ 'ip-address': '127.0.0.1', port }],
  });
  return {
    DhcpDdns: {
      'ip-address': '127.0.0.1',
      port: listen,
      // Half a second is its default, which is too short on a busy machine.
      'dns-server-timeout': 60_000,
      'tsig-keys': [{ name: key.name, algorithm: key.algorithm.toUpperCase(), secret: secretOf(key) }],
      'forward-ddns': { 'ddns-domains': [domain(forward)] },
      'reverse-ddns': { 'ddns-domains': reverse.map(domain) },
      loggers: [
        {
          name: 'kea-dhcp-ddns',
          severity: 'INFO',
          output_options: [{ output: 'stdout', flush: true, pattern: '%-5p %m\n' }],
        },
      ],
    },
  };
}

function nameChangeRequest({ change, name, address, client, conflictResolution = true }: NameChange): object {
  return {
    'change-type': change === 'add' ? 0 : 1,
    'forward-change': true,
    'reverse-change': true,
    fqdn: `${name}.`,
    'ip-address': address,
    dhcid: computeDhcid(client, name),
    'lease-expires-on': '20380101000000',
    'lease-length': TTL,
    'use-conflict-resolution': conflictResolution,
  };
}

/** RFC 4701 section 3.5, in hexadecimal: type 1, digest type 1 (SHA-256), and the digest of identifier and name. */
function computeDhcid(client: string, name: string): string {
  const digest = createHash('sha256').update(client).update(nameToWire(name)).digest('hex');
  return `000101${digest}`;
}
