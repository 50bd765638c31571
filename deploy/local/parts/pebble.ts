// Pebble, Let's Encrypt's certificate authority for trying ACME, as a part of the local stack.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureAuthority, ensureCertificate } from './certificates.ts';
import { atLoopback, LOOPBACK } from './loopback.ts';
import type { Part } from './part.ts';
import { startReady } from './process.ts';

export interface Pebble {
  /** The URL of its directory (RFC 8555 section 7.1.1). */
  url: string;
  /** PEM of the authority that certifies its own HTTPS address; the certificates that it issues have another one. */
  authority: { file: string; text: string };
  part: Part;
}

export interface PebbleOptions {
  /** The program. */
  command: string;
  stateDir: string;
  /** host:port where challenges are looked up. */
  dns: string;
  ports: { pebble: number; pebbleManagement: number };
  signal: AbortSignal;
}

/** No random pauses, no nonces refused at random, every order with challenges of its own (its README). */
export const PEBBLE_CALM = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' };

/** Starts it and waits until it listens, at most 20 s. @throws with the end of its log */
export async function startPebble({ command, stateDir, dns, ports, signal }: PebbleOptions): Promise<Pebble> {
  const dir = join(stateDir, 'pebble');
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const authority = await ensureAuthority({ dir, name: 'authority', commonName: 'zonestead-pebble' });
  const hosts = ['localhost', LOOPBACK];
  const own = await ensureCertificate({ dir, name: 'pebble', commonName: 'localhost', hosts, authority });
  const config = join(dir, 'pebble.json');
  await writeFile(
    config,
    pebbleConfig({
      listenAddress: atLoopback(ports.pebble),
      managementListenAddress: atLoopback(ports.pebbleManagement),
      certificate: own.certificateFile,
      privateKey: own.keyFile,
    }),
  );
  const part = await startReady(
    {
      name: 'pebble',
      command,
      args: ['-config', config, '-dnsserver', dns],
      env: { PATH: process.env.PATH, ...PEBBLE_CALM },
      logFile: join(dir, 'pebble.log'),
    },
    async (_limit, started) => (await started.tail(20)).includes('ACME directory available'),
    {
      what: 'Pebble to listen',
      timeoutMs: 60_000,
      intervalMs: 50,
      signal,
    },
  );
  const url = `https://localhost:${ports.pebble}/dir`;
  return { url, authority: { file: authority.certificateFile, text: authority.certificate }, part };
}

/** Its configuration file: where it listens, and the files of its own certificate. */
export function pebbleConfig(own: {
  listenAddress: string;
  managementListenAddress: string;
  certificate: string;
  privateKey: string;
}): string {
  // The ports of other kinds of challenge, on which nothing listens here.
  return JSON.stringify({ pebble: { ...own, httpPort: 1, tlsPort: 1, ocspResponderURL: '' } });
}
