// The certificate for DNS over TLS (RFC 7858). Another program renews its files, one after the other and at any time,
// so knotd gets a copy of each valid pair in its own folder: under a new name, which is a change of the configuration
// that makes a running knotd read it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatError } from '#base/error-text.ts';
import {
  type CertificateSource,
  certificateFiles,
  type ServingCertificate,
} from '#http/connections/serving-certificate.ts';
import type { KnotFolder } from './folder.ts';
import { replaceFile } from './replace-file.ts';
import { isSince } from './version.ts';

/** Where the certificate comes from, and the port. */
export interface TlsSettings {
  readonly port: number;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** The port, and the paths of the copies for knotd. */
export interface KnotTls {
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
}

/** The first version of Knot DNS with DNS over TLS. */
const FIRST_VERSION = '3.4';
const COPY = /^tls-[0-9a-f]{16}\.(crt|key)(\.new)?$/;

export function tlsSource({ certificateFile, keyFile }: TlsSettings): CertificateSource {
  return certificateFiles({ certificateFile, keyFile });
}

/**
 * Copies the certificate and its key for a knotd of this version.
 * @param version null: not known
 * @param readPair readTls, or a pair that was read before
 * @throws Error with the remedy if this version of knotd cannot serve DNS over TLS; that of readPair
 */
export async function prepareTls(
  settings: TlsSettings,
  folder: KnotFolder,
  version: string | null,
  readPair: () => Promise<ServingCertificate>,
): Promise<KnotTls> {
  requireTls(version);
  return copyTls(await readPair(), settings, folder);
}

/**
 * Why a knotd cannot give transfers over TLS; null: it can.
 * @param tls whether it has a certificate
 */
export function tlsFault(version: string | null, tls: boolean): string | null {
  if (!isSince(version, FIRST_VERSION))
    return `transfers over TLS need Knot DNS ${FIRST_VERSION} or later, and this is ${version ?? 'an unknown version'}`;
  if (tls) return null;
  return 'transfers over TLS need a certificate: set ZONESTEAD_KNOT_TLS_CERT_FILE and ZONESTEAD_KNOT_TLS_KEY_FILE';
}

function requireTls(version: string | null): void {
  if (isSince(version, FIRST_VERSION)) return;
  throw new Error(
    `DNS over TLS needs Knot DNS ${FIRST_VERSION} or later, and this is ${version ?? 'an unknown version'}: remove ` +
      'ZONESTEAD_KNOT_TLS_CERT_FILE and ZONESTEAD_KNOT_TLS_KEY_FILE, or install Knot DNS of Debian 13 or later',
  );
}

/** @throws Error that names the settings if a file cannot be read, is not PEM, or does not match the other one */
export async function readTls(settings: TlsSettings, signal: AbortSignal): Promise<ServingCertificate> {
  try {
    return await tlsSource(settings).read(signal);
  } catch (error) {
    throw new Error(
      `the certificate for DNS over TLS cannot be used: ${formatError(error)}. ZONESTEAD_KNOT_TLS_CERT_FILE must be a ` +
        'certificate in PEM, with its chain, and ZONESTEAD_KNOT_TLS_KEY_FILE its private key in PEM',
    );
  }
}

/** Copies a pair into the folder of knotd, with mode 600. A pair that is there stays as it is. */
async function copyTls(
  { certificate, key }: ServingCertificate,
  { port }: TlsSettings,
  { root }: KnotFolder,
): Promise<KnotTls> {
  const name = createHash('sha256').update(certificate).update('\0').update(key).digest('hex').slice(0, 16);
  const files = { certificate: join(root, `tls-${name}.crt`), key: join(root, `tls-${name}.key`) };
  for (const [file, text] of [
    [files.certificate, certificate],
    [files.key, key],
  ] as const) {
    if (existsSync(file)) continue;
    await replaceFile(file, text);
  }
  return { port, ...files };
}

/** Deletes copies of other pairs. @param tls the copies that knotd has; null: none */
export async function removeOtherCopies({ root }: KnotFolder, tls: KnotTls | null): Promise<void> {
  const kept = [tls?.certificate, tls?.key];
  for (const name of await readdir(root)) {
    const file = join(root, name);
    if (COPY.test(name) && !kept.includes(file)) await rm(file, { force: true });
  }
}
