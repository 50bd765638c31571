// The serving certificate as files that somebody renews: read again every few seconds, the last good pair kept. A server
// that reads its certificate once dies a year later (cozystack/cozystack#3557). It must not know who serves with it.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../kube/clock.ts';
import { sleep } from '../kube/clock.ts';
import type { Logger } from '../telemetry/log.ts';

export interface ServingCertificate {
  /** PEM, leaf first. */
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** @throws Error when a file cannot be read, or the two do not belong together, as in the middle of a renewal */
export async function readCertificate({ certificateFile, keyFile }: CertificateFiles): Promise<ServingCertificate> {
  const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
    throw new Error(`${certificateFile} is not the certificate of the key in ${keyFile}`);
  }
  return { certificate, key };
}

/** Where a certificate comes from. */
export interface CertificateSource {
  /** @throws when there is none, or none that can be used */
  read(signal: AbortSignal): Promise<ServingCertificate>;
  /** Between two looks, in ms. */
  readonly everyMs: number;
}

/** kubelet brings a changed Secret to its files within about a minute; a look costs two small reads. */
const LOOK_EVERY_MS = 2_000;

export function certificateFiles(files: CertificateFiles): CertificateSource {
  return { read: () => readCertificate(files), everyMs: LOOK_EVERY_MS };
}

/** Tells every good pair that differs from the one before, beginning with the first, until the signal aborts. */
export async function followCertificate(
  source: CertificateSource,
  clock: Clock,
  log: Logger,
  changed: (pair: ServingCertificate) => void,
  signal: AbortSignal,
): Promise<void> {
  let last: ServingCertificate | undefined;
  let complaint = '';
  while (!signal.aborted) {
    try {
      const pair = await source.read(signal);
      if (pair.certificate !== last?.certificate || pair.key !== last.key) {
        changed(pair);
        last = pair;
        const { validTo, subjectAltName } = new X509Certificate(pair.certificate);
        log.info({ validTo, subjectAltName }, 'serving certificate loaded');
      }
      complaint = '';
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (text !== complaint) log.warn({ err: error }, 'the serving certificate cannot be used; keeping the last one');
      complaint = text;
    }
    await sleep(clock, source.everyMs, signal).catch(() => undefined);
  }
}
