// A certificate authority for tests: Debian's Pebble, which asks the PowerDNS of a test, and what its clients need to
// trust it. It must not know which clients there are.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureAuthority, ensureCertificate } from '../../src/cli/up/parts/certificates.ts';
import type { Part } from '../../src/cli/up/parts/part.ts';
import { allocatePorts } from '../../src/cli/up/parts/ports.ts';
import { startProcess, waitFor } from '../../src/cli/up/parts/process.ts';
import type { Endpoint } from '../../src/nameserver/probe.ts';

export interface Pebble {
  /** Of its directory (RFC 8555 7.1.1). */
  url: string;
  /** PEM file of the authority that its own address is certified by. */
  authorityFile: string;
  part: Part;
}

/** @param dns the name server that challenges are looked up at */
export async function startPebble(stateDir: string, dns: Endpoint, signal: AbortSignal): Promise<Pebble> {
  const dir = join(stateDir, 'pebble');
  const authority = await ensureAuthority({ dir, name: 'authority', commonName: 'pebble test' });
  const hosts = ['localhost', '127.0.0.1'];
  const own = await ensureCertificate({ dir, name: 'pebble', commonName: 'localhost', hosts, authority });
  const ports = await allocatePorts([{ name: 'acme' }, { name: 'management' }], { stateDir });
  const config = {
    listenAddress: `127.0.0.1:${ports.acme}`,
    managementListenAddress: `127.0.0.1:${ports.management}`,
    certificate: own.certificateFile,
    privateKey: own.keyFile,
    httpPort: 1,
    tlsPort: 1,
    ocspResponderURL: '',
  };
  const file = join(dir, 'pebble.json');
  await writeFile(file, JSON.stringify({ pebble: config }));
  const part = startProcess({
    name: 'pebble',
    command: 'pebble',
    args: ['-config', file, '-dnsserver', `${dns.address}:${dns.port}`],
    // No random pauses, no nonces refused at random, every order with challenges of its own.
    env: { PATH: process.env.PATH, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' },
    logFile: join(stateDir, 'pebble.log'),
  });
  await waitFor(async () => (await part.tail(20)).includes('ACME directory available'), {
    what: 'Pebble to listen',
    timeoutMs: 20_000,
    intervalMs: 50,
    part,
    signal,
  });
  return { url: `https://localhost:${ports.acme}/dir`, authorityFile: authority.certificateFile, part };
}
