// A certificate for a name and its wildcard, which is two TXT values at one name, from an authority that looks at a
// server's own DNS.
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pebble } from '../../../deploy/local/parts/pebble.ts';
import { runClient } from '../../support/doors/run.ts';
import { pythonTool } from '../../support/tools/python.ts';

/** The alternative names of a certificate file, sorted. */
export async function readCertificateNames(file: string): Promise<string[]> {
  return new X509Certificate(await readFile(file)).subjectAltName?.split(', ').sort() ?? [];
}

/**
 * The seconds that a client waits between its update and the question of the authority. Clients of these doors do not
 * know when the name servers have the value, so the test tries again with a longer time: on a busy machine the first is
 * too short.
 */
const WAITS = [3, 20, 60];

/**
 * Pebble's words when the name server has no value yet, or does not answer in time. Every other failure is one of the
 * test.
 */
export const NOT_SEEN = /(No TXT records found|Correct value not found|Error retrieving TXT records) for DNS challenge/;

async function withWaits(attempt: (seconds: number) => Promise<unknown>): Promise<void> {
  for (const [index, seconds] of WAITS.entries()) {
    try {
      await attempt(seconds);
      return;
    } catch (error) {
      if (index === WAITS.length - 1 || !NOT_SEEN.test(String(error))) throw error;
    }
  }
}

export interface CertbotOptions {
  environment: string;
  folder: string;
  pebble: Pebble;
  zone: string;
  /** `dns-rfc2136`, for example. */
  plugin: string;
  credentials: Readonly<Record<string, string | number>>;
}

/** @returns the alternative names of the certificate */
export async function byCertbot(options: CertbotOptions): Promise<string[]> {
  const { environment, folder, pebble, zone, plugin, credentials } = options;
  const file = join(folder, 'credentials.ini');
  const prefix = plugin.replaceAll('-', '_');
  const lines = Object.entries(credentials).map(([name, value]) => `${prefix}_${name} = ${value}\n`);
  await writeFile(file, lines.join(''), { mode: 0o600 });
  const args = (seconds: number) => [
    ...['certonly', '--non-interactive', '--agree-tos', '--register-unsafely-without-email'],
    ...['--server', pebble.url, '--authenticator', plugin],
    ...[`--${plugin}-credentials`, file, `--${plugin}-propagation-seconds`, String(seconds)],
    ...['config', 'work', 'logs'].flatMap((name) => [`--${name}-dir`, join(folder, name)]),
    ...['-d', zone, '-d', `*.${zone}`],
  ];
  const env = { REQUESTS_CA_BUNDLE: pebble.authority.file };
  await withWaits((seconds) => runClient(pythonTool(environment, 'certbot'), args(seconds), { cwd: folder, env }));
  return readCertificateNames(join(folder, 'config/live', zone, 'cert.pem'));
}

export interface LegoOptions {
  folder: string;
  pebble: Pebble;
  zone: string;
  /** The address of the name server, which it looks at first. */
  resolver: string;
  provider: 'pdns' | 'rfc2136';
  settings: Readonly<Record<string, string>>;
}

/** How lego is told to wait, and not to look for the name servers of the zone, which have no addresses here. */
const legoWaits = (prefix: string, seconds: number) => ({
  [`${prefix}_TTL`]: '60',
  [`${prefix}_POLLING_INTERVAL`]: String(seconds),
  [`${prefix}_PROPAGATION_TIMEOUT`]: '200',
  [`${prefix}_SEQUENCE_INTERVAL`]: '1',
});

/** @returns the alternative names of the certificate */
export async function byLego(options: LegoOptions): Promise<string[]> {
  const { folder, pebble, zone, resolver, provider, settings } = options;
  const args = [
    ...['--server', pebble.url, '--email', 'hostmaster@example.org', '--accept-tos', '--path', join(folder, 'lego')],
    ...['--dns', provider, '--dns.resolvers', resolver, '--dns.disable-cp'],
    ...['-d', zone, '-d', `*.${zone}`, 'run'],
  ];
  const env = { LEGO_CA_CERTIFICATES: pebble.authority.file, ...settings };
  await withWaits((seconds) =>
    runClient(['lego'], args, { cwd: folder, env: { ...env, ...legoWaits(provider.toUpperCase(), seconds) } }),
  );
  return readCertificateNames(join(folder, 'lego/certificates', `${zone}.crt`));
}
